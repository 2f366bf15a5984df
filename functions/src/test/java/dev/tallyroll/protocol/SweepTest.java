package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.T;
import static dev.tallyroll.protocol.Examples.VOTES;
import static dev.tallyroll.protocol.Examples.WITHOUT_SLACK;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.done;
import static dev.tallyroll.protocol.Examples.failed;
import static dev.tallyroll.protocol.Examples.noLease;
import static dev.tallyroll.protocol.Examples.rollup;
import static dev.tallyroll.protocol.Examples.sum;
import static dev.tallyroll.protocol.Examples.unusable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Rollup;
import dev.tallyroll.protocol.RollupStore.Found;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.RollupStore.Page;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.Sweep.Cursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A sweep whose calls are answered by a script. */
class SweepTest {
  private static final Rollup WRONG = rollup(1, 0, noLease());
  private static final Duration LONG = Duration.ofMinutes(1);

  private final RollupStore store = mock(RollupStore.class);
  private final List<String> journal = new ArrayList<>();
  private final List<Integer> wakeUps = new ArrayList<>();
  private final EventLoop loop = mock(EventLoop.class);
  private final Sweep sweep =
      new Sweep(
          store,
          lane -> {
            wakeUps.add(lane);
            return CompletableFuture.completedFuture(null);
          },
          (severity, message, fields) -> journal.add(severity + " " + message + " " + fields),
          WITHOUT_SLACK,
          loop,
          () -> 7);

  @BeforeEach
  void prepare() {
    when(loop.instant()).thenReturn(T);
    when(store.page(any(), any(), anyInt())).thenReturn(done(page("")));
    when(store.sum(any())).thenReturn(done(sum(2, 1)));
    when(store.read(any())).thenReturn(done(new Reading(Optional.of(WRONG), T)));
    when(store.write(any(), any())).thenReturn(done(Optional.of(at(2))));
  }

  private static Page page(String last, Found... found) {
    return new Page(List.of(found), last);
  }

  /** Their roll-ups say 1, and their shards add up to 2. */
  private void findWrong(CounterPath... counters) {
    Found[] found =
        Stream.of(counters)
            .map(counter -> new Found(counter, Optional.of(WRONG)))
            .toArray(Found[]::new);
    when(store.page(eq(Group.ROLLUPS), any(), anyInt())).thenReturn(done(page("", found)));
  }

  private Optional<Cursor> run() {
    return sweep.run(Cursor.START, LONG).join();
  }

  @Test
  void correctionThatIsRefused_isTriedAgainOnWhatIsReadThen() {
    findWrong(LIKES);
    when(store.write(any(), any()))
        .thenReturn(done(Optional.empty()))
        .thenReturn(done(Optional.of(at(2))));

    assertThat(run()).isEmpty();

    verify(store, times(2)).write(eq(LIKES), any());
    assertThat(journal.get(0)).startsWith("WARNING drift corrected").contains("was=1", "is=2");
    assertThat(journal.get(1)).endsWith("{checked=2, drift=1, failed=0}");
  }

  @Test
  void correctionThatIsAlwaysRefused_isLeftToTheOthers() {
    findWrong(LIKES);
    when(store.write(any(), any())).thenReturn(done(Optional.empty()));

    assertThat(run()).isEmpty();

    verify(store, times(3)).write(eq(LIKES), any());
    assertThat(journal).containsExactly("INFO sweep {checked=3, drift=0, failed=0}");
  }

  @Test
  void counterThatFails_isNamedAndDelaysNoOther() {
    findWrong(LIKES, VOTES);
    when(store.sum(LIKES)).thenReturn(failed("UNAVAILABLE"));

    assertThat(run()).isEmpty();

    verify(store).write(eq(VOTES), any());
    assertThat(journal.get(0)).startsWith("WARNING not swept").contains("likes", "UNAVAILABLE");
    assertThat(journal.get(2)).endsWith("{checked=1, drift=1, failed=1}");
  }

  @Test
  void sumThatCannotBeStored_isReported() {
    findWrong(LIKES);
    when(store.sum(LIKES)).thenReturn(done(unusable(1)));

    assertThat(run()).isEmpty();

    verify(store, times(0)).write(any(), any());
    assertThat(journal.get(0)).startsWith("ERROR sum is not a number").contains("likes");
  }

  @Test
  void sumThatIsTooOld_isNoReasonToReport() {
    findWrong(LIKES);
    when(store.sum(LIKES)).thenReturn(done(sum(2, 0)));

    assertThat(run()).isEmpty();

    assertThat(journal).containsExactly("INFO sweep {checked=1, drift=0, failed=0}");
  }

  @Test
  void counterWithoutRollup_getsOneAndARoller() {
    when(store.page(eq(Group.COUNTERS), any(), anyInt()))
        .thenReturn(
            done(page("", new Found(LIKES, Optional.empty()), new Found(VOTES, Optional.empty()))));
    when(store.read(LIKES)).thenReturn(done(new Reading(Optional.empty(), T)));

    assertThat(run()).isEmpty();

    verify(store).write(eq(LIKES), any(Change.Create.class));
    verify(store, times(0)).sum(VOTES);
    assertThat(wakeUps).containsExactly(7);
    assertThat(journal.get(0)).contains("was=absent");
  }

  @Test
  void pages_followEachOtherThroughBothGroups() {
    when(store.page(eq(Group.ROLLUPS), eq(""), anyInt())).thenReturn(done(page("rollups/a")));

    assertThat(run()).isEmpty();

    verify(store).page(eq(Group.ROLLUPS), eq("rollups/a"), anyInt());
    verify(store).page(eq(Group.COUNTERS), eq(""), anyInt());
  }

  @Test
  void sweepAtItsDeadline_saysWhereToGoOn() {
    when(loop.instant()).thenReturn(T, T, T.plus(LONG));
    when(store.page(eq(Group.ROLLUPS), eq(""), anyInt())).thenReturn(done(page("rollups/a")));

    assertThat(run()).contains(new Cursor(Group.ROLLUPS, "rollups/a"));
  }
}
