package dev.tallyroll.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.runs.Pass.End;
import dev.tallyroll.runs.Pass.Opened;
import dev.tallyroll.runs.RunStore.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Passes through eight items on four pages of two groups; a bookmark keeps the place in between.
 */
class PassTest {
  private static final Instant T = StillLoop.BEGINNING;
  private static final List<String> GROUPS = List.of("a", "b");
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final Loop loop = new Loop();
  private final InMemory bookmark = new InMemory();
  private final Items items = new Items();

  /** Time passes when somebody waits, and when a page takes long. */
  private static final class Loop extends StillLoop {
    @Override
    public CompletableFuture<Void> after(Duration delay) {
      now = now.plus(delay);
      return DONE;
    }
  }

  /** Two pages a group, two items a page: a1 a2, a3 a4, b1 b2, b3 b4. */
  private final class Items implements Pass.Pages<String> {
    final List<String> worked = new ArrayList<>();
    final Set<String> unreadable = new HashSet<>(); // the documents before pages that fail
    final CompletableFuture<Void> slow = new CompletableFuture<>();
    int budget = 100;
    Duration timeOfAPage = Duration.ZERO;

    @Override
    public List<String> groups() {
      return GROUPS;
    }

    @Override
    public boolean canBeginAfter(String group, String after) {
      return after.startsWith(group);
    }

    @Override
    public boolean isSpent() {
      return budget <= 0;
    }

    @Override
    public CompletableFuture<Pass.Page<String>> page(String group, String after, int failures) {
      if (unreadable.contains(group + after)) {
        return CompletableFuture.failedFuture(new IllegalStateException("UNAVAILABLE"));
      }
      budget -= 2;
      loop.now = loop.now.plus(timeOfAPage);
      return CompletableFuture.completedFuture(
          after.isEmpty()
              ? new Pass.Page<>(List.of(group + 1, group + 2), group + 2)
              : new Pass.Page<>(List.of(group + 3, group + 4), ""));
    }

    @Override
    public CompletableFuture<Void> work(String item) {
      worked.add(item);
      return item.equals("a1") ? slow : DONE;
    }
  }

  private static final class InMemory implements Pass.Bookmark {
    Optional<Place> place = Optional.empty();
    boolean isTaken;

    @Override
    public CompletableFuture<Opened> open() {
      return CompletableFuture.completedFuture(new Opened(!isTaken, place, T));
    }

    @Override
    public CompletableFuture<Boolean> keep(Place at) {
      place = Optional.of(at);
      return CompletableFuture.completedFuture(!isTaken);
    }

    @Override
    public CompletableFuture<Void> leave(Place at) {
      place = Optional.of(at);
      return DONE;
    }

    @Override
    public CompletableFuture<Void> close(Place end) {
      place = Optional.empty();
      return DONE;
    }
  }

  private Pass<String> pass(int atOnce) {
    return new Pass<>(items, bookmark, loop, atOnce, Duration.ofMinutes(1));
  }

  private List<String> worked() {
    List<String> worked = List.copyOf(items.worked);
    items.worked.clear();
    return worked;
  }

  private static Optional<Place> place(String group, String after) {
    return Optional.of(new Place(group, after, T));
  }

  @Test
  void pass_goesThroughAllGroups() {
    items.slow.complete(null);

    assertThat(pass(1).run()).isCompletedWithValue(End.COMPLETE);

    assertThat(worked()).containsExactly("a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4");
    assertThat(bookmark.place).isEmpty();
  }

  /** Each would else be a call deeper in the stack. */
  @Test
  void manyItemsThatEndAtOnce_areWorkedOn() {
    int[] worked = {0};
    Pass.Pages<Integer> many =
        new Pass.Pages<>() {
          @Override
          public List<String> groups() {
            return List.of("a");
          }

          @Override
          public boolean canBeginAfter(String group, String after) {
            return true;
          }

          @Override
          public boolean isSpent() {
            return false;
          }

          @Override
          public CompletableFuture<Pass.Page<Integer>> page(
              String group, String after, int failures) {
            List<Integer> items = IntStream.range(0, 50_000).boxed().toList();
            return CompletableFuture.completedFuture(new Pass.Page<>(items, ""));
          }

          @Override
          public CompletableFuture<Void> work(Integer item) {
            worked[0]++;
            return DONE;
          }
        };

    assertThat(new Pass<>(many, bookmark, loop, 8, Duration.ofMinutes(1)).run())
        .isCompletedWithValue(End.COMPLETE);
    assertThat(worked[0]).isEqualTo(50_000);
  }

