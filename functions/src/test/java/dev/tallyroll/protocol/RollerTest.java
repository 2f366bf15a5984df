package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.T;
import static dev.tallyroll.protocol.Examples.VOTES;
import static dev.tallyroll.protocol.Examples.WITH_SLACK;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.counter;
import static dev.tallyroll.protocol.Examples.done;
import static dev.tallyroll.protocol.Examples.failed;
import static dev.tallyroll.protocol.Examples.leaseUntil;
import static dev.tallyroll.protocol.Examples.noLease;
import static dev.tallyroll.protocol.Examples.rollup;
import static dev.tallyroll.protocol.Examples.settings;
import static dev.tallyroll.protocol.Examples.sum;
import static dev.tallyroll.protocol.Examples.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.RollupWriter.Written;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.LiveStore;
import dev.tallyroll.runs.LiveStore.Entry;
import dev.tallyroll.runs.LiveStore.LiveList;
import dev.tallyroll.runs.RunSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A roller, whose calls a script answers. */
class RollerTest {
  private static final Entry<Located> ENTRY = new Entry<>(LIKES, T);

  private final RollupStore store = mock(RollupStore.class);
  private final LiveStore<Located> live = mock();
  private final EventLoop loop = mock(EventLoop.class);
  private final List<String> journal = new ArrayList<>();
  private final Roller roller;

  RollerTest() {
    when(loop.instant()).thenReturn(T);
    when(store.liveList()).thenReturn(live);
    roller = roller(settings());
  }

  private Roller roller(RunSettings settings) {
    return new Roller(
        store,
        Optional.empty(),
        (severity, message, fields) -> journal.add(severity + " " + message + " " + fields),
        settings,
        0,
        loop);
  }

  @BeforeEach
  void answer() {
    when(store.agree(any())).thenReturn(done(true));
    when(store.layout()).thenReturn(Layout.DEFAULT);
    when(live.live(any())).thenReturn(done(list(ENTRY, new Entry<>(VOTES, T))));
    when(live.liveSince(any())).thenReturn(done(list(ENTRY)));
    when(store.read(any())).thenReturn(read(rollup(5, 0, leaseUntil(9))));
    when(store.confirmedSum(any())).thenReturn(done(sum(5, 1)));
    when(store.write(any(), any())).thenReturn(written(1));
    when(live.remove(any())).thenReturn(CompletableFuture.allOf());
  }

  @SafeVarargs
  @SuppressWarnings("varargs")
  private static LiveList<Located> list(Entry<Located>... entries) {
    return new LiveList<>(List.of(entries), T, false);
  }

  private static CompletableFuture<Reading> read(Rollup rollup) {
    return done(new Reading(Optional.of(rollup), at(1)));
  }

  private void tick(int times) {
    for (int i = 0; i < times; i++) {
      roller.tick(0);
    }
  }

  /** The earlier run has written 6, and the shards are back at 5: the known 5 is out of date. */
  @Test
  void successor_readsAgainBeforeItBelievesThatNothingHasChanged() {
    roller.takeOver();
    roller.fill().join();
    roller.tick(0);
    Rollup since = rollup(6, 0.5, leaseUntil(9));
    when(store.read(LIKES)).thenReturn(read(since));

    roller.tick(0);

    verify(store).write(eq(LIKES), argThat(change -> expects(change, since)));
  }

  /** Once the lease has ended, handlers write; slack keeps the counter on the list for a while. */
  @Test
  void unchangedSumAfterTheLease_isNoReasonToBelieveWhatIsKnown() {
    Roller late = roller(settings(WITH_SLACK));
    when(store.confirmedSum(LIKES)).thenReturn(done(sum(5, 8))).thenReturn(done(sum(5, 10)));
    late.fill().join();
    late.tick(0);
    late.tick(0);
    verify(store).read(LIKES);

    late.tick(0);

    verify(store, times(2)).read(LIKES);
  }

  private static boolean expects(Change change, Rollup rollup) {
    return change.expected().equals(Optional.of(rollup.updateTime()));
  }

