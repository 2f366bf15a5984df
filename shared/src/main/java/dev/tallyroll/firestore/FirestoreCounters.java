package dev.tallyroll.firestore;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.CounterPath;
import java.time.InstantSource;

/**
 * What all counters of a database share: the client, the options, and what is remembered. Safe for
 * use by many threads.
 */
public final class FirestoreCounters {
  private final Firestore firestore;
  private final CounterOptions options;
  private final InstantSource clock;
  private final KnownShards known;

  /** Makes no call. The clock says when names expire and for how long a number is remembered. */
  public FirestoreCounters(Firestore firestore, CounterOptions options, InstantSource clock) {
    this.firestore = firestore;
    this.options = options;
    this.clock = clock;
    this.known =
        new KnownShards(
            clock,
            counter ->
                Steps.then(
                    CounterHead.read(new CounterDocuments(firestore, options, counter)),
                    CounterHead::shards));
  }

  /** The calls of one counter. */
  public FirestoreCounter counter(CounterPath path) {
    return new FirestoreCounter(new CounterDocuments(firestore, options, path), known, clock);
  }
}
