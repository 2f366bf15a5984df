package dev.tallyroll.client;

import static dev.tallyroll.client.Waits.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counter;
import dev.tallyroll.Counters;
import dev.tallyroll.Total;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many named increments over a bad wire, as a caller would send them. */
@ExtendWith(SharedCloud.class)
final class ExactlyOnceIT {
  private static final int INCREMENTS = 1_000;
  private static final double SHARE_LOST = 0.2;
  private static final int THREADS = 16;
  private static final int MOST_CALLS = 20;
  private static final List<Status> LOSSES =
      List.of(
          Status.UNAVAILABLE, Status.RESOURCE_EXHAUSTED, Status.DEADLINE_EXCEEDED, Status.ABORTED);

  @Test
  void namedIncrements_countExactlyDespiteLostReplies(LocalCloud cloud, TestReporter reporter)
      throws Exception {
    long seed = Seeds.next();
    reporter.publishEntry("seed", Long.toString(seed));
    LostReplies wire = new LostReplies();
    Firestore firestore = Wire.open(cloud, wire);
    try {
      Counter counter = Counters.of(firestore).counter("once-" + UUID.randomUUID());
      get(counter.create(10));
      Random random = new Random(seed);
      wire.decide(() -> loss(random));

      incrementAll(counter);
      assertThat(wire.lost()).as("lost replies, seed %d", seed).isGreaterThan(100);
      wire.decide(Optional::empty);

      assertThat(get(counter.sum())).as("seed %d", seed).isEqualTo(new Total.Whole(INCREMENTS));
    } finally {
      firestore.close();
    }
  }

  private static synchronized Optional<Status> loss(Random random) {
    return random.nextDouble() < SHARE_LOST
        ? Optional.of(LOSSES.get(random.nextInt(LOSSES.size())))
        : Optional.empty();
  }

  private static void incrementAll(Counter counter) throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<Void>> increments = new ArrayList<>();
      for (int i = 0; i < INCREMENTS; i++) {
        String name = "order-" + i;
        increments.add(() -> increment(counter, name));
      }
      for (Future<Void> increment : callers.invokeAll(increments)) {
        increment.get();
      }
    } finally {
      callers.shutdownNow();
    }
  }

  @SuppressWarnings("NullAway") // null is the only Void there is
  private static Void increment(Counter counter, String name) throws Exception {
    for (int call = 1; call <= MOST_CALLS; call++) {
      try {
        get(counter.addOnce(name, 1));
        return null;
      } catch (ExecutionException unknown) {
        // Whether it was counted is unknown: so call again, with the same name.
        assertThat(unknown).hasMessageContaining("reply lost by the test");
      }
    }
    throw new AssertionError("expected " + name + " to be counted in " + MOST_CALLS + " calls");
  }
}
