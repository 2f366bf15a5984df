package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.store.FirestoreStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * All short histories of two entries on one document: two instances of the deployed store write
 * both, in turn or at the same moment, and the app edits the document between. Each commit is
 * judged: fields hold the figures of their own entry, and nothing of the app's is replaced.
 */
class TwoEntriesTest {
  /** How many steps a history has. */
  private static final int LENGTH = Integer.getInteger("entries.length", 4);

  private static final CounterPath POST = CounterPath.of("p0");
  private static final String DOCUMENT = "posts/p0";

  private static final Layout LIKES = new Layout("posts/{post}/likes", "rollups_of_likes", "");
  private static final Layout SHARES = new Layout("posts/{post}/shares", "rollups_of_shares", "");

  private static final Map<Layout, Map<Figure, FieldName>> FIELDS =
      Map.of(
          LIKES, Map.of(Figure.COUNT, FieldName.of("likes")),
          SHARES, Map.of(Figure.COUNT, FieldName.of("stats", "shares")));

  /** Writes of one instance. */
  private static final Set<Step> WITHIN_ONE = EnumSet.range(Step.LIKE_ONE, Step.BOTH_ONE);

  /** What happens next. */
  private enum Step {
    LIKE_ONE,
    SHARE_ONE,
    BOTH_ONE,
    LIKE_OTHER,
    SHARE_OTHER,
    /** One instance writes the likes while the other writes the shares. */
    ACROSS,
    APP_EDITS,
    /** The app puts a text into the place of the likes. */
    APP_OBSTRUCTS,
    /** The app takes all fields out again. */
    APP_FREES
  }

  /** One history. */
  private static final class Play {
    private final World world =
        World.scripted(new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO, 10));
    private final PostsJudge judge = new PostsJudge(world, FIELDS);
    private final Entry likes = entry(LIKES);
    private final Entry shares = entry(SHARES);
    private final FirestoreStore one = store();
    private final FirestoreStore other = store();
    private int documents;
    private int refused;

    Play() {
      world.totals.checks = false;
      world.totals.onRollup((counter, rollup) -> {});
      world.server.observe(judge::committed);
      world.afterRefusal = commit -> refused++;
      world.put(DOCUMENT, Map.of("title", "x"));
    }

    private static Entry entry(Layout layout) {
      return ServerTotals.entry(
          layout,
          FIELDS.getOrDefault(layout, Map.of()),
          /* hasEvents= */ true,
          new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO, 10));
    }

    private FirestoreStore store() {
      return world.store(world.instance(), Layout.DEPLOYMENT, List.of(likes, shares));
    }

    void take(Step step) {
      switch (step) {
        case LIKE_ONE -> get(begin(one, likes));
        case SHARE_ONE -> get(begin(one, shares));
        case BOTH_ONE -> both(one, one);
        case LIKE_OTHER -> get(begin(other, likes));
        case SHARE_OTHER -> get(begin(other, shares));
        case ACROSS -> both(one, other);
        case APP_EDITS -> world.addField(DOCUMENT);
        case APP_OBSTRUCTS -> world.put(DOCUMENT, Map.of("title", "x", "likes", "many"));
        default -> world.put(DOCUMENT, Map.of("title", "x"));
      }
    }

    private void both(FirestoreStore first, FirestoreStore second) {
      get(CompletableFuture.allOf(begin(first, likes), begin(second, shares)));
    }

    /** Somebody writes a document, and an instance writes the new total. */
    private CompletableFuture<?> begin(FirestoreStore store, Entry entry) {
      CounterId counter = entry.counter(POST);
      world.put(counter.shards() + "/" + documents++, Map.of("at", world.time.now()));
      Optional<Rollup> stored = get(store.counters().rollups().read(counter)).rollup();
      Sum sum = get(store.counters().sums().sum(counter));
      Change change =
          new Change(
              stored.isPresent() ? Change.Effect.UPDATE : Change.Effect.CREATE,
              stored,
              Optional.of(sum),
              Optional.empty());
      return store.counters().rollups().write(counter, change);
    }

    private <T> T get(CompletableFuture<T> answer) {
      world.time.run(Duration.ofSeconds(30), answer::isDone);
      return answer.join();
    }

    /** Once what was in the way has gone, and was forgotten, the next totals are shown. */
    void end() {
      take(Step.APP_FREES);
      world.time.pass(Duration.ofSeconds(61));
      take(Step.BOTH_ONE);
      judge.checkAll(List.of(LIKES, SHARES), /* isFound= */ true);
    }
  }

  private static List<Step> history(int number) {
    List<Step> steps = new ArrayList<>();
    int rest = number;
    for (int i = 0; i < LENGTH; i++) {
      steps.add(Step.values()[rest % Step.values().length]);
      rest /= Step.values().length;
    }
    return steps;
  }

  @Test
  void everyHistory_showsEachFigureInItsOwnField() {
    int histories = (int) Math.round(Math.pow(Step.values().length, LENGTH));
    OwnPool.run(
        () ->
            IntStream.range(0, histories)
                .mapToObj(TwoEntriesTest::history)
                .filter(TwoEntriesTest::isNew)
                .toList()
                .parallelStream()
                .forEach(TwoEntriesTest::play));
  }

  /** Which instance is the first to write does not matter. */
  private static boolean isNew(List<Step> steps) {
    return WITHIN_ONE.contains(steps.get(0));
  }

  private static void play(List<Step> steps) {
    Play play = new Play();
    try {
      steps.forEach(play::take);
      if (WITHIN_ONE.containsAll(steps)) {
        assertThat(play.refused).as("refusals within one instance").isZero();
      }
      play.end();
    } catch (AssertionError broken) {
      throw new AssertionError(steps + ": " + broken.getMessage(), broken);
    }
  }
}
