package dev.tallyroll;

import com.google.cloud.firestore.Firestore;
import java.time.InstantSource;
import java.util.function.IntUnaryOperator;

/**
 * What all counters of a database share: the client, the options, and what is remembered. Safe for
 * use by many threads.
 */
public final class FirestoreCounters {
  private final Firestore firestore;
  private final CounterOptions options;
  private final InstantSource clock;
  private final IntUnaryOperator random;
  private final KnownShards known;

  /**
   * Makes no call.
   *
   * @param clock says when names expire and for how long a number is remembered
   * @param random gives a number below another, to choose shards by
   */
  public FirestoreCounters(
      Firestore firestore, CounterOptions options, InstantSource clock, IntUnaryOperator random) {
    this.firestore = firestore;
    this.options = options;
    this.clock = clock;
    this.random = random;
    this.known =
        new KnownShards(
            clock,
            counter -> Steps.then(CounterHead.read(documents(counter)), CounterHead::shards));
  }

  /** The calls of one counter. */
  public FirestoreCounter counter(CounterPath path) {
    return new FirestoreCounter(documents(path), known, clock);
  }

  private CounterDocuments documents(CounterPath path) {
    return new CounterDocuments(firestore, options, path, random);
  }
}
