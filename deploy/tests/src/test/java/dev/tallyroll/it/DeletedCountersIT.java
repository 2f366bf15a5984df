package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.platform.ThreadEventLoop;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.RollUpTasks;
import dev.tallyroll.protocol.ShardWrite;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.runs.Ending;
import dev.tallyroll.runs.Pass;
import dev.tallyroll.runs.PassKind;
import dev.tallyroll.runs.Runs;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.StructuredLog.Severity;
import dev.tallyroll.runs.WakeUps;
import dev.tallyroll.store.FirestoreStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A counter has gone if no document is in its shards' collection, whatever else is below its
 * document, and if the totals were made with the functions' own settings. The functions' code runs
 * in this process, with collections of its own.
 */
@On(Site.SHARED)
@Tag("core")
final class DeletedCountersIT {
  private final Layout layout = TestCloud.unwatchedLayout();
  private final Layout polled = layout.in("polled-" + UUID.randomUUID());
  private final Firestore firestore;
  private final String deployment = TestCloud.newDeployment();
  private final ThreadEventLoop loop = new ThreadEventLoop("deleted", InstantSource.system());
  private final Calls calls = new Calls(loop, /* most= */ 100);
  private final WakeUps noWakeUps = worker -> CompletableFuture.completedFuture(null);
  private final List<Map<String, ?>> errors = new CopyOnWriteArrayList<>();
  private final Functions functions;
  private final Functions polling;

  DeletedCountersIT(TestCloud cloud) {
    this.firestore = cloud.firestore();
    this.functions = new Functions(TestCloud.quick(layout));
    this.polling = new Functions(TestCloud.polled(polled));
  }

  @AfterEach
  void close() {
    loop.close();
  }

  /** An instance of both functions. */
  private final class Functions {
    final Entry entry;
    final FirestoreStore store;
    final ShardWrites handler;
    final Runs runs;

    Functions(Entry entry) {
      this.entry = entry;
      StructuredLog log = DeletedCountersIT.this::log;
      store = FirestoreStore.of(firestore, List.of(entry), deployment, calls, log);
      handler = new ShardWrites(store.counters(), noWakeUps, log, loop);
      runs =
          new Runs(
              RollUpTasks.of(store.counters(), store.runs(), log, loop, TestCloud.QUICK),
              store.runs(),
              noWakeUps,
              log,
              loop,
              TestCloud.QUICK);
    }

    void event(TestCounter counter, Optional<Instant> committed) throws Exception {
      play(
          () ->
              handler.written(
                  new ShardWrite(entry.counter(counter.path()), "0", committed, Optional.empty())));
    }

    CompletableFuture<Ending> begin() {
      return CompletableFuture.completedFuture(null)
          .thenComposeAsync(none -> runs.scheduled(0), loop);
    }

    void run() throws Exception {
      play(() -> runs.scheduled(0));
    }

    void sweep() throws Exception {
      var sweep =
          new Sweep(
              store.counters(), store.runs(), DeletedCountersIT.this::log, loop, TestCloud.QUICK);
      assertThat(play(() -> sweep.run(PassKind.PART))).isEqualTo(Pass.End.COMPLETE);
    }
  }

  private void log(Severity severity, String message, Map<String, ?> fields) {
    if (severity == Severity.ERROR) {
      errors.add(fields);
    }
  }

  private <T> T play(Supplier<CompletableFuture<T>> work) throws Exception {
    return get(CompletableFuture.completedFuture(null).thenComposeAsync(none -> work.get(), loop));
  }

  private TestCounter counter(Layout layout) {
    var path = CounterPath.of(UUID.randomUUID().toString());
    return new TestCounter(firestore, layout, path, () -> {});
  }

  /** A counter with a total of 1, and a lease that has ended. */
  private TestCounter counted() throws Exception {
    var counter = counter(layout).create(1);
    var written = get(counter.incrementLater(0)).getUpdateTime().toSqlTimestamp().toInstant();
    functions.event(counter, Optional.of(written));
    counter.awaitTotal(1L);
    return counter;
  }

  private static void assertGone(TestCounter counter) throws Exception {
    assertThat(counter.shown()).isEmpty();
  }

  /** Documents of the app, passes of the rules' variant once, and names of increments. */
  @ParameterizedTest
  @ValueSource(strings = {"comments/c1", "passes/alice", "my_names/order-1"})
  void whatElseIsBelowIt_keepsNoTotal(String below) throws Exception {
    var byEvent = counted();
    var byRun = counted();
    var bySweep = counted();
    var byPoll = counter(polled).create(1);
    var bySweepToo = counter(polled).create(1);
    get(byPoll.incrementLater(0));
    get(bySweepToo.incrementLater(0));
    functions.run();
    var polls = polling.begin();
    byPoll.awaitTotal(1L);
    bySweepToo.awaitTotal(1L);
    var byRunToo = counted();
    for (var counter : List.of(byEvent, byRun, bySweep, byPoll, byRunToo)) {
      get(firestore.document(counter.document().getPath() + "/" + below).set(Map.of("a", 1)));
      counter.delete();
    }

    functions.event(byEvent, Optional.empty());
    functions.run();
    await("the poll to remove it").until(() -> byPoll.shown().isEmpty());
    play(polling.runs::stop);
    get(polls);
    bySweepToo.delete();
    functions.sweep();
    polling.sweep();

    for (var counter : List.of(byEvent, byRun, bySweep, byPoll, bySweepToo, byRunToo)) {
      assertGone(counter);
    }
    assertThat(errors).isEmpty();
  }

  /**
   * The shards' collection that the functions look into is empty: theirs would be another total.
   */
  @Test
  void wrongCollection_isNoDeletedCounter() throws Exception {
    var counter = counted();
    functions.run();
    var wrong =
        new Functions(
            TestCloud.quick(
                new Layout(
                    layout.counters() + "/{counter}/parts",
                    layout.rollups(),
                    layout.countField())));

    wrong.event(counter, Optional.empty());
    wrong.sweep();

    counter.awaitTotal(1L);
    assertThat(errors.toString()).contains("/{1}/parts", layout.totalOf());
  }
}
