package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.WITHOUT_SLACK;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.done;
import static dev.tallyroll.protocol.Examples.failed;
import static dev.tallyroll.protocol.Examples.leaseUntil;
import static dev.tallyroll.protocol.Examples.noLease;
import static dev.tallyroll.protocol.Examples.nothing;
import static dev.tallyroll.protocol.Examples.rollup;
import static dev.tallyroll.protocol.Examples.sum;
import static dev.tallyroll.protocol.Examples.unusable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockingDetails;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.RollupWriter.Written;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.WakeUps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The handler, whose calls a script answers. */
class ShardWritesTest {
  private static final Reading SETTLED = stored(rollup(1, -60, noLease()));

  private final RollupStore store = mock(RollupStore.class);
  private final WakeUps wakeUps = mock(WakeUps.class, CALLS_REAL_METHODS);
  private final EventLoop loop = mock(EventLoop.class);
  private final List<String> journal = new ArrayList<>();
  private final ShardWrites writes =
      new ShardWrites(
          store,
          wakeUps,
          (severity, message, fields) -> journal.add(severity + " " + message + " " + fields),
          loop,
          WITHOUT_SLACK);

  private static Reading stored(Rollup rollup) {
    return new Reading(Optional.of(rollup), rollup.updateTime());
  }

  @BeforeEach
  void answer() {
    when(store.agree(any(), any())).thenReturn(done(true));
    when(store.agree(any())).thenReturn(done(true));
    when(loop.after(any())).thenReturn(new CompletableFuture<>());
    when(store.layout()).thenReturn(Layout.DEFAULT);
    when(store.read(LIKES)).thenReturn(done(SETTLED));
    when(store.confirmedSum(LIKES)).thenReturn(done(sum(2, 1)));
    when(store.write(any(), any())).thenReturn(Examples.written(2));
    doReturn(CompletableFuture.completedFuture(null)).when(wakeUps).wake(any());
  }

  private CompletableFuture<Void> written(double second) {
    return writes.written(Examples.write(LIKES, at(second)));
  }

  private void assertHandled(double second) {
    assertThat(written(second)).isCompletedWithValue(null);
  }

  /** Each sum is newer than the one before; the third write makes the counter live. */
  private void assertTwoOfABurstHandled() {
    when(store.confirmedSum(LIKES))
        .thenReturn(done(sum(2, 4)))
        .thenReturn(done(sum(3, 5)))
        .thenReturn(done(sum(4, 6)));
    assertHandled(0);
    assertHandled(2);
  }

  @Test
  void writeThatIsAlwaysRefused_isGivenUpAndDeliveredAgain() {
    when(store.write(any(), any())).thenReturn(done(Optional.empty()));

    assertThat(written(0)).isCompletedExceptionally();

    verify(store, times(ShardWrites.MAX_ATTEMPTS)).read(LIKES);
    verify(store, times(ShardWrites.MAX_ATTEMPTS)).write(any(), any());
  }

  @Test
  void sumThatIsNotNewer_isReadAgain() {
    when(store.confirmedSum(LIKES)).thenReturn(done(sum(2, -60))).thenReturn(done(sum(2, 1)));

    assertHandled(0);

    verify(store, times(2)).read(LIKES);
    verify(store, times(1)).write(any(), any());
    verify(wakeUps, never()).wake(any());
  }

  @Test
  void sumThatCannotBeStored_isReportedAndDropped() {
    when(store.confirmedSum(LIKES)).thenReturn(done(unusable(1)));

    assertHandled(0);

    verify(store, never()).write(any(), any());
    assertThat(journal).hasSize(1).first().asString().startsWith("ERROR").contains("likes");
  }

  static Stream<Arguments> readingsAndSumsInVain() {
    Rollup foreign =
        new Rollup(new Total.Whole(1), 1, at(-9), noLease(), at(-9), Rollup.Whose.FOREIGN);
    return Stream.of(
        arguments(SETTLED, unusable(1)),
        arguments(SETTLED, nothing(1).doubted(Sum.Cause.NO_FIELD, "")),
        arguments(new Reading(Optional.empty(), at(0)), nothing(1)),
        arguments(stored(foreign), sum(2, 1)));
  }

