package dev.tallyroll.timestamps;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.EventListener;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.common.util.concurrent.MoreExecutors;
import dev.tallyroll.timestamps.Tokens.Token;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A query over all shard values, ordered by the timestamp in one direction; among equal timestamps
 * by the document's path in the same direction. Immutable, so safe for use by many threads.
 *
 * <p>Its answers are those that the unsharded query would give. The chunks are read one by one
 * though, so while documents are written a page need not be the collection at any one moment, as
 * two pages of an unsharded query need not be. Errors of Firestore arrive through the futures;
 * arguments that cannot be used are refused at once, before anything is read.
 */
public final class ShardedQuery {
  /** A page is held in memory. */
  public static final int MAX_LIMIT = 20_000;

  private final BaseQuery base;
  private final Shards shards;
  private final Direction direction;
  private final Tokens tokens;

  ShardedQuery(BaseQuery base, Shards shards, Direction direction, Tokens tokens) {
    this.base = base;
    this.shards = shards;
    this.direction = direction;
    this.tokens = tokens;
  }

  /**
   * Reads the first page.
   *
   * <p>With <i>c</i> chunks of shard values (one per 30 values, or fewer values when the caller's
   * query has disjunctions), it makes <i>c</i> queries side by side, and at most <i>c</i> more as
   * chunks run dry; for evenly filled shards mostly none. It reads no more than {@code limit + 1 +
   * c * batch} documents, where a batch is {@code (limit + 1) / c} rounded up, and three more; with
   * one chunk, {@code limit + 1}: the one tells whether there is a next page. Each is one read; an
   * empty query is one read too.
   *
   * @param limit 1 to {@link #MAX_LIMIT}
   */
  public ApiFuture<Page> page(int limit) {
    return read(limit, null);
  }

  /**
   * Reads the page that a token leads to, at the same cost. The limit may change from page to page.
   * A page backwards needs the indexes of the other direction.
   *
   * @param token of a {@link Page} of the same query, from this process or another one
   * @throws UnusableTokenException if it is of another query, or no token; start again at the first
   *     page
   */
  public ApiFuture<Page> page(int limit, String token) {
    return read(limit, tokens.decode(Objects.requireNonNull(token, "token")));
  }

  /**
   * Listens to the first documents. The listener gets a first view once all chunks have answered,
   * then one whenever what it sees has changed, never two at a time, and after an error nothing
   * more: the listener is then removed.
   *
   * <p>Costs {@code chunks * limit} reads to start, then a read per change of any chunk's first
   * documents.
   *
   * @param limit 1 to {@link #MAX_LIMIT}
   * @param executor where the listener is called
   * @return one registration for all; no view is given after its removal, but for one underway
   */
  public ListenerRegistration listen(int limit, Executor executor, EventListener<View> listener) {
    check(limit);
    Objects.requireNonNull(executor, "executor");
    Objects.requireNonNull(listener, "listener");
    return new View.Listening(
            base.chunks(shards, direction),
            Position.order(base.fields().timestamp(), direction),
            limit,
            listener)
        .start(executor);
  }

  /** A page backwards is read in the other direction from where it ends, then turned round. */
  private ApiFuture<Page> read(int limit, @Nullable Token from) {
    check(limit);
    Direction reading = from != null && from.backwards() ? opposite() : direction;
    List<Query> chunks =
        base.chunks(shards, reading).stream()
            .map(chunk -> from == null ? chunk : start(chunk, from.position()))
            .toList();
    // One more than the page has, to see whether there are more.
    Merge<QueryDocumentSnapshot> merge =
        new Merge<>(
            Position.order(base.fields().timestamp(), reading),
            document -> document.getReference().getPath(),
            chunks.size(),
            limit + 1);
    // Within a step, for the calls of a client that has been closed throw.
    return ApiFutures.transform(
        ApiFutures.transformAsync(
            ApiFutures.immediateFuture(new Reader(chunks, merge)),
            Reader::read,
            MoreExecutors.directExecutor()),
        reader -> page(limit, from, reader),
        MoreExecutors.directExecutor());
  }

  private static void check(int limit) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException("limit: expected 1 to " + MAX_LIMIT + "; found " + limit);
    }
  }

  private Direction opposite() {
    return direction == Direction.ASCENDING ? Direction.DESCENDING : Direction.ASCENDING;
  }

  /** A token is no proof that its path is one of this query's. */
  static Query start(Query chunk, Position position) {
    try {
      return position.after(chunk);
    } catch (IllegalArgumentException notInThisCollection) {
      throw Tokens.malformed(position.path());
    }
  }

  private Page page(int limit, @Nullable Token from, Reader reader) {
    List<QueryDocumentSnapshot> documents = new ArrayList<>(reader.merge.merged());
    boolean more = documents.size() > limit;
    if (more) {
      documents.remove(limit);
    }
    boolean backwards = from != null && from.backwards();
    if (backwards) {
      Collections.reverse(documents);
    }
    return new Page(
        documents,
        token(backwards || more, documents, false),
        token(backwards ? more : from != null, documents, true),
        View.instant(reader.readTime),
        reader.documentsRead);
  }

  /** The cursor at an end of the page; an empty page has none. */
  private Optional<String> token(
      boolean leadsOn, List<QueryDocumentSnapshot> documents, boolean backwards) {
    if (!leadsOn || documents.isEmpty()) {
      return Optional.empty();
    }
    QueryDocumentSnapshot end = documents.get(backwards ? 0 : documents.size() - 1);
    Position position = Position.of(end, base.fields().timestamp());
    return Optional.of(tokens.encode(new Token(backwards, position)));
  }

  /** Reads the chunks that have run dry side by side; for one page, one round after the other. */
  private static final class Reader {
    private final List<Query> chunks;
    private final Merge<QueryDocumentSnapshot> merge;
    private Timestamp readTime = Timestamp.MAX_VALUE;
    private int documentsRead;

    /** Each chunk is ordered, and begins where the page starts. */
    Reader(List<Query> chunks, Merge<QueryDocumentSnapshot> merge) {
      this.chunks = new ArrayList<>(chunks);
      this.merge = merge;
    }

    /** At first all are dry; each further round uses up a whole batch, so there are few. */
    ApiFuture<Reader> read() {
      List<Integer> dry = merge.advance();
      if (dry.isEmpty()) {
        return ApiFutures.immediateFuture(this);
      }
      int batch = merge.batch();
      return ApiFutures.transformAsync(
          ApiFutures.allAsList(
              dry.stream().map(chunk -> chunks.get(chunk).limit(batch).get()).toList()),
          answers -> {
            for (int i = 0; i < answers.size(); i++) {
              take(dry.get(i), answers.get(i), batch);
            }
            return read();
          },
          MoreExecutors.directExecutor());
    }

    private void take(int chunk, QuerySnapshot answer, int batch) {
      List<QueryDocumentSnapshot> documents = answer.getDocuments();
      merge.add(chunk, documents, batch);
      documentsRead += documents.size();
      readTime = Collections.min(List.of(readTime, answer.getReadTime()));
      if (!documents.isEmpty()) {
        DocumentSnapshot last = documents.get(documents.size() - 1);
        chunks.set(chunk, chunks.get(chunk).startAfter(last));
      }
    }
  }
}
