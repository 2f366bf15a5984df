package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Sum.Remains;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Change.Effect;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RollupStore.Written;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The figures in the counters' own documents, as the deployed store writes them beside a roll-up.
 * The fields are stats.likes, number and stats.average; the app writes the document, too. Each
 * commit is checked by the world: it changes nothing else there, and tells of what it replaces.
 */
class ShownFiguresTest {
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(1), 10);
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final String DOCUMENT = "counters/likes";

  /** A commit of roll-up and document, or of the roll-up alone. */
  private static final Map<Call, Integer> WRITE = Map.of(Call.WRITE, 1);

  private static final Map<Call, Integer> READ_AND_WRITE = Map.of(Call.DOCUMENT, 1, Call.WRITE, 1);

  /** Something else in the place of each figure. */
  private static final Map<String, Object> OBSTACLES = Map.of("number", "many", "stats", 7L);

  private final Stage stage = new Stage(TIMING);
  private final World world = stage.world;
  private final CounterId likes;
  private final RollupStore one;
  private final RollupStore other;
  private long total;

  ShownFiguresTest() {
    world.totals.showsFields = true;
    likes = world.counter(LIKES);
    one = stage.store().counters().rollups();
    other = stage.store().counters().rollups();
  }

  private void appWrites(Map<String, ?> fields) {
    world.put(DOCUMENT, fields);
  }

  /** The app changes its own fields, beside ours. */
  private void appWrites() {
    world.put(DOCUMENT, edited());
  }

  private Map<String, Object> edited() {
    Map<String, Object> fields =
        Protos.objects(world.server.document(DOCUMENT).orElseThrow().getFieldsMap());
    fields.put("edited", world.server.tick().toString());
    return fields;
  }

  /** The app is faster than the next commits of both documents. */
  private void appWritesBeforeCommits(int times) {
    int[] left = {times};
    stage.beforeCommits(
        commit -> {
          boolean shows =
              commit.getWritesList().stream()
                  .anyMatch(write -> SimulatedServer.path(write).equals(DOCUMENT));
          if (shows && left[0]-- > 0) {
            appWrites();
          }
        });
  }

  /** A client increments the only shard. */
  private void increment() {
    world.put(ServerTotals.shard(LIKES, 0), Map.of("count", ++total));
  }

  private Sum sum() {
    return world.totals.sum(LIKES, world.server.tick());
  }

  /** The change of the roll-up as it is to what the shards say. */
  private Change change() {
    Optional<Rollup> stored = world.totals.rollup(LIKES);
    return new Change(
        stored.isPresent() ? Effect.UPDATE : Effect.CREATE,
        stored,
        Optional.of(sum()),
        Optional.empty());
  }

  private boolean write(RollupStore by, Change change) {
    return stage.get(by.write(likes, change)).isPresent();
  }

  /** A client increments a shard, and an instance writes the new total. */
  private void showNext(RollupStore by) {
    increment();
    assertThat(write(by, change())).isTrue();
    assertThat(rollup()).isEqualTo(total);
  }

  private Map<Call, Integer> costOfNext(RollupStore by) {
    return stage.costs(() -> showNext(by));
  }

  private long rollup() {
    return world.totals.rollup(LIKES).orElseThrow().total().longValue();
  }

  private Optional<Number> shown() {
    return world.appDocuments.shown(LIKES, Figure.SUM);
  }

  private Map<String, Object> document() {
    return Protos.objects(world.server.document(DOCUMENT).orElseThrow().getFieldsMap());
  }

  private void assertShown(boolean isShown) {
    assertThat(shown().equals(Optional.of(total)))
        .as("%s shows %s", shown(), total)
        .isEqualTo(isShown);
  }

  @Test
  void hotCounter_costsOneReadForAllItsWrites() {
    appWrites(Map.of("title", "x"));

    assertThat(costOfNext(one)).isEqualTo(READ_AND_WRITE);
    assertThat(costOfNext(one)).isEqualTo(WRITE);
    assertThat(costOfNext(one)).isEqualTo(WRITE);

    assertShown(true);
    assertThat(stage.warnings()).isEmpty();
  }

  @Test
  void rollupOfAnotherInstance_hasTheDocumentReadAgain() {
    appWrites(Map.of());
    showNext(one);
    showNext(other);

    assertThat(costOfNext(one)).isEqualTo(READ_AND_WRITE);

    assertShown(true);
  }

  @Test
  void documentThatTheAppHasWritten_isReadOnceAndWritten() {
    appWrites(Map.of());
    showNext(one);
    appWrites();

    assertThat(costOfNext(one)).isEqualTo(Map.of(Call.DOCUMENT, 1, Call.WRITE, 2));

    assertShown(true);
    assertThat(document()).containsKey("edited");
  }

  /** Two deployments, or an app and a function, have read the same version. */
  @Test
  void documentThatIsWrittenBetween_isReadAgain() {
    appWrites(Map.of());
    appWritesBeforeCommits(1);

    assertThat(costOfNext(one)).isEqualTo(Map.of(Call.DOCUMENT, 2, Call.WRITE, 2));

    assertShown(true);
  }

  @Test
  void thirdRefusal_leavesTheRollupAlone() {
    appWrites(Map.of());
    showNext(one);
    appWritesBeforeCommits(3);

    assertThat(costOfNext(one)).isEqualTo(Map.of(Call.DOCUMENT, 2, Call.WRITE, 4));
    assertShown(false);

    assertThat(costOfNext(one)).isEqualTo(READ_AND_WRITE);
    assertShown(true);
  }

  /** A commit at the known version would be in vain: another deployment shows its figures there. */
  @Test
  void documentThatSomebodyElseWritesAllTheTime_isReadFirst() {
    appWrites(Map.of());
    showNext(one);
    appWrites();
    showNext(one); // refused, and read
    appWrites();
    assertThat(costOfNext(one)).isEqualTo(READ_AND_WRITE);

    assertThat(costOfNext(one)).isEqualTo(READ_AND_WRITE); // now nobody else does
    assertThat(costOfNext(one)).isEqualTo(WRITE);
    assertShown(true);
  }

  @Test
  void refusalForTheRollup_isOne() {
    appWrites(Map.of());
    showNext(one);
    increment();
    Change late = change();
    world.addField(likes.rollup());

    Map<Call, Integer> cost = stage.costs(() -> assertThat(write(one, late)).isFalse());

    assertThat(cost).isEqualTo(Map.of(Call.DOCUMENT, 1, Call.WRITE, 3));
    assertThat(rollup()).isEqualTo(1);
    assertShown(false);
  }

  @Test
  void obstacle_staysAndIsToldAndLookedAtOnceAMinute() {
    appWrites(OBSTACLES);

    assertThat(costOfNext(one)).isEqualTo(READ_AND_WRITE);
    assertThat(costOfNext(one)).isEqualTo(WRITE);
    world.time.pass(Duration.ofSeconds(58));
    assertThat(costOfNext(one)).isEqualTo(WRITE);

    assertThat(document()).isEqualTo(OBSTACLES);
    assertThat(stage.warnings())
        .hasSize(3)
        .allMatch(line -> line.contains("ERROR") && line.contains("document=counters/likes"))
        .anyMatch(
            line ->
                line.contains("expected=a number or nothing in stats.likes")
                    && line.contains("found=a number in stats"))
        .anyMatch(line -> line.contains("found=a text in number"));

    world.time.pass(Duration.ofSeconds(2));
    appWrites(Map.of());
    assertThat(costOfNext(one)).isEqualTo(READ_AND_WRITE);
    assertShown(true);
    assertThat(costOfNext(one)).isEqualTo(WRITE);
    assertShown(true);
  }

  /** The field became something else between the two commits. */
  @Test
  void obstacleOfLater_isSeenByTheRefusal() {
    appWrites(Map.of());
    showNext(one);
    appWrites(OBSTACLES);

    assertThat(costOfNext(one)).isEqualTo(Map.of(Call.DOCUMENT, 1, Call.WRITE, 2));

    assertThat(document()).isEqualTo(OBSTACLES);
    assertThat(stage.warnings()).hasSize(3);
  }

  /** The other field is also written at the next write, which reads nothing. */
  @Test
  void fieldThatCannotBeWritten_keepsNoOtherFromBeingWritten() {
    appWrites(Map.of("number", List.of("alice")));

    showNext(one);
    assertShown(true);
    assertThat(costOfNext(one)).isEqualTo(WRITE);

    assertThat(document())
        .isEqualTo(
            Map.of("number", List.of("alice"), "stats", Map.of("likes", 2L, "average", 2.0)));
    assertThat(stage.warnings()).singleElement().asString().contains("a list in number");
  }

  /** Whoever may write likes of any post would else make as many roll-ups as he likes. */
  @Test
  void missingDocument_getsNoRollup() {
    for (int i = 0; i < 2; i++) {
      increment();
      assertThat(stage.costs(() -> assertThat(write(one, change())).isTrue()))
          .isEqualTo(Map.of(Call.DOCUMENT, 1));
    }
    assertThat(world.totals.rollup(LIKES)).isEmpty();
    assertThat(world.server.document(DOCUMENT)).isEmpty();

    appWrites(Map.of());
    showNext(one);
    assertShown(true);
  }

  /** Else a settled total of each new post would cost a write more. */
  @Test
  void fieldsThatAreRight_areNotWritten() {
    appWrites(Map.of());
    showNext(one);

    assertThat(stage.costs(() -> assertThat(write(other, change())).isTrue()))
        .isEqualTo(READ_AND_WRITE);
    assertThat(world.server.document(DOCUMENT).orElseThrow().getUpdateTime())
        .isNotEqualTo(world.server.document(likes.rollup()).orElseThrow().getUpdateTime());
    assertThat(costOfNext(other)).isEqualTo(WRITE);
    assertShown(true);
  }

  /** A lock made Firestore abort it: the versions are those that it names. */
  @Test
  void abortedCommit_isSentAgain() {
    appWrites(Map.of());
    showNext(one);
    stage.abortNextWrites(1);

    assertThat(costOfNext(one)).isEqualTo(Map.of(Call.DOCUMENT, 1, Call.WRITE, 2));

    assertShown(true);
  }

  @Test
  void fieldsOfACommitThatIsAbortedTwice_areOwed() {
    appWrites(Map.of());
    showNext(one);
    stage.abortNextWrites(2);

    handleNext();

    assertShown(false);
    assertThat(world.totals.isLive(LIKES)).isTrue();
  }

  @Test
  void documentThatHasGone_isNotMade_andIsLookedForOnceAMinute() {
    appWrites(Map.of());
    showNext(other);
    world.delete(DOCUMENT);
    assertThat(costOfNext(one)).isEqualTo(READ_AND_WRITE);
    assertThat(costOfNext(one)).isEqualTo(WRITE);

    assertThat(world.server.document(DOCUMENT)).isEmpty();
    assertThat(stage.warnings()).isEmpty();
  }

  /** A transaction of the app's locks it. The first call is carried out meanwhile, in vain. */
  @Test
  void documentThatIsLocked_holdsTheRollupUpForTwoSeconds() {
    appWrites(Map.of());
    showNext(one);
    world.appDocuments.hold(LIKES, Duration.ofSeconds(6));
    increment();

    CompletableFuture<?> written = one.write(likes, change());
    world.time.pass(Duration.ofMillis(1_900));
    assertThat(written).isNotDone();
    world.time.pass(Duration.ofMillis(200));
    assertThat(written).isCompleted();

    assertThat(rollup()).isEqualTo(2);
    world.time.pass(Duration.ofSeconds(10));
    assertThat(rollup()).isEqualTo(2);
    assertShown(false);
  }

  /** As many calls are under way as are allowed: those that wait make room. */
  @Test
  void documentsThatAreLocked_holdUpNoOtherCall() {
    List<CounterId> counters =
        IntStream.range(0, 360).mapToObj(i -> world.counter(CounterPath.of("c" + i))).toList();
    for (CounterId counter : counters) {
      world.put(counter.path(), new Total.Whole(1));
      world.appDocuments.hold(counter.path(), Duration.ofSeconds(9));
      var unused =
          one.write(
              counter,
              new Change(
                  Effect.CREATE,
                  Optional.empty(),
                  Optional.of(world.totals.sum(counter.path(), world.server.tick())),
                  Optional.empty()));
    }

    world.time.pass(Duration.ofSeconds(3));

    assertThat(world.server.list("rollups")).hasSize(counters.size());
  }

  /** The document may not be there: a new roll-up waits. One that is there is written alone. */
  @Test
  void readThatTakesTooLong_leavesTheRollupAlone() {
    appWrites(Map.of());
    increment();
    world.faults.late.put(Call.DOCUMENT, Duration.ofSeconds(5));

    var made = one.write(likes, change());
    world.time.pass(Duration.ofMillis(2_100));

    assertThat(made).isCompletedWithValue(Optional.empty());
    assertThat(world.totals.rollup(LIKES)).isEmpty();

    world.faults.late.clear();
    world.time.pass(Duration.ofSeconds(5));
    showNext(one);
    increment();
    world.faults.late.put(Call.DOCUMENT, Duration.ofSeconds(5));
    CompletableFuture<?> written = other.write(likes, change());
    world.time.pass(Duration.ofMillis(2_100));

    assertThat(written).isCompleted();
    assertThat(rollup()).isEqualTo(total);
    assertShown(false);
  }

  @Test
  void failedCall_fails() {
    appWrites(Map.of());
    world.faults.refused.add(Call.WRITE);
    increment();
    Change change = change();

    Map<Call, Integer> cost =
        stage.costs(() -> assertThat(stage.fails(one.write(likes, change))).isTrue());

    assertThat(cost).isEqualTo(READ_AND_WRITE);
  }

  @Test
  void fullDocument_isLeftForAMinute() {
    appWrites(Map.of());
    world.server.fill(DOCUMENT, List.of("stats", "likes"));

    assertThat(costOfNext(one)).isEqualTo(Map.of(Call.DOCUMENT, 1, Call.WRITE, 2));
    assertThat(costOfNext(one)).isEqualTo(WRITE);
    assertThat(document()).isEmpty();

    world.time.pass(Duration.ofMinutes(1));
    assertThat(costOfNext(one)).isEqualTo(Map.of(Call.DOCUMENT, 1, Call.WRITE, 2));
  }

  @Test
  void changeWithoutATotal_doesNotTouchTheDocument() {
    appWrites(Map.of("title", "x"));
    showNext(one);
    world.makeLive(LIKES, Duration.ZERO);
    Change end =
        new Change(Effect.END, world.totals.rollup(LIKES), Optional.empty(), Optional.empty());
    Map<String, Object> before = document();

    assertThat(stage.costs(() -> assertThat(write(one, end)).isTrue())).isEqualTo(WRITE);

    assertThat(document()).isEqualTo(before);
  }

  private boolean shows(Sum sum) {
    return stage.get(one.shows(likes, sum));
  }

  @Test
  void sweep_seesAFieldThatLags_andEndsItsBeingLeft() {
    appWrites(Map.of());
    showNext(other);
    world.delete(DOCUMENT); // it is left alone
    showNext(one);
    assertThat(shows(sum())).isTrue();
    appWrites(OBSTACLES);
    assertThat(shows(sum())).isTrue();

    appWrites(Map.of());
    assertThat(shows(sum())).isFalse();

    showNext(one);
    assertShown(true);
    assertThat(shows(sum())).isTrue();
    increment();
    assertThat(shows(sum())).isFalse();
  }

  /** Two shards, of 9 in all. */
  @Test
  void sweep_seesEachFigure() {
    world.put(LIKES, 0, Optional.of(8L));
    world.put(LIKES, 1, Optional.of(1L));
    appWrites(Map.of("title", "x"));
    assertThat(write(one, change())).isTrue();
    assertThat(document())
        .isEqualTo(
            Map.of("title", "x", "number", 2L, "stats", Map.of("likes", 9L, "average", 4.5)));
    assertThat(shows(sum())).isTrue();

    appWrites(Map.of("number", 2L, "stats", Map.of("likes", 8L, "average", 4.5)));
    assertThat(shows(sum())).isFalse();
    appWrites(Map.of("number", 3L, "stats", Map.of("likes", 9L, "average", 4.5)));
    assertThat(shows(sum())).isFalse();
    appWrites(Map.of("number", 2L, "stats", Map.of("likes", 9L, "average", 4.4)));
    assertThat(shows(sum())).isFalse();
    appWrites(Map.of("number", 2L, "stats", "a text"));
    assertThat(shows(sum())).isTrue();
    appWrites(Map.of("number", 3L, "stats", "a text"));
    assertThat(shows(sum())).isFalse();
  }

  /** The last total is 1, the next one 2. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "2", "1.0", "2.0"})
  void numberOfOurs_isReplacedWithoutAWord(String known) {
    appWrites(Map.of());
    showNext(one);
    Number number = known.contains(".") ? Double.valueOf(known) : (Number) Long.valueOf(known);
    appWrites(Map.of("stats", Map.of("likes", number)));

    showNext(other);

    assertShown(true);
    assertThat(stage.warnings()).isEmpty();
  }

  /** Nothing is lost that cannot be put back: it is told before the call, which takes its time. */
  @Test
  void numberOfTheApps_isToldBeforeItIsReplaced() {
    appWrites(Map.of());
    showNext(one);
    appWrites(Map.of("stats", Map.of("likes", 1_234L)));
    world.appDocuments.hold(LIKES, Duration.ofSeconds(6));

    showNext(other);
    showNext(other);

    assertThat(shown()).contains(1_234L);
    assertThat(stage.warnings())
        .singleElement()
        .asString()
        .contains("WARNING", "was=1234", "is=2", "field=stats.likes", "document=counters/likes");
  }

  /** Under a lease, an instance may have left it there. */
  @Test
  void numberUnderALease_isToldToo_butIsNoWarning() {
    world.makeLive(LIKES, Duration.ofMinutes(1));
    appWrites(Map.of("stats", Map.of("likes", 1_234L)));

    showNext(one);

    assertShown(true);
    assertThat(stage.warnings()).isEmpty();
    assertThat(world.history.lines()).contains("INFO", "was=1234", "is=1");
  }

  /** Apps make posts with likes: 0. */
  @Test
  void zeroWithoutARollup_isNobodys() {
    appWrites(Map.of("stats", Map.of("likes", 0L)));
    showNext(one);
    assertShown(true);
    assertThat(stage.warnings()).isEmpty();
  }

  @Test
  void numberWithoutARollup_isTold() {
    appWrites(Map.of("stats", Map.of("likes", 7L)));
    showNext(one);
    assertThat(stage.warnings()).singleElement().asString().contains("was=7", "is=1");
  }

  /** A handler gets the event of an increment. */
  private void handleNext() {
    ShardWrites handler =
        world.handler(world.instance(), Layout.DEFAULT, new Rollers(world, Layout.DEFAULT));
    increment();
    stage.get(handler.written(world.event(LIKES, world.server.lastCommit())));
    assertThat(rollup()).isEqualTo(total);
  }

  /**
   * The entry in the live list and the lease, which has ended, make the next run retry the fields.
   */
  @Test
  void fieldsThatAreRefused_areOwed() {
    appWrites(Map.of());
    showNext(one);
    appWritesBeforeCommits(2);

    handleNext();

    assertShown(false);
    assertThat(world.totals.isLive(LIKES)).isTrue();
    new Rollers(world, Layout.DEFAULT).start(/* wakeUp= */ false, 0);
    world.time.pass(Duration.ofSeconds(5));
    assertShown(true);
    assertThat(world.totals.isLive(LIKES)).isFalse();
  }

  /** The writer is told, so that it remembers the roll-up as it is. */
  @Test
  void writerOfFieldsThatAreOwed_isTold() {
    appWrites(Map.of());
    showNext(one);
    increment();
    Change change = change();
    Change retryFieldsLater =
        new Change(Effect.BEGIN, change.replaced(), change.sum(), change.sum().map(Sum::readTime));
    appWritesBeforeCommits(3);

    Optional<Written> written =
        stage.get(
            one.write(
                likes,
                new Change(
                    change.effect(),
                    change.replaced(),
                    change.sum(),
                    change.liveUntil(),
                    Optional.of(retryFieldsLater))));

    assertThat(written.orElseThrow().instead()).contains(retryFieldsLater);
    assertThat(world.totals.isLive(LIKES)).isTrue();
  }

  @Test
  void obstructedFields_areNotOwed() {
    appWrites(OBSTACLES);
    showNext(one);

    handleNext();

    assertThat(world.totals.isLive(LIKES)).isFalse();
  }

  /** The document was seen; if it has gone since, the roll-up goes, too. */
  @Test
  void zeroForADocumentThatHasGone_isRefused() {
    appWrites(Map.of());
    showNext(one);
    world.delete(DOCUMENT);
    world.delete(ServerTotals.shard(LIKES, 0));

    assertThat(write(one, emptied(Remains.OWN_DOCUMENT))).isFalse();
    assertThat(rollup()).isEqualTo(1);

    assertThat(write(one, emptied(Remains.UNCOUNTED))).isTrue();
    assertThat(rollup()).isZero();
  }

  private Change emptied(Remains remains) {
    return new Change(
        Effect.UPDATE,
        world.totals.rollup(LIKES),
        Optional.of(sum().withRemains(remains)),
        Optional.empty());
  }
}
