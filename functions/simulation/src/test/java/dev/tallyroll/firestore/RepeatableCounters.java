package dev.tallyroll.firestore;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counters;
import java.time.InstantSource;
import java.util.function.IntUnaryOperator;

/** Makes counters whose clock and choice of shards a test decides, so that runs repeat. */
public final class RepeatableCounters {
  private RepeatableCounters() {}

  /** Counters that choose shards by {@code random}, which gives a number below another. */
  public static Counters of(Firestore firestore, InstantSource clock, IntUnaryOperator random) {
    return FirestoreCounters.of(firestore, CounterOptions.DEFAULT, clock, random);
  }
}
