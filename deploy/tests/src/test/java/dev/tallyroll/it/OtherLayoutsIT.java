package dev.tallyroll.it;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.local.CloudFaults;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.platform.ThreadEventLoop;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.RollUpTasks;
import dev.tallyroll.protocol.ShardWrite;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.runs.Pass;
import dev.tallyroll.runs.PassKind;
import dev.tallyroll.runs.Runs;
import dev.tallyroll.runs.StructuredLog.Severity;
import dev.tallyroll.runs.WakeUps;
import dev.tallyroll.store.FirestoreStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Functions with another layout, whose code runs in this process beside those of the cloud. By
 * mistake, they sum something else than the clients write: then they write no total, and an error
 * says what was expected. Or they are a second deployment on the same database, with counters in
 * other collections and roll-ups in the same.
 */
@On(Site.LONE)
@Order(1) // Tests on this site wait for each other.
final class OtherLayoutsIT {
  private final TestCloud cloud;
  private final ThreadEventLoop loop = new ThreadEventLoop("other", InstantSource.system());
  private final Calls calls = new Calls(loop, /* most= */ 100);
  private final WakeUps noWakeUps = worker -> CompletableFuture.completedFuture(null);
  private final List<Map<String, ?>> errors = new CopyOnWriteArrayList<>();

  /** What is mistyped. */
  enum Wrong {
    FIELD,
    SHARDS,
    PLACE;

    Layout of(Layout right) {
      return new Layout(
          "%s/{counter}/%s"
              .formatted(
                  this == PLACE ? "{parent=**}/tallies" : right.counters(),
                  this == SHARDS ? "parts" : right.shards()),
          right.rollups(),
          this == FIELD ? "total" : right.countField());
    }
  }

  OtherLayoutsIT(TestCloud cloud) {
    this.cloud = cloud;
  }

  @AfterEach
  void close() {
    loop.close();
  }

  @Test
  void noTotalIsWritten_andAnErrorSaysWhatWasExpectedAndFound() throws Exception {
    var settled = cloud.counter().create(2);
    settled.increment(0, 4);
    settled.awaitSettled(4L);
    for (Wrong wrong : Wrong.values()) {
      var live = cloud.counter().create(2);
      live.increment(0, 5);
      live.awaitTotal(5L); // the next run removes its entry
      cloud.awaitEvents();
      cloud.awaitIdle();
      var before = List.of(settled.shown(), live.shown());
      var layout = wrong.of(cloud.layout());
      var entry = TestCloud.quick(layout);

      sweepAll(store(entry));
      errors.clear();
      var counter = entry.counter(settled.path());
      play(() -> handler(store(entry)).written(write(counter, Instant.now())));
      assertThat(errors).as("%s", wrong).hasSize(1);
      var found = settled.fields();
      assertThat(errors.get(0).get("expected"))
          .isEqualTo(counter.document() + ": " + layout.totalOf());
      assertThat(errors.get(0).get("found"))
          .isEqualTo(found.get("counter") + ": " + found.get("total_of"));
      run(store(entry));

      assertThat(List.of(settled.shown(), live.shown())).as("%s", wrong).isEqualTo(before);
    }
  }

  @Test
  void secondDeployment_keepsItsOwnTotalsOnly() throws Exception {
    var polls = new Layout("{parent=**}/polls/{poll}/shards", "rollups", "Count");
    var entry = TestCloud.quick(polls);
    var store = store(entry);
    var handler = handler(store);
    var likes = cloud.counter();
    var poll =
        new TestCounter(cloud.firestore(), polls, CounterPath.of("p" + likes.path()), () -> {});
    var sameName = new TestCounter(cloud.firestore(), polls, likes.path(), () -> {});
    likes.increment(0, 1);
    likes.awaitTotal(1L);

    for (int i = 0; i < 10; i++) {
      likes.increment(i % 3, 1);
      for (var other : List.of(poll, sameName)) {
        var committed = get(other.incrementLater(i % 3)).getUpdateTime().toSqlTimestamp();
        play(() -> handler.written(write(entry.counter(other.path()), committed.toInstant())));
      }
    }
    run(store);
    sweepAll(store);
    cloud.settleAll();
    CloudFaults.sweep(cloud.local());
    cloud.settleAll();
    run(store);
    sweepAll(store);

    likes.awaitSettled(11L);
    assertThat(likes.fields()).containsEntry("counter", "counters/" + likes.path().id());
    poll.awaitSettled(10L);
    assertThat(poll.fields()).containsEntry("counter", "polls/" + poll.path().id());
  }

  private FirestoreStore store(Entry entry) {
    return FirestoreStore.of(
        cloud.firestore(), List.of(entry), cloud.site().deployment(), calls, this::log);
  }

  private static ShardWrite write(CounterId counter, Instant committed) {
    return new ShardWrite(counter, "0", Optional.of(committed), Optional.empty());
  }

  private ShardWrites handler(FirestoreStore store) {
    return new ShardWrites(store.counters(), noWakeUps, this::log, loop);
  }

  private void run(FirestoreStore store) throws Exception {
    var runs =
        new Runs(
            RollUpTasks.of(store.counters(), store.runs(), this::log, loop, TestCloud.QUICK),
            store.runs(),
            noWakeUps,
            this::log,
            loop,
            TestCloud.QUICK);
    play(() -> runs.scheduled(0));
  }

  private void log(Severity severity, String message, Map<String, ?> fields) {
    if (severity == Severity.ERROR) {
      errors.add(fields);
    }
  }

  /** Ends a sweep that another test may have begun, and sweeps from the start. */
  private void sweepAll(FirestoreStore store) throws Exception {
    Sweep sweep = new Sweep(store.counters(), store.runs(), this::log, loop, TestCloud.QUICK);
    for (int completed = 0; completed < 2; ) {
      completed += play(() -> sweep.run(PassKind.PART)) == Pass.End.COMPLETE ? 1 : 0;
    }
  }

  private <T> T play(Supplier<CompletableFuture<T>> work) throws Exception {
    return get(CompletableFuture.completedFuture(null).thenComposeAsync(none -> work.get(), loop));
  }
}
