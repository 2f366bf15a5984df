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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What shards cost that can never be moved. Whoever may write one shard may write thousands, on a
 * document that holds a text in the field.
 */
class FoldBoundsTest {
  private static final String PAGE = "pages/0";
  private static final List<String> VISITS = List.of("visits");
  private static final int STUCK = 6_000;
  private static final int CLICKS = 15;
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final World world = World.scripted(timing(CLICKS));
  private final Folds folds = new Folds(world, List.of());
  private final FoldRollers rollers = new FoldRollers(world, folds, List.of());

  /** Fills a page with shards that stay there. */
  private void stick(String page) {
    folds.set(page, "visits", "many");
    IntStream.range(0, STUCK).forEach(number -> click(page, "stuck-%04d".formatted(number)));
    folds.countReads();
  }

  private void click(String page, String shard) {
    folds.increment(page, shard, Map.of(VISITS, 1L));
  }

  /**
   * One read for each new shard, and one of its document, which an instance makes once a minute.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 4, 20})
  void handlers_readNewShardsOnly(int handlers) {
    stick(PAGE);
    List<FoldHandler> all =
        Stream.generate(() -> rollers.handler(world.instance())).limit(handlers).toList();
    for (int i = 0; i < CLICKS; i++) {
      click(PAGE, "new-" + i);
      CompletableFuture<Void> handled =
          all.get(i % handlers).written(new ShardPath(PAGE, "new-" + i));
      world.time.pass(Duration.ofSeconds(4));
      assertThat(handled).isCompleted();
    }

    assertThat(folds.reads()).isEqualTo(CLICKS + Math.min(handlers, CLICKS));
    assertThat(folds.live()).isEmpty();
  }

  /** A click on the page each second keeps it on the live list, and a run at work. */
  @Test
  void rollUp_readsThemTwiceAMinuteAtMost() {
    stick(PAGE);
    int minutes = 5;
    rollers.everyMinute();
    folds.enter(PAGE);
    for (int i = 0; i < 60 * minutes; i++) {
      folds.enter(PAGE);
      world.time.pass(SECOND);
    }

    assertThat(folds.reads()).isBetween(STUCK, 2 * minutes * (STUCK + 60));
  }

  /** A look takes so many batches, and the next one goes on behind them: no shard is left out. */
  @Test
  void rollUp_findsTheOneThatCanBeMoved() {
    stick(PAGE);
    List<String> likes = List.of("likes");
    for (int i = 0; i < STUCK; i += 40) {
      folds.increment(PAGE, "stuck-%04d".formatted(i), Map.of(likes, 1L));
    }
    rollers.everyMinute();
    folds.enter(PAGE);
    world.time.pass(MINUTE.multipliedBy(3));

    assertThat(folds.fields(PAGE)).containsEntry("likes", STUCK / 40L);
  }

  /** With FOLD=PT1M, a run has one look, and goes on until it has seen all. */
  @Test
  void rollUp_foldsMoreThanATurnTakes() {
    World slow = World.scripted(new Timing(MINUTE, MINUTE.multipliedBy(5), Duration.ZERO, CLICKS));
    Folds many = new Folds(slow, List.of());
    FoldRollers once = new FoldRollers(slow, many, List.of());
    for (int i = 0; i < 2 * STUCK; i++) {
      many.increment(PAGE, "shard-%05d".formatted(i), Map.of(VISITS, 1L));
    }
    many.enter(PAGE);

    once.start(/* wakeUp= */ false, 0);
    slow.time.pass(MINUTE);

    many.checkAllMoved(PAGE);
  }

  /** Others are folded at their pace beside such a page. */
  @Test
  void rollUp_foldsOthersBeside() {
    stick(PAGE);
    folds.enter(PAGE);
    folds.enter("pages/1");
    rollers.start(/* wakeUp= */ true, 0);
    for (int i = 0; i < 10; i++) {
      click("pages/1", "good");
      world.time.pass(Duration.ofMillis(900));
    }
    world.time.pass(SECOND.multipliedBy(2));

    folds.checkAllMoved("pages/1");
    assertThat(folds.maxLag).isLessThan(Duration.ofSeconds(2));
  }

  private FoldSweep sweep(int atMost) {
    World.Instance on = world.instance();
    FirestoreFolds store = folds.store(on);
    RunSettings settings =
        new RunSettings(
            world.settings.look(),
            world.settings.slack(),
            1,
            SECOND,
            SECOND,
            Duration.ofMinutes(8),
            atMost);
    return new FoldSweep(store, store.runs(), Set.of(), world.history, settings, on);
  }

  @Test
  void sweep_readsEachShardOnce_howeverManyAreAsked() {
    stick(PAGE);
    click("pages/1", "behind");
    List<CompletableFuture<Pass.End>> swept =
        Stream.generate(() -> sweep(10_000))
            .limit(5)
            .map(sweep -> sweep.run(PassKind.PART))
            .toList();
    world.time.pass(MINUTE);

    assertThat(swept).allMatch(CompletableFuture::isDone);
    assertThat(swept).filteredOn(one -> one.join() == Pass.End.COMPLETE).hasSize(1);
    assertThat(folds.reads()).isBetween(STUCK + 1, STUCK + 100);
    folds.checkAllMoved("pages/1");
  }

