package dev.tallyroll;

import com.google.cloud.firestore.Firestore;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The counters of one Firestore database. Make one and keep it: it remembers each counter's number
 * of shards for a minute, so that an increment needs no read. Safe for use by many threads.
 *
 * <pre>{@code
 * Counters counters = Counters.of(firestore);
 * Counter likes = counters.counter("likes");
 * likes.create(10).get();
 * likes.add(1).get();
 * likes.total().get().ifPresent(rollup -> show(rollup.total()));
 * }</pre>
 *
 * <p>Nothing here is closed: the Firestore client stays the caller's.
 */
public final class Counters {
  private final FirestoreCounters stored;

  private Counters(FirestoreCounters stored) {
    this.stored = stored;
  }

  /** Counters with {@link CounterOptions#DEFAULT}; no Firestore operation. */
  public static Counters of(Firestore firestore) {
    return of(firestore, CounterOptions.DEFAULT);
  }

  /** Counters that are laid out in another way; no Firestore operation. */
  public static Counters of(Firestore firestore, CounterOptions options) {
    return new Counters(
        new FirestoreCounters(
            firestore,
            options,
            InstantSource.system(),
            shards -> ThreadLocalRandom.current().nextInt(shards)));
  }

  /**
   * A handle of the counter at the root of the database; no Firestore operation.
   *
   * @throws IllegalArgumentException if Firestore would refuse the id
   */
  public Counter counter(String id) {
    return counter(CounterPath.of(id));
  }

  /** A handle of a counter that may be nested in a document; no Firestore operation. */
  public Counter counter(CounterPath path) {
    return new Counter(path, stored.counter(path));
  }
}