  @ParameterizedTest
  @MethodSource("readingsAndSumsInVain")
  void whereNothingCanBeStored_oneLookASecondIsEnough(Reading reading, Sum sum) {
    when(store.read(LIKES)).thenReturn(done(reading));
    when(store.confirmedSum(LIKES)).thenReturn(done(sum));
    CompletableFuture<Void> pause = new CompletableFuture<>();
    when(loop.after(Duration.ofSeconds(1))).thenReturn(pause).thenReturn(new CompletableFuture<>());
    assertHandled(0);

    List<CompletableFuture<Void>> others =
        IntStream.rangeClosed(1, 100).mapToObj(this::written).toList();

    assertThat(others).noneMatch(CompletableFuture::isDone);
    long afterOne = calls();
    pause.complete(null);
    assertThat(others).allMatch(CompletableFuture::isDone);
    var unused = written(101);
    assertThat(calls()).isBetween(afterOne + 1, 2 * afterOne);
    verify(store, never()).write(any(), any());
  }

  private long calls() {
    return mockingDetails(store).getInvocations().stream()
        .filter(call -> Set.of("read", "confirmedSum").contains(call.getMethod().getName()))
        .count();
  }

  @Test
  void leaseThatWasRead_coversLaterEventsUnread() {
    when(store.read(LIKES)).thenReturn(done(stored(rollup(1, -60, leaseUntil(5)))));

    assertHandled(0);
    assertHandled(5);

    verify(store, times(1)).read(LIKES);
    verify(store, never()).confirmedSum(LIKES);
  }

  @Test
  void burst_makesTheCounterLiveAndCoversLaterEventsUnread() {
    assertTwoOfABurstHandled();
    verify(wakeUps, never()).wake(any());
    assertHandled(4);
    assertHandled(10);

    verify(store).read(LIKES);
    verify(store, times(2)).write(any(), any());
    verify(store).write(eq(LIKES), argThat(ShardWritesTest::begins));
    verify(wakeUps).wake(LIKES.liveId());
  }

  private static boolean begins(Change change) {
    return change.kind() == Change.Kind.BEGIN;
  }

  /** Other instances write between this instance's sum and its write, once or twice. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void contention_makesTheCounterLiveAtTheSecondTime(int times) {
    Reading second = stored(rollup(2, 1, noLease()).at(at(1.500)));
    Reading third = stored(rollup(3, 1, noLease()).at(at(2.500)));
    when(store.read(LIKES))
        .thenReturn(done(SETTLED))
        .thenReturn(done(second))
        .thenReturn(done(third));
    when(store.confirmedSum(LIKES))
        .thenReturn(done(sum(2, 1)))
        .thenReturn(done(sum(3, 2)))
        .thenReturn(done(sum(4, 3)));
    Optional<Written> again = Optional.of(new Written(at(4))).filter(unused -> times == 1);
    when(store.write(any(), any()))
        .thenReturn(done(Optional.empty()))
        .thenReturn(done(again))
        .thenReturn(Examples.written(4));

    assertHandled(1);

    int live = times - 1;
    verify(store, times(live)).write(eq(LIKES), argThat(ShardWritesTest::begins));
    verify(wakeUps, times(live)).wake(LIKES.liveId());
  }

  /** This instance remembered an old version, so the refusal is no sign of many writes. */
  @Test
  void refusalByAnOlderWrite_makesNothingLive() {
    when(store.confirmedSum(LIKES))
        .thenReturn(done(sum(2, 1)))
        .thenReturn(done(sum(3, 31)))
        .thenReturn(done(sum(3, 32)));
    assertHandled(0);
    when(store.read(LIKES)).thenReturn(done(stored(rollup(2, 20, noLease()))));
    when(store.write(any(), any()))
        .thenReturn(done(Optional.empty()))
        .thenReturn(Examples.written(33));

    assertHandled(30);

    verify(store, never()).write(eq(LIKES), argThat(ShardWritesTest::begins));
  }

  @Test
  void wakeUpThatFails_isLoggedAndNoReasonToRetry() {
    doReturn(failed("no topic")).when(wakeUps).wake(any());

    assertTwoOfABurstHandled();
    assertHandled(4);

    assertThat(journal).hasSize(1).first().asString().startsWith("WARNING").contains("no topic");
  }
}
