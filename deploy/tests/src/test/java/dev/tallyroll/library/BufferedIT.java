package dev.tallyroll.library;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.cloud.Timestamp;
import dev.tallyroll.BufferObserver;
import dev.tallyroll.BufferOptions;
import dev.tallyroll.BufferedCounter;
import dev.tallyroll.BufferedCounters;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.Total;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.LocalCloud;
import io.grpc.Status.Code;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Buffered counters on Firestore, also while replies of commits that take effect are lost. */
@On(Site.SHARED)
final class BufferedIT {
  private static final int THREADS = 4;
  private static final int ADDS = 5_000;

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
    Counter counter = client.created(3);
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
  void lostReply_failsAllAddsOfTheCommitAndSaysThatTheyMayHaveCounted() throws Exception {
    Counter counter = client.created(1);
    try (BufferedCounters buffered = open()) {
      wire.loseNext(1, Code.DEADLINE_EXCEEDED);
      ApiFuture<Instant> one = buffered.counter(counter.path()).add(1);
      ApiFuture<Instant> other = buffered.counter(counter.path()).add(1);

      for (ApiFuture<Instant> add : List.of(one, other)) {
        assertThatThrownBy(() -> get(add))
            .hasCauseInstanceOf(CounterException.Unsure.class)
            .hasMessageContainingAll("2 adds", "reply lost", "may or may not have counted");
      }
      assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(2));
    }
  }

  static List<Arguments> losses() {
    return LostRepliesIT.losses().toList();
  }

  @ParameterizedTest
  @MethodSource("losses")
  void exactlyOnce_countsOnceAndKnowsWhen(Code code, int times) throws Exception {
    Counter counter = client.created(3);
    wire.loseNext(times, code);
    try (BufferedCounters buffered = exactlyOnce()) {
      Instant committed = get(buffered.counter(counter.path()).add(7));

      assertThat(wire.lost()).isEqualTo(times);
      assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(7));
      Timestamp named =
          get(client.document(counter).collection("increment_names").get())
              .getDocuments()
              .get(0)
              .getCreateTime();
      assertThat(committed).isEqualTo(named.toSqlTimestamp().toInstant());
    }
  }

  private BufferedCounters exactlyOnce() {
    options.exactlyOnce(true);
    return open();
  }

  @Test
  void exactlyOnce_countsManyExactlyWhileRepliesAreLost() throws Exception {
    Counter counter = client.created(3);
    options.maxPending(10).closeTimeout(Duration.ofMinutes(1));
    Random random = new Random(1);
    wire.decide(
        () ->
            random.nextInt(10) == 0
                ? Optional.of(LostRepliesIT.CODES.get(random.nextInt(4)).toStatus())
                : Optional.empty());
    List<ApiFuture<Instant>> adds = new ArrayList<>();
    try (BufferedCounters buffered = exactlyOnce()) {
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

  @Test
  void closedClient_failsTheFutureAndNotTheClose() throws Exception {
    Counter counter = client.created(1);
    BufferedCounters buffered = open();
    client.firestore().close();

    ApiFuture<Instant> add = buffered.counter(counter.path()).add(1);
    buffered.close();

    assertThatThrownBy(() -> get(add)).hasRootCauseInstanceOf(IllegalStateException.class);
  }
}
