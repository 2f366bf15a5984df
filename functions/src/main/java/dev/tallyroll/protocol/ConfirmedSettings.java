package dev.tallyroll.protocol;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Sum.Cause;
import dev.tallyroll.internal.Sum.Remains;
import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.Journal.Severity;
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
 * The settings with which totals were made, in a document of ours. With other settings, each event
 * would replace a total by another sum, and a sum over no shard would not mean that the counter was
 * deleted. So an instance whose settings differ writes nothing at all.
 *
 * <p>Only a sum that has found a shard with the count field creates the document, and its total
 * waits for that. {@code deploy} replaces it, when an operator has said so; so it is read again
 * each minute, before each page of a sweep, and for each removal of a total.
 *
 * <p>Not thread-safe: for the event loop only.
 */
public final class ConfirmedSettings {
  /** The mark: the layout's pattern of counters. */
  private static final String COUNTERS = "counters";

  /** The names of the document's fields. */
  public static final Set<String> FIELDS = fields(Layout.DEFAULT).keySet();

  /** For this time, what was read is believed. */
  private static final Duration BELIEVED = Duration.ofMinutes(1);

  /** As long as settings differ, they are read again so often, if anybody asks. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private static final Duration SILENCE = Duration.ofMinutes(1);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final Documents documents;
  private final Layout layout;
  private final boolean showsFields;
  private final InstantSource clock;

  private State state = State.UNKNOWN;
  private Instant readAt = Times.LONG_AGO;
  private Instant reportedAt = Times.LONG_AGO;
  private CompletableFuture<Void> creating = DONE;

  /** Those who ask at the same time share a read. */
  private CompletableFuture<Boolean> asking = CompletableFuture.completedFuture(true);

  /** The document, as it was read last. */
  private enum State {
    UNKNOWN,
    ABSENT,
    SAME,
    /** Other settings; or a document of others. */
    DIFFERENT
  }

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
    /** Sums the shards, as {@link ShardSummer#sum}. */
    CompletableFuture<Sum> sum(Located counter);

    /** Reads the first document in the collection of the counter's shards. Costs one read. */
    CompletableFuture<Found> findShard(Located counter);

    /** Whether the counter's own document is there. Costs one read. */
    CompletableFuture<Boolean> isThere(Located counter);

    /** The fields of the document; empty if it is missing. Costs one read. */
    CompletableFuture<Optional<Map<String, Object>>> settings(Layout layout);

