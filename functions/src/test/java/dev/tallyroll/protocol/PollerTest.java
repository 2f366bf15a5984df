package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.T;
import static dev.tallyroll.protocol.Examples.VOTES;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.done;
import static dev.tallyroll.protocol.Examples.failed;
import static dev.tallyroll.protocol.Examples.noLease;
import static dev.tallyroll.protocol.Examples.nothing;
import static dev.tallyroll.protocol.Examples.rollup;
import static dev.tallyroll.protocol.Examples.settings;
import static dev.tallyroll.protocol.Examples.sum;
import static dev.tallyroll.protocol.Examples.unusable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockingDetails;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.RollupStore.Page;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.RunStore.Claim;
import dev.tallyroll.protocol.RunStore.RunState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The poller of two counters, whose calls a script answers. */
class PollerTest {
  private final RollupStore store = mock(RollupStore.class);
  private final RunStore runs = mock(RunStore.class);
  private final EventLoop loop = mock(EventLoop.class);
  private final List<String> journal = new ArrayList<>();
  private Optional<Claim> holder = Optional.of(new Claim("me", T));
  private Poller poller;

  @BeforeEach
  void answer() {
    when(loop.instant()).thenReturn(T);
    when(store.layout()).thenReturn(Layout.DEFAULT.in("polled_counters"));
    list(LIKES, VOTES);
    when(store.read(any())).thenReturn(reads(rollup(5, -60, noLease())));
    when(store.sum(any())).thenReturn(done(sum(5, 1)));
    when(store.quickSum(any())).thenReturn(done(sum(5, 1)));
    when(store.write(any(), any())).thenReturn(done(Optional.of(at(1))));
    when(runs.newHolder()).thenReturn("me");
    when(runs.read("poll-0"))
        .thenAnswer(call -> done(new RunState(holder, Optional.empty(), Optional.of(T), false, T)));
    when(runs.claim(eq("poll-0"), any(), any(), any()))
        .thenAnswer(
            call -> {
              holder = Optional.of(call.getArgument(1));
              return done(Optional.of(T));
            });
    poller =
        new Poller(
            store,
            runs,
            (severity, message, fields) -> journal.add(severity + " " + message + " " + fields),
            settings(),
            0,
            loop);
  }

  private void list(CounterPath... counters) {
    when(store.page(eq(Group.COUNTERS), any(), anyInt()))
        .thenReturn(done(new Page(List.of(counters), counters.length, "")));
  }

  private static CompletableFuture<Reading> reads(Rollup rollup) {
    return done(new Reading(Optional.of(rollup), T));
  }

  private void poll() {
    assertThat(poller.poll()).isCompleted();
  }

  private void pass(double seconds) {
    when(loop.instant()).thenReturn(at(seconds));
  }

  @Test
  void counterThatChanges_isSummedEachTickUntilTenShowedNothing() {
    when(store.sum(LIKES)).thenReturn(done(sum(6, 1)));
    poll();
    verify(store).write(eq(LIKES), argThat(change -> change.kind() == Change.Kind.UPDATE));
    assertThat(poller.isIdle()).isFalse();

    when(store.sum(LIKES)).thenReturn(done(sum(6, 10)));
    poller.tick();
    assertThat(poller.isIdle()).isFalse();
    when(store.sum(LIKES)).thenReturn(done(sum(6, 11)));
    poller.tick();
    assertThat(poller.isIdle()).isTrue();

    verify(store, times(3)).sum(LIKES);
    verify(store, times(1)).sum(VOTES);
  }

  @Test
  void deletedCounter_takesItsRollupWithIt() {
    poll();
    list(VOTES);
    when(store.sum(LIKES)).thenReturn(done(nothing(2)));

    poll();
    poll();

    verify(store, times(1))
        .write(eq(LIKES), argThat(change -> change.kind() == Change.Kind.REMOVE));
    verify(store, times(2)).sum(LIKES);
  }

  /** The other instance may have written another total, and the shards be back at this one's. */
  @Test
  void afterAnotherInstanceHasPolled_nothingIsBelieved() {
    poll();
    holder = Optional.of(new Claim("other", T));
    Rollup since = rollup(6, 0.5, noLease());
    when(store.read(LIKES)).thenReturn(reads(since));

    poll();

    verify(store)
        .write(
            eq(LIKES),
            argThat(change -> change.expected().equals(Optional.of(since.updateTime()))));
    assertThat(holder.map(Claim::holder)).contains("me");
  }

