package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.fold.FirestoreFolds;
import dev.tallyroll.fold.FoldHandler;
import dev.tallyroll.fold.FoldSweep;
import dev.tallyroll.runs.Pass;
import dev.tallyroll.runs.PassKind;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.settings.FoldLayout.ShardPath;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Faults of folding that come seldom by chance. */
class FoldFaultsTest {
  private static final String PAGE = "pages/0";
  private static final List<String> VISITS = List.of("visits");
  private static final int BURST = 4;
  private static final Duration LEASE = Duration.ofSeconds(5);

  private final World world =
      World.scripted(new Timing(Duration.ofSeconds(1), LEASE, Duration.ZERO, BURST));
  private final Folds folds = new Folds(world, List.of());
  private final World.Instance instance = world.instance();
  private final FirestoreFolds store = folds.store(instance);
  private final FoldHandler handler =
      new FoldHandler(
          folds.handlerStore(instance),
          Set.of(),
          liveId -> CompletableFuture.completedFuture(null),
          world.history,
          instance,
          world.timing);

  /** The last event's. */
  private CompletableFuture<Void> handled = new CompletableFuture<>();

  private void increment(String shard, List<String> field) {
    folds.increment(PAGE, shard, Map.of(field, 1L));
  }

  private void write(String shard, List<String> field) {
    increment(shard, field);
    handled = handler.written(new ShardPath(PAGE, shard));
  }

  private void pass(Duration duration) {
    world.time.pass(duration);
  }

  /** RollUp removes an entry after a LEASE and a tick, whether its writer has the answer or not. */
  @Test
  void eventThatComesALeaseAfterAnEntryWasBegun_getsAnEntryOfItsOwn() {
    world.faults.late.put(Call.ENTER, LEASE.plusSeconds(4));
    IntStream.range(0, BURST).forEach(number -> write("shard-" + number, VISITS));
    pass(LEASE.plusSeconds(2));
    world.delete(Folds.entry(PAGE));
    IntStream.range(1, BURST).forEach(number -> write("shard-" + number, VISITS));
    pass(Duration.ofSeconds(1)); // these are folded

    write("last", VISITS);
    pass(Duration.ofSeconds(30));

    assertThat(handled).isCompleted();
    assertThat(folds.shards(PAGE)).containsOnlyKeys("last");
    assertThat(folds.live()).hasSize(1);
  }

  /** A fold reads so many shards, then half of them, and ends before it reads one alone. */
  @Test
  void documentWhoseFirstShardsAreRefusedEachTime_isLeftToRollUp() {
    world.beforeCommit = // shards that are written again and again
        request -> folds.shards(PAGE).keySet().forEach(id -> increment(id, VISITS));
    IntStream.range(0, 16).forEach(number -> increment("shard-" + number, VISITS));

    write("shard-0", VISITS);
    pass(Duration.ofSeconds(1));

    assertThat(handled).isCompleted();
    assertThat(folds.live()).hasSize(1);
  }

  /** Both fields are free as long as neither is there. */
  @Test
  void fieldInsideOneThatWasMoved_stays() {
    write("first", List.of("likes"));
    write("a", VISITS); // waits for the first, and is folded together with the next
    write("b", List.of("visits", "today"));
    pass(LEASE.plusSeconds(1));

    write("c", List.of("visits", "today"));
    pass(Duration.ofSeconds(1));

    assertThat(folds.fields(PAGE)).isEqualTo(Map.of("likes", 1L, "visits", 1L));
    assertThat(folds.shards(PAGE)).containsOnlyKeys("b", "c");
  }

  @Test
  void sweepThatCannotGoOn_triesThreeTimes() {
    IntStream.range(0, 700)
        .forEach(number -> folds.increment(PAGE, "shard-" + number, Map.of(VISITS, 1L)));
    RunSettings settings =
        new RunSettings(
            world.settings.look(),
            world.settings.slack(),
            1,
            LEASE,
            LEASE,
            Duration.ofMinutes(1),
            200);
    CompletableFuture<Pass.End> swept =
        new FoldSweep(store, store.runs(), Set.of(), world.history, settings, instance)
            .run(PassKind.PART);
    world.time.run(Duration.ofSeconds(1), () -> instance.calls.of(Call.PAGE) == 1);

    world.faults.refused.add(Call.PAGE);
    pass(Duration.ofMinutes(1));

    assertThat(swept).isCompletedWithValue(Pass.End.LEFT);
    assertThat(instance.calls.of(Call.PAGE)).isEqualTo(1 + 3);
    assertThat(folds.fields(Folds.LAYOUT.runDocument("sweep"))).containsKey("after");
  }
}