  @Test
  void entryWithoutALease_isRemovedAtItsVersion() {
    CompletableFuture<Reading> reading = new CompletableFuture<>();
    when(store.read(LIKES)).thenReturn(reading);
    when(store.read(VOTES)).thenReturn(done(new Reading(Optional.empty(), T)));
    roller.fill().join();

    roller.tick(0);
    when(live.liveSince(any())).thenReturn(done(list(new Entry<>(LIKES, at(1)))));
    roller.findNew().join();
    reading.complete(new Reading(Optional.of(rollup(5, 0, noLease())), at(1)));

    verify(live).remove(ENTRY);
    verify(live).remove(new Entry<>(VOTES, T));
    verify(store, never()).confirmedSum(any());
  }

  @Test
  void counterThatIsLiveAgainWhileItSettles_staysOnTheList() {
    CompletableFuture<Optional<Written>> settled = new CompletableFuture<>();
    roller.fill().join();
    when(store.confirmedSum(LIKES)).thenReturn(done(sum(5, 10)));
    when(store.write(eq(LIKES), any())).thenReturn(settled);
    roller.tick(0);
    when(live.liveSince(any())).thenReturn(done(list(new Entry<>(LIKES, at(10.5)))));
    roller.findNew().join();

    settled.complete(Optional.of(new Written(at(10.1))));

    roller.tick(0);
    verify(store, times(2)).read(LIKES);
  }

  /** Whoever came between may have written a total that is almost a tick old. */
  @Test
  void refusedWrite_isTriedAgainAtOnce() {
    roller.fill().join();
    when(store.confirmedSum(LIKES)).thenReturn(done(sum(6, 1)));
    when(store.write(eq(LIKES), any())).thenReturn(done(Optional.empty())).thenReturn(written(1));

    roller.tick(0);

    verify(store, times(2)).read(LIKES);
    verify(store, times(2)).confirmedSum(LIKES);
    verify(store, times(2)).write(eq(LIKES), any());
  }

  @Test
  void writeThatIsRefusedAgain_waitsForTheNextTick() {
    roller.fill().join();
    when(store.confirmedSum(LIKES)).thenReturn(done(sum(6, 1)));
    when(store.write(eq(LIKES), any())).thenReturn(done(Optional.empty()));
    roller.tick(0);
    verify(store, times(2)).write(eq(LIKES), any());

    roller.tick(0);

    verify(store, times(4)).read(LIKES);
    verify(store, times(4)).write(eq(LIKES), any());
  }

  @Test
  void counterThatKeepsFailing_isNamedAndPassedOverForHalfALease() {
    when(store.confirmedSum(LIKES)).thenReturn(failed("PERMISSION_DENIED"));
    roller.fill().join();

    tick(9);

    verify(store, times(5)).confirmedSum(LIKES);
    verify(store, times(9)).confirmedSum(VOTES);
    assertThat(journal)
        .singleElement()
        .asString()
        .startsWith("ERROR calls for this counter keep failing")
        .contains("counters/likes", "PERMISSION_DENIED");
    when(loop.instant()).thenReturn(at(2.5));
    when(store.confirmedSum(LIKES)).thenReturn(done(sum(6, 3)));
    tick(2);
    verify(store, times(7)).confirmedSum(LIKES);
    verify(store).write(eq(LIKES), any());
  }

  @Test
  void counterThatFailedAndIsLiveAgain_isTriedAtOnce() {
    when(store.confirmedSum(LIKES)).thenReturn(failed("UNAVAILABLE"));
    roller.fill().join();
    tick(9);
    when(live.liveSince(any())).thenReturn(done(list(new Entry<>(LIKES, at(1)))));

    roller.findNew().join();
    tick(1);

    verify(store, times(6)).confirmedSum(LIKES);
  }

  @Test
  void countersThatFail_keepNoRunAlive() {
    when(store.confirmedSum(any())).thenReturn(failed("UNAVAILABLE"));
    roller.fill().join();
    assertThat(roller.isIdle()).isFalse();

    tick(5);

    assertThat(roller.isIdle()).isTrue();
  }

