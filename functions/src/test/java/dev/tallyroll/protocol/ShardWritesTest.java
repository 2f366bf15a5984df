package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The handler, with calls that are answered by a script. */
class ShardWritesTest {
  private static final Instant T = Instant.parse("2026-05-01T12:00:00Z");
  private static final CounterPath LIKES = CounterPath.of("likes");

  private final RollupStore store = mock(RollupStore.class);
  private final WakeUps wakeUps = mock(WakeUps.class);
  private final List<String> journal = new ArrayList<>();
  private final ShardWrites writes =
      new ShardWrites(
          store,
          wakeUps,
          (severity, message, fields) -> journal.add(severity + " " + message + " " + fields),
          new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO),
          () -> 7);

  private static <T> CompletableFuture<T> done(T answer) {
    return CompletableFuture.completedFuture(answer);
  }

  private static Reading stored(Optional<Lease> lease) {
    Instant before = T.minusSeconds(60);
    return new Reading(Optional.of(new Rollup(new Total.Whole(1), 1, before, lease, before)), T);
  }

  private static Sum sum(Instant readTime) {
    return new Sum(new Total.Whole(2), 1, readTime);
  }

  private CompletableFuture<Void> written(int second) {
    return writes.written(LIKES, Optional.of(T.plusSeconds(second)));
  }

  @Test
  void writeThatIsAlwaysRefused_isGivenUpAndDeliveredAgain() {
    when(store.read(LIKES)).thenReturn(done(stored(Optional.empty())));
    when(store.sum(LIKES)).thenReturn(done(sum(T.plusSeconds(1))));
    when(store.write(any(), any())).thenReturn(done(Optional.empty()));

    assertThat(written(0)).isCompletedExceptionally();

    verify(store, times(ShardWrites.MAX_ATTEMPTS)).read(LIKES);
    verify(store, times(ShardWrites.MAX_ATTEMPTS)).write(any(), any());
  }

  @Test
  void sumThatIsNotNewer_isReadAgain() {
    when(store.read(LIKES)).thenReturn(done(stored(Optional.empty())));
    when(store.sum(LIKES))
        .thenReturn(done(sum(T.minusSeconds(60))))
        .thenReturn(done(sum(T.plusSeconds(1))));
    when(store.write(any(), any())).thenReturn(done(Optional.of(T.plusSeconds(2))));

    assertThat(written(0)).isCompletedWithValue(null);

    verify(store, times(2)).read(LIKES);
    verify(store, times(1)).write(any(), any());
    verify(wakeUps, never()).wake(7);
  }

  @Test
  void sumThatCannotBeStored_isReportedAndDropped() {
    when(store.read(LIKES)).thenReturn(done(stored(Optional.empty())));
    when(store.sum(LIKES))
        .thenReturn(done(new Sum(new Total.Fraction(Double.NaN), 1, T.plusSeconds(1))));

    assertThat(written(0)).isCompletedWithValue(null);

    verify(store, never()).write(any(), any());
    assertThat(journal).hasSize(1).first().asString().startsWith("ERROR").contains("likes");
  }

  @Test
  void leaseThatWasRead_coversLaterEventsUnread() {
    when(store.read(LIKES)).thenReturn(done(stored(Optional.of(new Lease(T.plusSeconds(5), 3)))));

    assertThat(written(0)).isCompletedWithValue(null);
    assertThat(written(5)).isCompletedWithValue(null);

    verify(store, times(1)).read(LIKES);
    verify(store, never()).sum(LIKES);
  }

  @Test
  void leaseThatWasWritten_coversLaterEventsUnread() {
    when(store.read(LIKES)).thenReturn(done(new Reading(Optional.empty(), T)));
    when(store.sum(LIKES)).thenReturn(done(sum(T.plusSeconds(1))));
    when(store.write(any(), any())).thenReturn(done(Optional.of(T.plusSeconds(2))));
    when(wakeUps.wake(7)).thenReturn(CompletableFuture.completedFuture(null));

    assertThat(written(0)).isCompletedWithValue(null);
    assertThat(written(1)).isCompletedWithValue(null);

    verify(store, times(1)).read(LIKES);
    verify(wakeUps, times(1)).wake(7);
  }

  @Test
  void leaseThatWasSettledWithoutNews_isNoBurstWithTheNextWrite() {
    Rollup live = new Rollup(new Total.Whole(2), 1, T, Optional.of(new Lease(T, 3)), T);
    Instant settled = T.plusSeconds(9);
    Rollup quiet = new Rollup(live.total(), 1, settled, Optional.empty(), settled);
    when(store.read(LIKES))
        .thenReturn(done(new Reading(Optional.of(live), T)))
        .thenReturn(done(new Reading(Optional.of(quiet), settled.plusSeconds(1))));
    when(store.sum(LIKES)).thenReturn(done(sum(settled.plusSeconds(1))));
    when(store.write(any(), any())).thenReturn(done(Optional.of(settled.plusSeconds(1))));

    assertThat(written(0)).isCompletedWithValue(null);
    assertThat(writes.written(LIKES, Optional.of(settled.plusMillis(100))))
        .isCompletedWithValue(null);

    verify(store, times(1)).write(any(), any());
    verify(wakeUps, never()).wake(anyInt());
  }

  @Test
  void wakeUpThatFails_isLoggedAndNoReasonToRetry() {
    when(store.read(LIKES)).thenReturn(done(new Reading(Optional.empty(), T)));
    when(store.sum(LIKES)).thenReturn(done(sum(T.plusSeconds(1))));
    when(store.write(any(), any())).thenReturn(done(Optional.of(T.plusSeconds(2))));
    when(wakeUps.wake(7))
        .thenReturn(CompletableFuture.failedFuture(new IllegalStateException("no topic")));

    assertThat(written(0)).isCompletedWithValue(null);

    assertThat(journal).hasSize(1).first().asString().startsWith("WARNING").contains("no topic");
  }
}
