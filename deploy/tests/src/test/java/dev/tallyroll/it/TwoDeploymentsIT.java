package dev.tallyroll.it;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.functions.ThreadEventLoop;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.Runs;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.protocol.Timing;
import dev.tallyroll.protocol.WakeUps;
import dev.tallyroll.store.Calls;
import dev.tallyroll.store.FirestoreStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Two deployments on one database. Their counters are in different collections, their roll-ups in
 * the same. The first is that of the cloud; the functions' code of the second runs in this process.
 */
@On(Site.LONE)
@Order(1) // Tests on this site wait for each other.
final class TwoDeploymentsIT {
  private static final Timing TIMING =
      new Timing(Duration.ofMillis(500), Duration.ofMillis(1_500), Duration.ofSeconds(2), 5);
  private static final RunSettings RUN =
      new RunSettings(
          TIMING,
          /* workers= */ 1,
          Duration.ofSeconds(70),
          Duration.ofSeconds(1),
          Duration.ofMinutes(1),
          /* sweepCounters= */ 10_000);

  private static final Journal NO_JOURNAL = (severity, message, fields) -> {};

  private final TestCloud cloud;
  private final Layout polls =
      new Layout("{parent=**}/polls", "shards", "rollups", "rollup_runs", "Count");
  private final ThreadEventLoop loop = new ThreadEventLoop("second", InstantSource.system());
  private final WakeUps noWakeUps = liveId -> CompletableFuture.completedFuture(null);
  private final FirestoreStore store;
  private final ShardWrites handler;
  private final Runs runs;

  TwoDeploymentsIT(TestCloud cloud) {
    this.cloud = cloud;
    Calls calls = new Calls(loop, /* most= */ 100);
    this.store = new FirestoreStore(cloud.firestore(), polls, SumMode.AGGREGATE, calls);
    this.handler = new ShardWrites(store, noWakeUps, NO_JOURNAL, loop, TIMING);
    this.runs = new Runs(store, store.runs(), Optional.empty(), noWakeUps, NO_JOURNAL, loop, RUN);
  }

  @AfterEach
  void close() {
    loop.close();
  }

  @Test
  void each_keepsItsOwnTotalsOnly() throws Exception {
    var likes = cloud.counter();
    var poll =
        new Counter(
            cloud.firestore(), polls, CounterPath.of("poll-" + UUID.randomUUID()), () -> {});
    var sameName = new Counter(cloud.firestore(), polls, likes.path(), () -> {});
    likes.increment(0, 1);
    likes.awaitTotal(1L);

    for (int i = 0; i < 10; i++) {
      likes.increment(i % 3, 1);
      write(poll, i % 3);
      write(sameName, i % 3);
    }
    play(() -> runs.scheduled(0));
    sweep();
    cloud.settleAll();
    cloud.local().sweep();
    cloud.settleAll();
    play(() -> runs.scheduled(0));
    sweep();

    likes.awaitSettled(11L);
    assertThat(likes.fields()).containsEntry("counter", "counters/" + likes.path().id());
    poll.awaitSettled(10L);
    assertThat(poll.fields()).containsEntry("counter", "polls/" + poll.path().id());
  }

  /** Writes a shard, and tells the second deployment's handler, as its trigger would. */
  private void write(Counter counter, int shard) throws Exception {
    Instant committed =
        get(counter.incrementLater(shard)).getUpdateTime().toSqlTimestamp().toInstant();
    play(() -> handler.written(counter.path(), Optional.of(committed)));
  }

  private void sweep() throws Exception {
    Sweep sweep = new Sweep(store, Optional.empty(), store.runs(), NO_JOURNAL, loop, RUN);
    play(sweep::run);
  }

  private <T> void play(Supplier<CompletableFuture<T>> work) throws Exception {
    get(CompletableFuture.completedFuture(null).thenComposeAsync(none -> work.get(), loop));
  }
}