  /** A write whose failure was reported may have been carried out later, and the shards be back. */
  @Test
  void writeThatFailed_mayStillTakeEffect() {
    when(store.confirmedSum(LIKES)).thenReturn(done(sum(6, 1)));
    when(store.write(eq(LIKES), any())).thenReturn(failed("DEADLINE_EXCEEDED"));
    roller.fill().join();
    tick(1);
    when(store.confirmedSum(LIKES)).thenReturn(done(sum(5, 2)));
    when(store.write(eq(LIKES), any())).thenReturn(written(3));
    tick(1);
    Rollup since = rollup(6, 1, leaseUntil(9));
    when(store.read(LIKES)).thenReturn(read(since));
    when(store.confirmedSum(LIKES)).thenReturn(done(sum(5, 3)));

    tick(1);

    verify(store).write(eq(LIKES), argThat(change -> expects(change, since)));
  }

  /** Thousands may be created at once; each needs a read, a sum and a write. */
  @Test
  void countersThatAreNew_waitForOneAnotherAndDelayNoOther() {
    roller.fill().join();
    tick(1);
    List<Entry<Located>> many =
        IntStream.range(0, 1_000).mapToObj(i -> new Entry<>(counter("new" + i), T)).toList();
    when(live.liveSince(any())).thenReturn(done(new LiveList<>(many, T, false)));
    CompletableFuture<Reading> slow = new CompletableFuture<>();
    when(store.read(any())).thenReturn(slow);

    roller.findNew().join();
    verify(store, times(2 + 200)).read(any());
    tick(1);
    verify(store, times(2)).confirmedSum(LIKES);

    slow.complete(new Reading(Optional.of(rollup(5, 0, leaseUntil(9))), at(1)));
    verify(store, times(2 + 1_000)).read(any());
  }

  /** Its total is as late as its lease, so that a sum before SLACK has passed can end nothing. */
  @Test
  void newRollup_isSummedOnceSlackHasPassed() {
    Roller careful = roller(settings(WITH_SLACK));
    when(store.read(LIKES))
        .thenReturn(done(new Reading(Optional.of(rollup(5, 0, leaseUntil(0))), at(0.5))));
    when(store.confirmedSum(LIKES)).thenReturn(done(sum(5, 2.5)));
    careful.fill().join();

    careful.tick(0);
    when(loop.instant()).thenReturn(at(1.4));
    careful.tick(0);
    verify(store, times(1)).read(LIKES);
    verify(store, never()).confirmedSum(LIKES);

    when(loop.instant()).thenReturn(at(1.5));
    when(store.read(LIKES))
        .thenReturn(done(new Reading(Optional.of(rollup(5, 0, leaseUntil(0))), at(2.1))));
    careful.tick(0);
    verify(store).write(eq(LIKES), argThat(Change::ends));
  }

  /** Only a new roll-up waits: this one was live, and its total may be old. */
  @Test
  void rollupWhoseLeaseHasEnded_isSummedWhileSlackLasts() {
    Roller careful = roller(settings(WITH_SLACK));
    when(store.read(LIKES))
        .thenReturn(done(new Reading(Optional.of(rollup(5, 0, leaseUntil(1))), at(2))));
    careful.fill().join();

    careful.tick(0);

    verify(store).confirmedSum(LIKES);
  }

  /** A transaction of a client may hold the roll-up, and so the commit of the entry, for long. */
  @Test
  void newEntries_areSoughtAsFarBackAsACommitMayTake() {
    roller.fill().join();

    roller.findNew().join();

    verify(live).liveSince(T.minusSeconds(10));
  }

  @Test
  void summary_isOneLineAMinuteThatSaysWhatMatters() {
    roller.fill().join();
    roller.tick(0);
    when(store.confirmedSum(LIKES)).thenReturn(done(sum(6, 1.5)));
    when(store.write(any(), any())).thenReturn(written(1.52));
    roller.tick(1);
    assertThat(journal).isEmpty();

    when(loop.instant()).thenReturn(at(60));
    roller.tick(0);

    assertThat(journal)
        .containsExactly(
            "INFO summary {worker=0, live=2, sums=4, writes=1, unchanged=3, settled=0, refused=0,"
                + " unusable=0, foreign=0, late=1, cut=0, failed=0, lag_p50_ms=530,"
                + " lag_p99_ms=530, oldest_lease_ms=0}");
  }
}
