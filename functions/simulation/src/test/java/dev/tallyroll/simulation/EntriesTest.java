package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.firestore.v1.Write;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.protocol.ShardWrite;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.runs.Pass;
import dev.tallyroll.runs.PassKind;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.store.FirestoreStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Several entries in one deployment: their periods, their turns, and their shares of a sweep. */
class EntriesTest {
  private static final CounterPath POST = CounterPath.of("p1");
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration LONG = Duration.ofMinutes(3);

  private static final Layout LIKES = new Layout("posts/{post}/likes", "rollups_of_likes", "");
  private static final Layout COMMENTS =
      new Layout("posts/{post}/comments", "rollups_of_comments", "");

  private final World world = World.scripted(timing(SECOND));

  EntriesTest() {
    world.totals.checks = false; // it knows no posts
    world.totals.onRollup((counter, rollup) -> {});
  }

  private static Timing timing(Duration every) {
    return new Timing(every, every.multipliedBy(5), Duration.ZERO, 10);
  }

  private static Entry entry(Layout layout, Duration every) {
    FieldName field = FieldName.of(layout.shards());
    return ServerTotals.entry(
        layout, Map.of(Figure.COUNT, field), /* hasEvents= */ true, timing(every));
  }

  private static Entry polled(Layout layout, Duration every) {
    return ServerTotals.entry(layout, Map.of(), /* hasEvents= */ false, timing(every));
  }

  private Rollers.RollUpInstance run(Entry... entries) {
    return new Rollers(world, Layout.DEPLOYMENT, () -> List.of(entries)).new RollUpInstance();
  }

  private FirestoreStore store(Entry... entries) {
    return world.store(world.instance(), Layout.DEPLOYMENT, List.of(entries));
  }

  private void document(Layout layout, int number) {
    world.put(layout.shardsCollection(POST) + "/" + number, Map.of("at", world.time.now()));
  }

  /** Makes the total of a post live for a time. */
  private void makeLive(Entry entry) {
    CounterId counter = entry.counter(POST);
    Map<String, String> mark = ServerTotals.mark(entry.layout(), POST);
    document(entry.layout(), 0);
    world.put(
        counter.rollup(),
        Map.of(
            "counter", mark.get("counter"),
            "total_of", mark.get("total_of"),
            "count", 1L,
            "shards", 1L,
            "as_of", world.server.tick(),
            "live_until", world.time.now().plus(LONG)));
    world.put(
        Layout.liveList(Layout.DEPLOYMENT) + "/" + counter.liveId(),
        Map.of(
            "counter", mark.get("counter"),
            "total_of", mark.get("total_of"),
            "since", world.time.now()));
  }

  private long total(Layout layout) {
    return world
        .server
        .document(layout.rollupDocument(POST))
        .map(rollup -> rollup.getFieldsOrThrow("count").getIntegerValue())
        .orElse(-1L);
  }

  private <T> T get(CompletableFuture<T> answer) {
    world.time.run(MINUTE, answer::isDone);
    return answer.join();
  }

  /** A slow one costs what it costs alone, and a fast one waits for none. */
  @Test
  void liveCounters_areSummedWhenTheirOwnPeriodIsDue() {
    Entry fast = entry(LIKES, Duration.ofMillis(200));
    Entry slow = entry(COMMENTS, Duration.ofSeconds(10));
    makeLive(fast);
    makeLive(slow);
    Rollers.RollUpInstance run = run(fast, slow);
    run.take(/* wakeUp= */ false, 0);
    world.time.pass(Duration.ofSeconds(2));
    int before = run.instance.calls.of(Call.SUM);
    int looks = run.instance.calls.of(Call.LIVE_SINCE);
    int reads = run.instance.calls.of(Call.READ_RUN);

    world.time.pass(Duration.ofSeconds(20));

    assertThat(run.endings).isEmpty();
    assertThat(run.instance.calls.of(Call.SUM) - before).isBetween(100, 104);
    assertThat(run.instance.calls.of(Call.LIVE_SINCE) - looks).as("once a second").isEqualTo(20);
    assertThat(run.instance.calls.of(Call.READ_RUN) - reads).isBetween(19, 20);
    document(LIKES, 1);
    document(COMMENTS, 1);
    world.time.pass(Duration.ofMillis(300));
    assertThat(total(LIKES)).isEqualTo(2);
    assertThat(total(COMMENTS)).isEqualTo(1);
    world.time.pass(Duration.ofSeconds(10));
    assertThat(total(COMMENTS)).isEqualTo(2);
  }