    /** Creates the document, unless it is there. Costs one write. */
    CompletableFuture<Void> createSettings(Layout layout, Map<String, Object> fields);
  }

  /**
   * @param layout where the counters are
   * @param showsFields whether fields of counters' own documents show their figures
   */
  public ConfirmedSettings(
      Documents documents, Layout layout, boolean showsFields, InstantSource clock) {
    this.documents = documents;
    this.layout = layout;
    this.showsFields = showsFields;
    this.clock = clock;
  }

  /**
   * Whether this instance may write: whether the settings are the same, or the document is not
   * there. Costs a read if none was made within a minute; or, as long as they differ, within a
   * second. Fails if that fails.
   */
  public CompletableFuture<Boolean> agree(Journal journal) {
    Duration most = state == State.DIFFERENT ? PAUSE : BELIEVED;
    if (clock.instant().isBefore(readAt.plus(most))) {
      return CompletableFuture.completedFuture(state != State.DIFFERENT);
    }
    if (asking.isDone()) {
      asking = agreeNow(journal);
    }
    return asking;
  }

  /** As above, by a read that begins now. */
  public CompletableFuture<Boolean> agreeNow(Journal journal) {
    return read().thenApply(found -> judge(found, journal));
  }

  /** As above, of the document that was just read; empty if it is missing. */
  public boolean agree(Optional<Map<String, Object>> found, Journal journal) {
    learn(found, clock.instant());
    return judge(found, journal);
  }

  private boolean judge(Optional<Map<String, Object>> found, Journal journal) {
    if (state == State.DIFFERENT) {
      report(found, journal);
    }
    return state != State.DIFFERENT;
  }

  private CompletableFuture<Optional<Map<String, Object>>> read() {
    Instant begun = clock.instant();
    return documents
        .settings(layout)
        .thenApply(
            found -> {
              learn(found, begun);
              return found;
            });
  }

  /** The answer may be old: it is believed from the call on. */
  private void learn(Optional<Map<String, Object>> found, Instant begun) {
    readAt = begun;
    state =
        found.map(fields -> equalsOurs(fields) ? State.SAME : State.DIFFERENT).orElse(State.ABSENT);
  }

  private void report(Optional<Map<String, Object>> found, Journal journal) {
    if (clock.instant().isBefore(reportedAt.plus(SILENCE))) {
      return;
    }
    reportedAt = clock.instant();
    journal.write(
        Severity.ERROR,
        "totals were made with other settings, so this instance writes nothing: set those, or let"
            + " deploy confirm these",
        Map.of(
            "document", layout.settingsDocument(),
            "expected", found.map(this::describe).orElse("no document"),
            "found", fields(layout).toString()));
  }

  /**
   * Judges a sum that was just read.
   *
   * <p>A sum over no shard means that the counter was deleted only if two reads after it agree: no
   * document is in the collection of its shards, and these settings are those of the document.
   * Costs both reads. If a shard has come since the sum, sums again.
   *
   * <p>Where fields of counters' own documents show figures, one read more tells whether that
   * document is there: then the total is 0. So it is, too, if documents in the collection lack what
   * is counted.
   *
   * @return the sum, with a doubt if it does not mean that; fails if a read fails
   */
  public CompletableFuture<Sum> judge(Located counter, Sum sum) {
    return sum.shards() > 0
        ? confirm(sum)
        : remains(counter).thenCompose(found -> judgeEmpty(counter, sum.over(found)));
  }

  /**
   * As above, of a counter whose total is over no shard already. As long as its own document is
   * there, nothing else is read.
   */
  public CompletableFuture<Sum> judgeEmptied(Located counter, Sum sum) {
    return sum.shards() > 0
        ? confirm(sum)
        : remains(counter)
            .thenCompose(
                found ->
                    found == Remains.NOTHING
                        ? judgeEmpty(counter, sum)
                        : CompletableFuture.completedFuture(sum.over(found)));
  }

  private CompletableFuture<Remains> remains(Located counter) {
    return showsFields
        ? documents
            .isThere(counter)
            .thenApply(isThere -> isThere ? Remains.OWN_DOCUMENT : Remains.NOTHING)
        : CompletableFuture.completedFuture(Remains.NOTHING);
  }

  private CompletableFuture<Sum> judgeEmpty(Located counter, Sum sum) {
    return documents
        .findShard(counter)
        .thenCompose(
            found ->
                switch (found) {
                  case NOTHING -> read().thenApply(own -> judge(sum, own));
                  case SHARD -> documents.sum(counter).thenCompose(again -> judge(counter, again));
                  case OTHER -> read().thenApply(own -> judgeUncounted(sum, own));
                });
  }

  /** Without confirmed settings, nobody has ever found the field: it may be forgotten, or wrong. */
  private Sum judgeUncounted(Sum sum, Optional<Map<String, Object>> found) {
    boolean isConfirmed = showsFields && state == State.SAME;
    return isConfirmed || state == State.DIFFERENT
        ? judge(sum.over(Remains.UNCOUNTED), found)
        : sum.doubted(Cause.NO_FIELD, "");
  }

  private Sum judge(Sum sum, Optional<Map<String, Object>> found) {
    return switch (state) {
      case SAME -> sum;
      case DIFFERENT ->
          sum.doubted(Cause.OTHER_SETTINGS, found.map(this::describe).orElse("no document"));
      default -> sum.doubted(Cause.NO_SETTINGS, "no document");
    };
  }

  private boolean equalsOurs(Map<String, Object> found) {
    return found.get(COUNTERS) instanceof String pattern
        && layout.isOfSameCounters(pattern)
        && layout.settings().entrySet().stream()
            .allMatch(own -> own.getValue().equals(found.get(field(own.getKey()))));
  }

  /** Names our fields only: others may be large. */
  private String describe(Map<String, Object> found) {
    Map<String, Object> known = new TreeMap<>(fields(layout));
    known.keySet().retainAll(found.keySet());
    known.replaceAll((name, own) -> found.get(name) instanceof String it ? it : "no text");
    return known.toString();
  }

  /**
   * Creates the document if a sum has found a shard and the document is not there, and reads what
   * is there then. Costs a write and a read, once.
   *
   * @return the sum, with a doubt if another instance has created the document with other settings;
   *     fails if a call fails
   */
  public CompletableFuture<Sum> confirm(Sum sum) {
    if (sum.shards() == 0 || state == State.SAME) {
      return CompletableFuture.completedFuture(sum);
    }
    if (state == State.DIFFERENT) {
      return CompletableFuture.completedFuture(sum.doubted(Cause.OTHER_SETTINGS, "other settings"));
    }
    if (creating.isDone()) {
      creating =
          documents
              .createSettings(layout, Map.copyOf(fields(layout)))
              .thenCompose(none -> read())
              .thenAccept(found -> {});
    }
    return creating.thenCompose(
        none ->
            state == State.ABSENT
                ? CompletableFuture.failedFuture(
                    new IllegalStateException(layout.settingsDocument() + " was removed"))
                : confirm(sum));
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
