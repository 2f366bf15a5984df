package dev.tallyroll.library;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import dev.tallyroll.BufferObserver;
import dev.tallyroll.BufferOptions;
import dev.tallyroll.BufferedCounter;
import dev.tallyroll.BufferedCounters;
import dev.tallyroll.Counter;
import dev.tallyroll.Total;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.LocalCloud;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Buffered counters on Firestore, also while replies of commits that take effect are lost. */
@On(Site.SHARED)
@Tag("core")
final class BufferedIT {
  private static final int THREADS = 4;
  private static final int ADDS = 5_000;

  /** On a busy machine, the emulator aborts a commit that waits two seconds for its shard. */
  private static final int MANY_SHARDS = 200;

  private final TestClient client;
  private final ObservedCalls wire;
  private final BufferOptions.Builder options =
      BufferOptions.builder().maxDelay(Duration.ofMillis(50));

  BufferedIT(LocalCloud cloud) {
    client = new TestClient(cloud);
    wire = client.calls();
  }

  @AfterEach
  void close() {
    client.close();
  }

  private BufferedCounters open() {
    return FirestoreCounters.of(client.firestore(), TestClient.UNWATCHED).buffered(options.build());
  }

  /** Deltas rise, so that a sum of others cannot be right by chance. */
  @Test
  void parallelAdds_addUpInFewCommits() throws Exception {
    Counter counter = client.created(MANY_SHARDS);
    AtomicLong flushed = new AtomicLong();
    AtomicInteger commits = new AtomicInteger();
    options
        .maxPending(1_000)
        .observer(
            new BufferObserver() {
              @Override
              public void flushed(int adds, Duration took) {
                flushed.addAndGet(adds);
                commits.incrementAndGet();
              }
            });
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (BufferedCounters buffered = open()) {
      List<Future<?>> done = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        done.add(
            threads.submit(
                () -> {
                  BufferedCounter one = buffered.counter(counter.path());
                  List<ApiFuture<Instant>> adds = new ArrayList<>();
                  for (int delta = 1; delta <= ADDS; delta++) {
                    adds.add(one.add(delta));
                  }
                  for (ApiFuture<Instant> add : adds) {
                    get(add);
                  }
                  return adds;
                }));
      }
      for (Future<?> thread : done) {
        get(thread);
      }
    } finally {
      threads.shutdownNow();
    }

    long sum = THREADS * ADDS * (ADDS + 1L) / 2;
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(sum));
    assertThat(flushed.get()).isEqualTo(THREADS * ADDS);
    assertThat(client.bill().writes()).isEqualTo(commits.get()).isLessThan(THREADS * ADDS / 100);
  }

  @Test
  void exactlyOnce_countsManyExactlyWhileRepliesAreLost() throws Exception {
    Counter counter = client.created(3);
    options.exactlyOnce(true).maxPending(10).closeTimeout(Duration.ofMinutes(1));
    Random random = new Random(1);
    wire.decide(
        () ->
            random.nextInt(10) == 0
                ? Optional.of(LostRepliesIT.CODES.get(random.nextInt(4)).toStatus())
                : Optional.empty());
    List<ApiFuture<Instant>> adds = new ArrayList<>();
    try (BufferedCounters buffered = open()) {
      for (int i = 0; i < 1_000; i++) {
        adds.add(buffered.counter(counter.path()).add(1));
      }
    }

    assertThat(wire.lost()).isPositive();
    wire.decide(Optional::empty);
    for (ApiFuture<Instant> add : adds) {
      get(add);
    }
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(adds.size()));
  }
}