  @Test
  void slowItem_delaysOnlyItself() {
    CompletableFuture<End> run = pass(2).run();

    assertThat(worked()).containsExactly("a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4");
    assertThat(run).isNotCompleted();
    items.slow.complete(null);
    assertThat(run).isCompletedWithValue(End.COMPLETE);
  }

  @Test
  void passThatMayLookNoFurther_isGoneOnWith() {
    items.slow.complete(null);
    for (List<String> next :
        List.of(List.of("a1", "a2"), List.of("a3", "a4"), List.of("b1", "b2"))) {
      items.budget = 2;
      assertThat(pass(1).run()).isCompletedWithValue(End.LEFT);
      assertThat(worked()).isEqualTo(next);
    }
    items.budget = 100;
    assertThat(pass(1).run()).isCompletedWithValue(End.COMPLETE);
    assertThat(worked()).containsExactly("b3", "b4");
  }

  @Test
  void pageThatFails_isWhereTheNextPassGoesOn() {
    items.slow.complete(null);
    items.unreadable.add("aa2");

    assertThat(pass(1).run()).isCompletedWithValue(End.LEFT);
    assertThat(worked()).containsExactly("a1", "a2");
    items.unreadable.clear();

    assertThat(pass(1).run()).isCompletedWithValue(End.COMPLETE);
    assertThat(worked()).containsExactly("a3", "a4", "b1", "b2", "b3", "b4");
  }

  /** Else one page that nobody can read would keep all others from being worked on. */
  @Test
  void pageThatKeepsFailing_doesNotKeepThoseBeforeIt() {
    items.slow.complete(null);
    items.unreadable.add("aa2");
    bookmark.place = place("a", "a2");

    assertThat(pass(1).run()).isCompletedWithValue(End.LEFT);

    assertThat(worked()).containsExactly("a1", "a2");
    assertThat(bookmark.place).isEqualTo(place("a", "a2"));
  }

  @Test
  void passThatIsStopped_keepsThePlaceBeforeWhatHasNotBegun() {
    Pass<String> pass = pass(1);
    CompletableFuture<End> run = pass.run();
    pass.stop();
    items.slow.complete(null);

    assertThat(run).isCompletedWithValue(End.LEFT);
    assertThat(worked()).containsExactly("a1");
    assertThat(bookmark.place).isEqualTo(place("a", ""));
  }

  @Test
  void timeThatIsUp_endsItBehindItsPage() {
    items.timeOfAPage = Duration.ofSeconds(30); // the pass may take a minute
    items.slow.complete(null);

    assertThat(pass(1).run()).isCompletedWithValue(End.LATE);
    assertThat(worked()).containsExactly("a1", "a2", "a3", "a4");
    assertThat(bookmark.place).isEqualTo(place("b", ""));
  }

  @Test
  void passBesideAnother_leavesItToThat() {
    bookmark.isTaken = true;

    assertThat(pass(1).run()).isCompletedWithValue(End.ANOTHER);
    assertThat(worked()).isEmpty();
  }

  /** The other has the place now. */
  @Test
  void passThatAnotherTakesOver_keepsNoPlace() {
    Pass<String> pass = pass(1);
    CompletableFuture<End> run = pass.run();
    bookmark.isTaken = true;
    items.slow.complete(null);

    assertThat(run).isCompletedWithValue(End.ANOTHER);
    assertThat(worked()).containsExactly("a1", "a2");
  }

  @Test
  void placeOfOtherSettings_isNone() {
    items.slow.complete(null);
    for (Place other : List.of(new Place("c", "", T), new Place("a", "b2", T))) {
      bookmark.place = Optional.of(other);
      assertThat(pass(1).run()).isCompletedWithValue(End.COMPLETE);
      assertThat(worked()).hasSize(8);
    }
  }

  @Test
  void timeOfTheFirstBeginning_goesWithThePlace() {
    items.slow.complete(null);
    Instant before = T.minusSeconds(700);
    bookmark.place = Optional.of(new Place("a", "a2", before));
    items.budget = 2;
    Pass<String> pass = pass(1);

    assertThat(pass.run()).isCompletedWithValue(End.LEFT);

    assertThat(pass.age()).isEqualTo(Duration.ofSeconds(700));
    assertThat(pass.isWhole()).isFalse();
    assertThat(bookmark.place).contains(new Place("b", "", before));
  }
}