  /** The next sweeps go on where this one ended, so that it starves nobody. */
  @Test
  void sweep_looksAtSoManyAndGoesOnLater() {
    stick(PAGE);
    click("pages/1", "behind");
    CompletableFuture<Pass.End> first = sweep(4_000).run(PassKind.PART);
    world.time.pass(MINUTE);
    assertThat(first).isCompletedWithValue(Pass.End.LEFT);
    assertThat(folds.reads()).isBetween(4_000, 4_300);
    CompletableFuture<Pass.End> second = sweep(4_000).run(PassKind.PART);
    world.time.pass(MINUTE);

    assertThat(second).isCompletedWithValue(Pass.End.COMPLETE);
    assertThat(folds.reads()).isBetween(STUCK + 1, STUCK + 300);
    folds.checkAllMoved("pages/1");
  }

  /** One shard that the document has no room for stops itself only. */
  @Test
  void shardThatDoesNotFit_stopsNoOther() {
    folds.fill(PAGE, List.of("long"));
    FoldHandler handler = rollers.handler(world.instance());
    for (int i = 0; i < 55; i++) {
      folds.increment(PAGE, "shard-" + i, Map.of(i == 30 ? List.of("long") : VISITS, 1L));
    }
    folds.enter(PAGE);
    rollers.start(/* wakeUp= */ true, 0);
    world.time.pass(Duration.ofSeconds(30));

    assertThat(folds.fields(PAGE)).isEqualTo(Map.of("visits", 54L));
    assertThat(folds.shards(PAGE)).containsOnlyKeys("shard-30");
    click(PAGE, "later");
    assertThat(handler.written(new ShardPath(PAGE, "later"))).isNotCompletedExceptionally();
    world.time.pass(SECOND);
    assertThat(folds.fields(PAGE)).isEqualTo(Map.of("visits", 55L));
  }

  /** An integer has room for 7, and 150 are counted; then 1,000 are taken off. */
  @Test
  void whatADocumentCannotHold_waitsInItsShard() {
    folds.start(PAGE, "visits", Long.MAX_VALUE - 7);
    FoldHandler handler = rollers.handler(world.instance());
    for (Map.Entry<String, Long> each : Map.of("a", 100L, "b", 50L, "c", 7L).entrySet()) {
      folds.put(PAGE, each.getKey(), Map.of("visits", each.getValue()));
      var unused = handler.written(new ShardPath(PAGE, each.getKey()));
    }
    world.time.pass(SECOND);

    assertThat(folds.fields(PAGE)).isEqualTo(Map.of("visits", Long.MAX_VALUE));
    assertThat(folds.shards(PAGE)).containsOnlyKeys("a", "b");
    assertThat(world.history.warnings)
        .extracting(line -> String.valueOf(line.fields().get("why")))
        .containsExactly("the document's field cannot hold the sum: the value would be lost");

    folds.put(PAGE, "d", Map.of("visits", -1_000L));
    var unused = handler.written(new ShardPath(PAGE, "d"));
    world.time.pass(SECOND);
    var unusedSweep = sweep(10_000).run(PassKind.PART);
    world.time.pass(MINUTE);

    assertThat(folds.fields(PAGE)).isEqualTo(Map.of("visits", Long.MAX_VALUE - 850));
    assertThat(folds.shards(PAGE)).isEmpty();
  }

  /** Only there, each batch reads the document: it may have changed since a minute ago. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1L << 61, Long.MAX_VALUE - 700})
  void numberNearTheEndOfItsRange_costsAReadABatch(long visits) {
    folds.start(PAGE, "visits", visits);
    folds.countReads();
    FoldHandler handler = rollers.handler(world.instance());
    for (int i = 0; i < CLICKS; i++) {
      click(PAGE, "new-" + i);
      var unused = handler.written(new ShardPath(PAGE, "new-" + i));
      world.time.pass(Duration.ofSeconds(4));
    }

    boolean isNear = visits > 1L << 62;
    assertThat(folds.reads()).isEqualTo(isNear ? 2 * CLICKS : CLICKS + 1);
    folds.checkAllMoved(PAGE);
  }

  /** A batch takes 400 fields of a document. */
  @Test
  void shardsWithManyFields_areAllMoved() {
    for (int i = 0; i < 500; i++) {
      folds.increment(PAGE, "shard-%03d".formatted(i), Map.of(List.of("field-" + i), 1L));
    }
    folds.enter(PAGE);
    rollers.start(/* wakeUp= */ true, 0);
    world.time.pass(Duration.ofSeconds(30));

    folds.checkAllMoved(PAGE);
    assertThat(folds.fields(PAGE)).hasSize(500);
  }

  /**
   * Firestore sends all that was asked for, and bills it, though an instance keeps only the first.
   */
  @Test
  void shardsOfAMegabyte_areAskedForInSmallPages() {
    int large = 50;
    String text = "x".repeat(1_000_000);
    for (int i = 0; i < large; i++) {
      folds.put(PAGE, "shard-" + i, Map.of("visits", 1L, "text", text));
    }
    World.Instance on = world.instance();
    FoldHandler handler =
        new FoldHandler(
            folds.handlerStore(on), Set.of(), rollers, world.history, on, timing(/* burst= */ 100));
    for (String id : folds.shards(PAGE).keySet()) {
      var unused = handler.written(new ShardPath(PAGE, id));
    }
    world.time.run(MINUTE, () -> !folds.live().isEmpty());
    int sent = world.billed.of(Call.READ);
    world.time.pass(MINUTE);

    assertThat(sent).isBetween(5, 20);
    folds.checkAllMoved(PAGE); // RollUp has moved the rest
  }

  private static Timing timing(int burst) {
    return new Timing(SECOND, Duration.ofSeconds(5), Duration.ZERO, burst);
  }
}
