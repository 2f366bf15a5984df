package dev.tallyroll.protocol;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Sum.Cause;
import dev.tallyroll.internal.Times;
import dev.tallyroll.protocol.Journal.Severity;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The settings with which totals were made, in a document of ours. With other settings, a sweep
 * would replace every total by the sum of another field, and a sum over no shard does not mean that
 * the counter was deleted.
 *
 * <p>Only a sum that has found a shard with the count field creates the document, and nothing of
 * ours changes it: who wants other settings deletes it. It is read for each removal of a total and
 * for each sweep, and never remembered, since an old instance may be at work beside a new one.
 */
public final class ConfirmedSettings {
  /** The mark: the layout's pattern of counters. */
  private static final String COUNTERS = "counters";

  /** The names of the document's fields. */
  public static final Set<String> FIELDS = fields(Layout.DEFAULT).keySet();

  /** The pause after the document could not be created. */
  private static final Duration PAUSE = Duration.ofMinutes(1);

  private final Documents documents;
  private final Layout layout;
  private final InstantSource clock;

  /** Whether the document was there when this instance looked last. */
  private boolean isThere;

  private Instant notBefore = Times.LONG_AGO;

  /** A document in the collection of a counter's shards. */
  public enum Found {
    /** There is none. */
    NOTHING,
    /** One has the count field. */
    SHARD,
    /** One lacks the field. */
    OTHER
  }

  /** The calls of Firestore for the shards and for the document. */
  public interface Documents {
    /** Sums the shards, as {@link RollupStore#quickSum}. */
    CompletableFuture<Sum> quickSum(Located counter);

    /** Reads the first document in the collection of the counter's shards. Costs one read. */
    CompletableFuture<Found> findShard(Located counter);

    /** The fields of the document; empty if it is missing. Costs one read. */
    CompletableFuture<Optional<Map<String, Object>>> settings(Layout layout);

    /** Creates the document, unless it is there. Costs one write. */
    CompletableFuture<Void> createSettings(Layout layout, Map<String, Object> fields);
  }

  /**
   * @param layout where the counters are
   */
  public ConfirmedSettings(Documents documents, Layout layout, InstantSource clock) {
    this.documents = documents;
    this.layout = layout;
    this.clock = clock;
  }

  /**
   * Judges a sum that was just read.
   *
   * <p>A sum over no shard means that the counter was deleted only if two reads after it agree: no
   * document is in the collection of its shards, and these settings are those of the document.
   * Costs one read or both. If a shard has come since the sum, sums again.
   *
   * @return the sum, with a doubt if it does not mean that; fails if a read fails
   */
  public CompletableFuture<Sum> judge(Located counter, Sum sum) {
    if (sum.shards() > 0) {
      return CompletableFuture.completedFuture(seen(sum));
    }
    return documents
        .findShard(counter)
        .thenCompose(
            found ->
                switch (found) {
                  case NOTHING -> documents.settings(layout).thenApply(own -> judge(sum, own));
                  case SHARD ->
                      documents.quickSum(counter).thenCompose(again -> judge(counter, again));
                  case OTHER -> CompletableFuture.completedFuture(sum.doubted(Cause.NO_FIELD, ""));
                });
  }

  private Sum judge(Sum sum, Optional<Map<String, Object>> found) {
    isThere = found.isPresent();
    return found.filter(this::equalsOurs).isPresent()
        ? sum
        : sum.doubted(Cause.SETTINGS, found.map(this::describe).orElse("no document"));
  }

  private boolean equalsOurs(Map<String, Object> found) {
    return fields(layout).entrySet().stream()
        .allMatch(own -> own.getValue().equals(found.get(own.getKey())));
  }

  /** Names our fields only: others may be large. */
  private String describe(Map<String, Object> found) {
    Map<String, Object> known = new TreeMap<>(fields(layout));
    known.keySet().retainAll(found.keySet());
    known.replaceAll((name, own) -> found.get(name) instanceof String it ? it : "no text");
    return known.toString();
  }

  /**
   * Creates the document if a sum has found a shard, and this instance does not know that the
   * document is there. Nobody waits for that, and a total is shown even if it fails.
   */
  public Sum seen(Sum sum) {
    if (sum.shards() > 0 && !isThere && !clock.instant().isBefore(notBefore)) {
      create();
    }
    return sum;
  }

  private void create() {
    isThere = true;
    var unused =
        documents
            .createSettings(layout, Map.copyOf(fields(layout)))
            .exceptionally(
                failure -> {
                  isThere = false;
                  notBefore = clock.instant().plus(PAUSE);
                  return null;
                });
  }

  /** Whether a sweep may correct totals; reports settings that differ. Costs one read. */
  public CompletableFuture<Boolean> allowSweeps(Journal journal) {
    return documents.settings(layout).thenApply(found -> allowSweeps(found, journal));
  }

  /** As above, of the document's fields. If it is missing, or foreign, no setting differs. */
  public boolean allowSweeps(Optional<Map<String, Object>> found, Journal journal) {
    isThere = found.isPresent();
    Map<String, String> own = new TreeMap<>(layout.settings());
    Map<String, String> confirmed = new TreeMap<>(own);
    found
        .filter(fields -> layout.counters().equals(fields.get(COUNTERS)))
        .ifPresent(
            fields ->
                confirmed.replaceAll(
                    (name, same) -> fields.get(field(name)) instanceof String it ? it : same));
    if (!confirmed.equals(own)) {
      journal.write(
          Severity.ERROR,
          "totals were made with other settings, so nothing is swept: set those, or confirm these:"
              + " delete the document",
          Map.of(
              "document", layout.settingsDocument(),
              "expected", confirmed.toString(),
              "found", own.toString()));
    }
    return confirmed.equals(own);
  }

  /** The fields of the document. */
  static Map<String, String> fields(Layout layout) {
    Map<String, String> fields = new TreeMap<>();
    fields.put(COUNTERS, layout.counters());
    layout.settings().forEach((name, value) -> fields.put(field(name), value));
    return fields;
  }

  private static String field(String setting) {
    return setting.toLowerCase(Locale.ROOT);
  }
}