  /**
   * The run of another instance may write for a LEASE and a call, fifteen seconds here; and a
   * failed write may still take effect within ten, which does not shorten that time.
   */
  @ParameterizedTest
  @CsvSource({"other, 5, 15", "me, 6, 10", "other, 6, 15"})
  void whatIsReadWhileOthersMayWrite_isReadAgain(String before, long total, double until) {
    holder = Optional.of(new Claim(before, T));
    when(store.sum(LIKES)).thenReturn(done(sum(total, 1)));
    when(store.write(any(), any())).thenReturn(failed("UNAVAILABLE"));
    poll();
    when(store.sum(LIKES)).thenReturn(done(sum(5, 1)));

    assertThat(readsAt(until - 1)).isEqualTo(1);
    assertThat(readsAt(until)).isEqualTo(1);
    assertThat(readsAt(until + 1)).isZero();
  }

  private long readsAt(double seconds) {
    clearInvocations(store);
    pass(seconds);
    poll();
    return mockingDetails(store).getInvocations().stream()
        .filter(call -> call.getMethod().getName().equals("read") && call.getArgument(0) == LIKES)
        .count();
  }

  /** An administrator may delete a roll-up, of which nothing tells. */
  @Test
  void whatIsRemembered_isReadAgainAfterTenMinutes() {
    poll();
    when(store.read(LIKES)).thenReturn(done(new Reading(Optional.empty(), T)));
    pass(599);
    poll();
    verify(store, never()).write(any(), any());

    pass(600);
    poll();

    verify(store).write(eq(LIKES), argThat(change -> change.kind() == Change.Kind.CREATE_POLLED));
  }

  @Test
  void badCounters_delayNoOther() {
    CounterPath foreign = CounterPath.of("foreign");
    CounterPath poisoned = CounterPath.of("poisoned");
    CounterPath failing = CounterPath.of("failing");
    list(foreign, poisoned, failing, LIKES);
    Rollup others =
        new Rollup(rollup(5, 0, noLease()).total(), 1, T, noLease(), T, Rollup.Whose.FOREIGN);
    when(store.read(foreign)).thenReturn(reads(others));
    when(store.sum(poisoned)).thenReturn(done(unusable(1)));
    when(store.sum(failing)).thenReturn(failed("UNAVAILABLE"));
    when(store.sum(LIKES)).thenReturn(done(sum(6, 1)));

    poll();

    verify(store, times(1)).write(any(), any());
    verify(store).write(eq(LIKES), any());
    assertThat(journal).hasSize(2).allMatch(line -> line.startsWith("ERROR"));
  }

  /** A failed sum is followed by a read, which may work, and must not hide the failures. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void counterWhoseCallsKeepFailing_keepsNoRunAlive(boolean isRead) {
    when(store.sum(LIKES)).thenReturn(done(sum(6, 1)));
    poll();
    when(store.sum(LIKES)).thenReturn(failed("UNAVAILABLE"));
    if (!isRead) {
      when(store.read(LIKES)).thenReturn(failed("UNAVAILABLE"));
    }

    for (int i = 0; i < 5; i++) {
      assertThat(poller.isIdle()).isFalse();
      poller.tick();
    }

    assertThat(poller.isIdle()).isTrue();
    assertThat(journal).singleElement().asString().contains("keep failing");
  }

  @Test
  void refusedWrite_isTriedAgainOnWhatIsReadThen() {
    when(store.sum(LIKES)).thenReturn(done(sum(6, 1)));
    when(store.write(any(), any())).thenReturn(done(Optional.empty()));
    poll();

    poller.tick();

    verify(store, times(2)).read(LIKES);
    verify(store, times(2)).write(eq(LIKES), any());
  }

  @Test
  void listThatFails_isToldAndTheNextRunListsAgain() {
    when(store.page(any(), any(), anyInt())).thenReturn(failed("UNAVAILABLE"));
    poll();
    list(LIKES);

    poll();

    verify(store).sum(LIKES);
    assertThat(journal).singleElement().asString().startsWith("WARNING polled counters could not");
  }

  /** One run lists at most so many, 250 here; the next goes on from there. */
  @Test
  void moreCountersThanARunMayList_areLeftToTheNext() {
    when(store.page(Group.COUNTERS, "", 250))
        .thenReturn(done(new Page(List.of(LIKES), 250, "polled_counters/m")));
    when(store.page(Group.COUNTERS, "polled_counters/m", 250))
        .thenReturn(done(new Page(List.of(VOTES), 1, "")));

    poll();
    verify(store, never()).sum(VOTES);
    poll();

    verify(store).sum(VOTES);
    verify(store, times(1)).sum(LIKES);
    assertThat(journal).singleElement().asString().startsWith("WARNING more polled counters");
  }
}
