package dev.tallyroll.fold;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.runs.LiveStore;
import dev.tallyroll.settings.FoldLayout;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The calls of Firestore for folding. A future that fails leaves open whether its write was
 * applied.
 */
public interface FoldStore {
  /** A page of at most so many shards is never cut, and carries its read time. */
  int FEW_SHARDS = 4;

  FoldLayout layout();

  /** The live list of documents. */
  LiveStore<String> liveList();

  /**
   * Reads shards of a document, in the order of their ids. Costs one read each, at least one.
   *
   * @param after the id of the last shard of the page before; empty for the first page
   */
  CompletableFuture<ShardPage> read(String document, String after, int limit);

  /** Reads some shards of a document; those that are gone are left out. Costs one read each. */
  CompletableFuture<ShardsById> read(String document, List<String> ids);

  /**
   * Reads some fields of a document, each with the whole map that it is in, or what is in the place
   * of that; none if the document is not there. Costs one read.
   */
  CompletableFuture<Owner> fields(String document, Set<FieldName> fields);

  /**
   * Moves what shards hold into their document, which is made if it is not there: all of it, or
   * nothing if one of the shards, or the document if the plan names its version, is not at its
   * version any more. Costs one write, and one for each shard.
   */
  CompletableFuture<Outcome> move(String document, Plan plan);

  /** Puts a document on the live list, or makes its entry new. Costs one write. */
  CompletableFuture<Void> enter(String document);

  /**
   * Reads shards of all documents below a collection, in the order of their paths. Costs one read
   * each, at least one.
   *
   * @param start one of {@link FoldLayout#starts}
   * @param after path of the last shard of the page before; empty for the first page
   */
  CompletableFuture<SweptPage> page(String start, String after, int limit);

  /**
   * The document that shards belong to.
   *
   * @param fields those that were asked for
   * @param version empty if it is not there
   */
  record Owner(Map<String, Object> fields, Optional<Instant> version) {}

  /** The result of a batch. */
  enum Outcome {
    DONE,
    /** A shard, or the document, has changed since it was read. */
    REFUSED,
    /** The document cannot take it: it is full, say. */
    IMPOSSIBLE
  }

  /**
   * Some shards of a document, or fewer than were asked for if these are large.
   *
   * @param isLast whether no shard comes after them
   * @param isCut whether they are fewer since they are large
   * @param readTime Firestore's time of the read; empty for a page of more than {@link #FEW_SHARDS}
   */
  record ShardPage(List<Shard> shards, boolean isLast, boolean isCut, Optional<Instant> readTime) {}

  /**
   * Shards that were asked for by their ids.
   *
   * @param rest ids of others that are there, and were left out since these are large
   */
  record ShardsById(List<Shard> shards, List<String> rest) {}

  /**
   * A page of the sweep, with fewer shards than were asked for if these are large.
   *
   * @param shards by the path of their document, in order; of all documents, folded or not
   * @param looked how many shards there are
   * @param last path of the last one; empty if there are no more
   * @param isCut whether they are fewer since they are large
   */
  record SweptPage(Map<String, List<Shard>> shards, int looked, String last, boolean isCut) {}
}