  /**
   * What is live of it waits for the schedule, and keeps no run alive; what comes meanwhile does.
   */
  @Test
  void entryOfAMinute_keepsNoRunAlive_andHoldsUpNone() {
    Entry fast = entry(LIKES, SECOND);
    Entry slow = entry(COMMENTS, MINUTE);
    makeLive(slow);
    document(COMMENTS, 1);
    Rollers.RollUpInstance run = run(fast, slow);

    run.take(/* wakeUp= */ false, 0);
    world.time.pass(Duration.ofSeconds(2));

    assertThat(run.endings).containsExactly("LEFT_TO_SCHEDULE");
    assertThat(total(COMMENTS)).isEqualTo(2);
    makeLive(fast);
    Rollers.RollUpInstance next = run(fast, slow);
    next.take(/* wakeUp= */ true, 0);
    world.time.pass(Duration.ofSeconds(30));
    assertThat(next.endings).isEmpty();
    assertThat(next.instance.calls.of(Call.SUM)).isBetween(30, 34);
  }

  /** A run that leaves the rest to the schedule was asked for again while it gave up its claim. */
  @Test
  void counterThatBecomesLiveAtTheEnd_isNotLeftToTheSchedule() {
    Entry fast = entry(LIKES, SECOND);
    Entry slow = entry(COMMENTS, MINUTE);
    makeLive(slow);
    world.faults.late.put(Call.RELEASE_RUN, Duration.ofSeconds(3));
    Rollers.RollUpInstance run = run(fast, slow);
    run.take(/* wakeUp= */ false, 0);
    world.time.pass(Duration.ofSeconds(2));
    assertThat(run.instance.calls.of(Call.RELEASE_RUN)).as("on its way").isEqualTo(1);
    makeLive(fast);
    document(LIKES, 1);

    world.time.pass(Duration.ofSeconds(5));

    assertThat(run.endings).isEmpty();
    assertThat(total(LIKES)).isEqualTo(2);
  }

  /** The schedule begins such a poll; wake-ups do not. */
  @Test
  void pollOfAMinute_isTheSchedules() {
    Entry fast = entry(LIKES, SECOND);
    Entry slow = polled(COMMENTS, MINUTE);
    makeLive(fast);
    document(COMMENTS, 0);
    Rollers.RollUpInstance woken = run(fast, slow);
    woken.take(/* wakeUp= */ true, 0);
    world.time.pass(Duration.ofSeconds(10));
    assertThat(total(COMMENTS)).isEqualTo(-1);

    Rollers.RollUpInstance scheduled = run(fast, slow);
    scheduled.take(/* wakeUp= */ false, 0);
    world.time.pass(Duration.ofSeconds(10));

    assertThat(total(COMMENTS)).isEqualTo(1);
    assertThat(scheduled.endings).isEmpty();
    document(LIKES, 1);
    world.time.pass(Duration.ofSeconds(2));
    assertThat(total(LIKES)).isEqualTo(2);
  }

  /** A poll that takes long keeps no live counter waiting. */
  @Test
  void slowPoll_delaysNoLiveCounter() {
    Entry fast = entry(LIKES, SECOND);
    Entry slow = polled(COMMENTS, MINUTE);
    makeLive(fast);
    document(COMMENTS, 0);
    world.faults.late.put(Call.PAGE, Duration.ofSeconds(20));
    Rollers.RollUpInstance run = run(fast, slow);
    run.take(/* wakeUp= */ false, 0);
    world.time.pass(Duration.ofSeconds(3));
    document(LIKES, 1);
    world.time.pass(Duration.ofMillis(1_100));

    assertThat(total(LIKES)).isEqualTo(2);
    assertThat(total(COMMENTS)).isEqualTo(-1);
    world.time.pass(Duration.ofSeconds(70));
    assertThat(total(COMMENTS)).isEqualTo(1);
  }

