package dev.tallyroll.protocol;

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
import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.RollupStore.Found;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.RollupStore.Page;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.Sweep.Cursor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A sweep whose calls are answered by a script. */
class SweepTest {
  private static final Instant T = Instant.parse("2026-05-01T12:00:00Z");
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO);
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final CounterPath VOTES = CounterPath.of("votes");
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
          TIMING,
          loop,
          () -> 7);

  @BeforeEach
  void prepare() {
    when(loop.instant()).thenReturn(T);
    when(store.page(any(), any(), anyInt())).thenReturn(done(page("")));
  }

  private static <T> CompletableFuture<T> done(T answer) {
    return CompletableFuture.completedFuture(answer);
  }

  private static Page page(String last, Found... found) {
    return new Page(List.of(found), last);
  }

  private static Found wrong(CounterPath counter) {
    return new Found(counter, Optional.of(rollup()));
  }

  private static Rollup rollup() {
    return new Rollup(new Total.Whole(1), 1, T, Optional.empty(), T);
  }

  private void sums(CounterPath counter, Total total) {
    when(store.sum(counter)).thenReturn(done(new Sum(total, 1, T.plusSeconds(1))));
  }

  private Optional<Cursor> run() {
    return sweep.run(Cursor.START, LONG).join();
  }

  @Test
  void correctionThatIsRefused_isTriedAgainOnWhatIsReadThen() {
    when(store.page(eq(Group.ROLLUPS), any(), anyInt())).thenReturn(done(page("", wrong(LIKES))));
    sums(LIKES, new Total.Whole(2));
    when(store.write(any(), any()))
        .thenReturn(done(Optional.empty()))
        .thenReturn(done(Optional.of(T.plusSeconds(2))));
    when(store.read(LIKES)).thenReturn(done(new Reading(Optional.of(rollup()), T)));

    assertThat(run()).isEmpty();

    verify(store, times(2)).write(eq(LIKES), any());
    assertThat(journal.get(0)).startsWith("WARNING drift corrected").contains("was=1", "is=2");
    assertThat(journal.get(1)).endsWith("{checked=2, drift=1, failed=0}");
  }

  @Test
  void correctionThatIsAlwaysRefused_isLeftToTheOthers() {
    when(store.page(eq(Group.ROLLUPS), any(), anyInt())).thenReturn(done(page("", wrong(LIKES))));
    sums(LIKES, new Total.Whole(2));
    when(store.write(any(), any())).thenReturn(done(Optional.empty()));
    when(store.read(LIKES)).thenReturn(done(new Reading(Optional.of(rollup()), T)));

    assertThat(run()).isEmpty();

    verify(store, times(3)).write(eq(LIKES), any());
    assertThat(journal).containsExactly("INFO sweep {checked=3, drift=0, failed=0}");
  }

  @Test
  void counterThatFails_isNamedAndDelaysNoOther() {
    when(store.page(eq(Group.ROLLUPS), any(), anyInt()))
        .thenReturn(done(page("", wrong(LIKES), wrong(VOTES))));
    when(store.sum(LIKES))
        .thenReturn(CompletableFuture.failedFuture(new IllegalStateException("UNAVAILABLE")));
    sums(VOTES, new Total.Whole(2));
    when(store.write(any(), any())).thenReturn(done(Optional.of(T)));

    assertThat(run()).isEmpty();

    verify(store).write(eq(VOTES), any());
    assertThat(journal.get(0)).startsWith("WARNING not swept").contains("likes", "UNAVAILABLE");
    assertThat(journal.get(2)).endsWith("{checked=1, drift=1, failed=1}");
  }

  @Test
  void sumThatCannotBeStored_isReported() {
    when(store.page(eq(Group.ROLLUPS), any(), anyInt())).thenReturn(done(page("", wrong(LIKES))));
    sums(LIKES, new Total.Fraction(Double.NaN));

    assertThat(run()).isEmpty();

    verify(store, times(0)).write(any(), any());
    assertThat(journal.get(0)).startsWith("ERROR sum is not a number").contains("likes");
  }

  @Test
  void sumThatIsTooOld_isNoReasonToReport() {
    when(store.page(eq(Group.ROLLUPS), any(), anyInt())).thenReturn(done(page("", wrong(LIKES))));
    when(store.sum(LIKES)).thenReturn(done(new Sum(new Total.Whole(2), 1, T)));

    assertThat(run()).isEmpty();

    assertThat(journal).containsExactly("INFO sweep {checked=1, drift=0, failed=0}");
  }

  @Test
  void counterWithoutRollup_getsOneAndARoller() {
    when(store.page(eq(Group.COUNTERS), any(), anyInt()))
        .thenReturn(
            done(page("", new Found(LIKES, Optional.empty()), new Found(VOTES, Optional.empty()))));
    when(store.read(LIKES)).thenReturn(done(new Reading(Optional.empty(), T)));
    when(store.read(VOTES)).thenReturn(done(new Reading(Optional.of(rollup()), T)));
    sums(LIKES, new Total.Whole(2));
    when(store.write(any(), any())).thenReturn(done(Optional.of(T)));

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
