package dev.tallyroll.client;

import static dev.tallyroll.client.Waits.get;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counter;
import dev.tallyroll.Counters;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.Total;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import java.util.UUID;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

/** Random creates, increments, resizes, compactions, resets and deletes against a plain long. */
@ExtendWith(SharedCloud.class)
final class PlayIT {
  private static final int STEPS = 200;

  @RepeatedTest(3)
  void anyCalls_countAsAPlainLong(LocalCloud cloud, TestReporter reporter) throws Exception {
    long seed = Seeds.next();
    reporter.publishEntry("seed", Long.toString(seed));
    String id = "play-" + UUID.randomUUID();
    Firestore firestore = Wire.open(cloud);
    try {
      Counter counter = Counters.of(firestore).counter(id);
      play(new Play(seed, counter, Counters.of(firestore).counter(id)), seed);
      assertRolledUp(counter);
    } finally {
      firestore.close();
    }
  }

  private static void play(Play play, long seed) {
    for (int step = 0; step < STEPS; step++) {
      try {
        play.step();
      } catch (Exception | AssertionError failure) {
        throw new AssertionError("seed " + seed + ", after " + play.done(), failure);
      }
    }
  }

  /** The functions come to the same total, or to none if there are no shards. */
  private static void assertRolledUp(Counter counter) throws Exception {
    Total sum = get(counter.sum());
    Waits.until(
        "the roll-up shows " + sum,
        () ->
            get(counter.total()).map(RolledUpTotal::total).orElse(new Total.Whole(0)).equals(sum));
  }
}
