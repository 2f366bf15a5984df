package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.mock;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Lease;
import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Lanes;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.RunStore;
import dev.tallyroll.protocol.Runs;
import dev.tallyroll.protocol.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One worker's runs at the seam, on a virtual clock. */
abstract class RunFixture {
  static final CounterPath LIKES = CounterPath.of("likes");
  static final CounterPath VOTES = CounterPath.of("votes");
  static final Lanes ONE = new Lanes(1, 1);
  static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO);
  static final RunSettings SETTINGS =
      new RunSettings(Duration.ofSeconds(70), Duration.ofSeconds(5));

  final VirtualTime time = new VirtualTime();
  final Database database = new Database(time);
  final Instance instance = new Instance(time, Duration.ZERO);
  final SimulatedFirestore firestore =
      new SimulatedFirestore(database, time, new Faults(1, 0), instance, Duration.ZERO);
  final RollupStore rollups = mock(RollupStore.class, delegatesTo(firestore));
  final RunStore runs = mock(RunStore.class, delegatesTo(firestore));
  final List<Integer> wakeUps = new ArrayList<>();
  final Instance other = new Instance(time, Duration.ZERO);
  final SimulatedFirestore firestoreThere =
      new SimulatedFirestore(database, time, new Faults(2, 0), other, Duration.ZERO);
  final RunStore elsewhere = mock(RunStore.class, delegatesTo(firestoreThere));
  final Runs here = runs(rollups, runs, instance, "scheduled");
  @Nullable String ending;

  static <T> CompletableFuture<T> fails() {
    return CompletableFuture.failedFuture(new IllegalStateException("UNAVAILABLE"));
  }

  void makeLive(CounterPath counter) {
    makeLive(counter, Duration.ZERO);
  }

  void makeLive(CounterPath counter, Duration forTime) {
    Sum sum = new Sum(new Total.Whole(0), 1, database.tick());
    Lease lease = new Lease(time.now().plus(forTime), 0);
    assertThat(database.write(counter, new Change.Create(sum, lease), Duration.ZERO)).isPresent();
  }

  boolean isLive(CounterPath counter) {
    return database.read(counter).map(rollup -> rollup.lease().isPresent()).orElse(false);
  }

  void schedule() {
    instance.execute(
        () -> {
          var unused = here.scheduled(0).whenComplete((end, failure) -> ending = "" + end);
        });
  }

  String wakeElsewhere() {
    return wake(runs(firestoreThere, elsewhere, other, "woken"), other);
  }

  /** How it ended within three seconds; empty if it goes on. */
  String wake(Runs there, Instance loop) {
    String[] woken = {""};
    loop.execute(
        () -> {
          var unused = there.woken(0).whenComplete((end, failure) -> woken[0] = "" + end);
        });
    time.run(Duration.ofSeconds(3), () -> false);
    return woken[0];
  }

  Runs runs(RollupStore rollups, RunStore runs, Instance loop, String holder) {
    return new Runs(
        rollups,
        runs,
        lane -> {
          wakeUps.add(lane);
          return CompletableFuture.completedFuture(null);
        },
        Journal.none(),
        TIMING,
        ONE,
        SETTINGS,
        loop,
        () -> holder);
  }
}