  /** Likes and comments of a post, at the same moment: one reads the post, and none is refused. */
  @Test
  void entriesOfOneDocument_takeTurns() {
    Entry likes = entry(LIKES, SECOND);
    Entry comments = entry(COMMENTS, SECOND);
    world.put("posts/p1", Map.of("title", "x"));
    int[] refused = {0};
    world.afterRefusal = commit -> refused[0]++;
    ShardWrites writes =
        world.handler(world.instance(), Layout.DEPLOYMENT, List.of(likes, comments), id -> done());
    for (int i = 0; i < 5; i++) {
      document(LIKES, i);
      document(COMMENTS, i);
      get(
          CompletableFuture.allOf(
              writes.written(created(likes, i)), writes.written(created(comments, i))));
    }

    assertThat(refused[0]).isZero();
    assertThat(world.calls.of(Call.DOCUMENT)).as("one for each entry").isEqualTo(2);
    assertThat(world.calls.of(Call.WRITE)).isEqualTo(10);
    Map<String, ?> post =
        Protos.objects(world.server.document("posts/p1").orElseThrow().getFieldsMap());
    assertThat(post).isEqualTo(Map.of("title", "x", "likes", 5L, "comments", 5L));
  }

  /**
   * An app writes a text into the field of the likes. The comments meet that version first; then
   * the likes read the post again, and leave the text.
   */
  @Test
  void textThatComesMeanwhile_isNotReplaced() {
    Entry likes = entry(LIKES, SECOND);
    Entry comments = entry(COMMENTS, SECOND);
    world.put("posts/p1", Map.of("title", "x"));
    ShardWrites writes =
        world.handler(world.instance(), Layout.DEPLOYMENT, List.of(likes, comments), id -> done());
    for (int i = 0; i < 2; i++) {
      document(LIKES, i);
      get(writes.written(created(likes, i)));
      document(COMMENTS, i);
      get(writes.written(created(comments, i)));
    }
    world.put("posts/p1", Map.of("title", "x", "likes", "a text", "comments", 2L));
    for (int i = 2; i < 4; i++) { // the first is refused; each reads the post
      document(COMMENTS, i);
      get(writes.written(created(comments, i)));
    }

    document(LIKES, 2);
    get(writes.written(created(likes, 2)));

    assertThat(field()).isEqualTo("a text");
    assertThat(total(LIKES)).isEqualTo(3);
  }

  /**
   * An entry takes over a field from another. The old instances are the last to write it, and then
   * they are gone: the pass mends it.
   */
  @Test
  void fieldThatChangesHands_isRightAfterThePass() {
    Entry likes = entry(LIKES, SECOND);
    Entry comments = ServerTotals.entry(COMMENTS, Map.of(), /* hasEvents= */ true, timing(SECOND));
    Entry likesAlone = ServerTotals.entry(LIKES, Map.of(), /* hasEvents= */ true, timing(SECOND));
    Entry heirs =
        ServerTotals.entry(
            COMMENTS,
            Map.of(Figure.COUNT, FieldName.of("likes")),
            /* hasEvents= */ true,
            timing(SECOND));
    world.put("posts/p1", Map.of("title", "x"));
    ShardWrites old =
        world.handler(world.instance(), Layout.DEPLOYMENT, List.of(likes, comments), id -> done());
    ShardWrites young =
        world.handler(
            world.instance(), Layout.DEPLOYMENT, List.of(likesAlone, heirs), id -> done());
    document(COMMENTS, 0);
    get(young.written(created(heirs, 0)));
    assertThat(field()).isEqualTo(1L);
    for (int i = 0; i < 3; i++) {
      document(LIKES, i);
      get(old.written(created(likes, i)));
    }
    assertThat(field()).as("the old instance's").isEqualTo(3L);

    world.sweep(Layout.DEPLOYMENT, List.of(likesAlone, heirs));

    assertThat(field()).isEqualTo(1L);
    assertThat(total(LIKES)).isEqualTo(3);
  }

  private Object field() {
    return Protos.objects(world.server.document("posts/p1").orElseThrow().getFieldsMap())
        .getOrDefault("likes", "none");
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }

  private ShardWrite created(Entry entry, int number) {
    return new ShardWrite(
        entry.counter(POST),
        Integer.toString(number),
        Optional.of(world.server.lastCommit()),
        Optional.empty());
  }

