package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Recent;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Writes each total into a field of the counter's own document as well, in the same commit as its
 * roll-up: so the field is as exact, and never goes back. The document is the app's: this never
 * creates it, and a counter without a document has only a roll-up.
 *
 * <p>Firestore refuses the commit if the roll-up has changed, and also if the document is missing.
 * Then a read tells whether the document is missing, which is remembered for a minute. If a
 * document is created later, the sweep writes its field.
 */
public final class TotalField {
  private static final Duration BELIEVED = Duration.ofMinutes(1);
  private static final int CAPACITY = 10_000;

  private final InstantSource clock;

  /** Until when a counter's document is believed to be missing. */
  private final Map<CounterPath, Instant> missing = Recent.entries(CAPACITY);

  /** The calls of Firestore for counters' documents. */
  public interface Documents {
    /**
     * Writes as {@link RollupStore#write}.
     *
     * @param shown whether to write the total into the counter's document too, which costs one
     *     write more; the commit is then refused if there is no such document
     */
    CompletableFuture<Optional<Instant>> commit(CounterPath counter, Change change, boolean shown);

    /** Whether the counter's document is there. Costs one read. */
    CompletableFuture<Boolean> hasDocument(CounterPath counter);
  }

  public TotalField(InstantSource clock) {
    this.clock = clock;
  }

  /** Writes a roll-up, and the total into the counter's document if it is there. */
  public CompletableFuture<Optional<Instant>> write(
      Documents documents, CounterPath counter, Change change) {
    if (change.sum().isEmpty() || isMissing(counter)) {
      return documents.commit(counter, change, /* shown= */ false);
    }
    return documents
        .commit(counter, change, /* shown= */ true)
        .thenCompose(
            applied ->
                applied.isPresent()
                    ? CompletableFuture.completedFuture(applied)
                    : refused(documents, counter, change));
  }

  private boolean isMissing(CounterPath counter) {
    return clock.instant().isBefore(missing.getOrDefault(counter, Instant.MIN));
  }

  private CompletableFuture<Optional<Instant>> refused(
      Documents documents, CounterPath counter, Change change) {
    return documents
        .hasDocument(counter)
        .thenCompose(
            there -> {
              if (there) {
                return CompletableFuture.completedFuture(Optional.empty());
              }
              missing.put(counter, clock.instant().plus(BELIEVED));
              return documents.commit(counter, change, /* shown= */ false);
            });
  }
}
