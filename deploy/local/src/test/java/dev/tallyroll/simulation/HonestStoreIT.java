package dev.tallyroll.simulation;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.SumMode;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import dev.tallyroll.protocol.ThreadEventLoop;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The simulated store answers random calls as the official emulator does, so what the simulation
 * finds of the protocol holds there too. Replay one seed with {@code -Dtallyroll.seed=SEED}.
 */
@ExtendWith(SharedCloud.class)
final class HonestStoreIT {
  private static final long SEEDS = 200;
  private static final int CALLS = 30;
  private static final int THREADS = 8;
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final Firestore firestore;

  HonestStoreIT(LocalCloud cloud) {
    firestore = cloud.openFirestore();
  }

  @Test
  void randomCalls_areAnsweredAsByTheEmulator() throws Exception {
    try {
      List<Callable<Void>> plays = new ArrayList<>();
      seeds().forEach(seed -> plays.add(() -> compare(seed)));
      for (Future<Void> play : threads.invokeAll(plays, LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        play.get();
      }
    } finally {
      threads.shutdownNow();
      firestore.close();
    }
  }

  private static LongStream seeds() {
    Long seed = Long.getLong("tallyroll.seed");
    return seed == null ? LongStream.rangeClosed(1, SEEDS) : LongStream.of(seed);
  }

  private Void compare(long seed) throws Exception {
    SumMode mode = seed % 2 == 0 ? SumMode.AGGREGATE : SumMode.DOCUMENTS;
    try (var loop = new ThreadEventLoop("honest-" + seed, InstantSource.system());
        var simulated = Sides.simulated(seed);
        var emulated = Sides.emulated(firestore, mode, loop)) {
      compare(seed, new Comparison(simulated, emulated));
    }
    return null;
  }

  private static void compare(long seed, Comparison comparison) {
    try {
      comparison.run(new RandomCalls(seed), CALLS);
    } catch (Exception | AssertionError failure) {
      throw new AssertionError(
          "seed=%d: %s\nafter:\n%s"
              .formatted(seed, failure.getMessage(), String.join("\n", comparison.done())),
          failure);
    }
  }
}
