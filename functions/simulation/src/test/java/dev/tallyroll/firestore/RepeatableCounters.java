package dev.tallyroll.firestore;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counters;
import dev.tallyroll.firestore.Client.Draws;
import java.time.InstantSource;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** Makes counters whose clock, shards and names a test decides, so that runs repeat. */
public final class RepeatableCounters {
  private RepeatableCounters() {}

  /**
   * Counters of one client.
   *
   * @param random gives a number below another, to choose shards by
   * @param names gives names that nothing else has
   */
  public static Counters of(
      Firestore firestore, InstantSource clock, IntUnaryOperator random, Supplier<String> names) {
    return FirestoreCounters.of(firestore, CounterOptions.DEFAULT, clock, new Draws(random, names));
  }
}