  private Pass.End sweep(FirestoreStore store, int looks) {
    RunSettings few =
        new RunSettings(SECOND, Duration.ZERO, 1, MINUTE, SECOND, Duration.ofMinutes(8), looks);
    World.Instance instance = world.instance();
    return get(
        new Sweep(store.counters(), store.runs(), world.history, instance, few).run(PassKind.PART));
  }

  /** Posts are listed once, for both: each page of the list costs a read a post. */
  @Test
  void documentsThatEntriesShare_areListedOnceByASweep() {
    Entry likes = entry(LIKES, SECOND);
    Entry comments = entry(COMMENTS, SECOND);
    for (int i = 0; i < 10; i++) {
      world.put("posts/q" + i, Map.of("title", "x"));
    }
    world.put("posts/p1", Map.of("title", "x"));
    document(LIKES, 0);
    document(COMMENTS, 0);

    assertThat(sweep(store(likes, comments), 200)).isEqualTo(Pass.End.COMPLETE);

    assertThat(total(LIKES)).isEqualTo(1);
    assertThat(total(COMMENTS)).isEqualTo(1);
    assertThat(world.calls.of(Call.PAGE)).as("two of roll-ups, one of posts").isEqualTo(3);
    assertThat(world.history.sum("sweep.looked")).as("and a new roll-up").isEqualTo(12);
  }

  /** Each has too little time, and comes to its own end once; what is done is not done again. */
  @Test
  void sweepOfEverything_goesOnWithTheEntriesThatAreLeft() {
    Entry likes = entry(LIKES, SECOND);
    Entry comments = entry(COMMENTS, SECOND);
    for (int i = 0; i < 250; i++) {
      world.put(LIKES.rollupDocument(CounterPath.of("q" + i)), Map.of("title", "of others"));
    }
    world.put("posts/p1", Map.of("title", "x"));
    document(COMMENTS, 0);
    World.Instance instance = world.instance();
    FirestoreStore store = store(likes, comments);
    RunSettings brief =
        new RunSettings(SECOND, Duration.ZERO, 1, MINUTE, SECOND, Duration.ofMillis(200), 0);
    Sweep sweep = new Sweep(store.counters(), store.runs(), world.history, instance, brief);
    int messages = 1;
    Pass.End end = get(sweep.run(PassKind.ALL));
    while (end == Pass.End.LATE) {
      end = get(sweep.run(PassKind.REST));
      messages++;
    }

    assertThat(end).isEqualTo(Pass.End.COMPLETE);
    assertThat(messages).isGreaterThan(1);
    assertThat(total(COMMENTS)).isEqualTo(1);
    assertThat(world.history.sum("sweep.looked")).as("each once").isEqualTo(251);
    assertThat(get(sweep.run(PassKind.REST))).as("nothing is left").isEqualTo(Pass.End.COMPLETE);
    assertThat(world.history.sum("sweep.looked")).isEqualTo(251);
  }

  /** A large one leaves the others their share, and each goes on at its own place. */
  @Test
  void entries_haveEqualSharesOfASweep_andPlacesOfTheirOwn() {
    Entry likes = entry(LIKES, SECOND);
    Entry comments = entry(COMMENTS, SECOND);
    List<Write> wrong = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      CounterPath post = CounterPath.of("q%02d".formatted(i));
      wrong.add(Writes.set(LIKES.rollupDocument(post), Map.of("title", "of others")));
    }
    world.commit(wrong.toArray(Write[]::new));
    world.put("posts/p1", Map.of("title", "x"));
    document(COMMENTS, 0);
    FirestoreStore store = store(likes, comments);

    assertThat(sweep(store, 20)).isEqualTo(Pass.End.LEFT);
    assertThat(world.history.sum("sweep.looked")).isEqualTo(10);
    assertThat(sweep(store, 20)).isEqualTo(Pass.End.LEFT);
    assertThat(sweep(store, 20)).isEqualTo(Pass.End.LEFT);
    assertThat(sweep(store, 20)).isEqualTo(Pass.End.COMPLETE);
    assertThat(total(COMMENTS)).as("listed with the likes' posts").isEqualTo(1);
  }
}
