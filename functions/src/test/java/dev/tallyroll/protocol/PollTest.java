package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.T;
import static dev.tallyroll.protocol.Examples.done;
import static dev.tallyroll.protocol.Examples.failed;
import static dev.tallyroll.protocol.Examples.leaseUntil;
import static dev.tallyroll.protocol.Examples.noLease;
import static dev.tallyroll.protocol.Examples.nothing;
import static dev.tallyroll.protocol.Examples.polled;
import static dev.tallyroll.protocol.Examples.rollup;
import static dev.tallyroll.protocol.Examples.settings;
import static dev.tallyroll.protocol.Examples.sum;
import static dev.tallyroll.protocol.Examples.unusable;
import static dev.tallyroll.protocol.Examples.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.CounterPages.Group;
import dev.tallyroll.protocol.CounterPages.Page;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.LiveStore;
import dev.tallyroll.runs.LiveStore.LiveList;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.RunStore.Place;
import dev.tallyroll.runs.RunStore.RunState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A roller that polls two counters, whose calls a script answers. */
class PollTest {
  private static final Located HOT = polled("hot");
  private static final Located CALM = polled("calm");

  private final RollupStore store = mock(RollupStore.class);
  private final LiveStore<Located> live = mock();
  private final RunStore runs = mock(RunStore.class);
  private final EventLoop loop = mock(EventLoop.class);
  private final List<String> journal = new ArrayList<>();

  @BeforeEach
  void answer() {
    when(store.agree(any(), any())).thenReturn(done(true));
    when(store.agree(any())).thenReturn(done(true));
    when(loop.instant()).thenReturn(T);
    when(store.layout()).thenReturn(Layout.DEFAULT);
    when(store.polled()).thenReturn(Optional.of(HOT.layout()));
    when(store.liveList()).thenReturn(live);
    list(HOT, CALM);
    when(live.live(any())).thenReturn(done(new LiveList<>(List.of(), T, false)));
    when(store.read(any())).thenReturn(reads(rollup(5, -60, noLease())));
    when(store.confirmedSum(any())).thenReturn(done(sum(5, 1)));
    when(store.sum(any())).thenReturn(done(sum(5, 1)));
    when(store.write(any(), any())).thenReturn(written(1));
    place(Optional.empty());
    when(runs.savePlace(any(), any(), any())).thenReturn(done(true));
    when(runs.release(any(), any())).thenReturn(done(true));
  }

  private static Place place(String after) {
    return new Place(Group.POLLED.name(), after, T);
  }

  private void place(Optional<String> after) {
    Optional<Place> place = after.map(PollTest::place);
    when(runs.read("poll-0"))
        .thenReturn(done(new RunState(Optional.empty(), place, after.map(unused -> T), false, T)));
  }

  private Roller roller() {
    return roller(Poll.Kept.in(runs));
  }

  private Roller roller(Poll.Kept kept) {
    return new Roller(
        store,
        Optional.of(kept),
        (severity, message, fields) -> journal.add(severity + " " + message + " " + fields),
        settings(),
        0,
        loop);
  }

  private void list(Located... counters) {
    when(store.page(eq(Group.POLLED), any(), anyInt()))
        .thenReturn(done(new Page(List.of(counters), counters.length, "")));
  }

  private static CompletableFuture<Reading> reads(Rollup rollup) {
    return done(new Reading(Optional.of(rollup), T));
  }

  private Roller afterAPoll() {
    Roller roller = roller();
    assertThat(roller.poll()).isCompleted();
    return roller;
  }

  /** The list names a counter that has lost its shards once, so a failure must not lose it. */
  @Test
  void counterWhoseSumFails_isPolledAgainThoughNoListNamesIt() {
    Poll.Kept kept = Poll.Kept.in(runs);
    when(store.confirmedSum(CALM)).thenReturn(failed("UNAVAILABLE"));
    roller(kept).poll().join();
    list();
    when(store.confirmedSum(CALM)).thenReturn(done(nothing(3)));

    roller(kept).poll().join();
    roller(kept).poll().join();

    verify(store, times(2)).confirmedSum(CALM);
  }

  @Test
  void counterThatHasChanged_isLiveFromThenOn() {
    when(store.confirmedSum(HOT)).thenReturn(done(sum(6, 1)));
    Roller roller = afterAPoll();
    assertThat(roller.isIdle()).isFalse();
    verify(store).write(eq(HOT), argThat(change -> change.kind() == Change.Kind.BEGIN));

    when(store.confirmedSum(HOT)).thenReturn(done(sum(7, 2)));
    roller.tick(0);
    when(store.confirmedSum(HOT)).thenReturn(done(sum(7, 11)));
    roller.tick(0);
    assertThat(roller.isIdle()).isFalse();
    when(store.confirmedSum(HOT)).thenReturn(done(sum(7, 12.1)));
    roller.tick(0);

    assertThat(roller.isIdle()).isTrue();
    verify(store).write(eq(HOT), argThat(Change::ends));
    verify(store, times(1)).read(HOT);
    verify(store, times(1)).confirmedSum(CALM);
  }

  /** Its roller is the only writer. */
  @Test
  void counterThatIsLive_isNotEvenSummed() {
    when(store.read(HOT)).thenReturn(reads(rollup(4, -1, leaseUntil(9))));

    assertThat(afterAPoll().isIdle()).isTrue();

    verify(store, never()).confirmedSum(HOT);
  }

  @Test
  void counterWithoutShards_losesItsRollup() {
    when(store.confirmedSum(HOT)).thenReturn(done(nothing(2)));

    assertThat(afterAPoll().isIdle()).isTrue();

    verify(store).write(eq(HOT), argThat(change -> change.kind() == Change.Kind.REMOVE));
  }

  /** They have one place for a roll-up; whose it is, its mark tells. */
  @Test
  void counterOfTheSameName_hasALifeOfItsOwn() {
    Located other = new Located(Layout.DEFAULT, CounterPath.of("hot"));
    assertThat(other.rollup()).isEqualTo(HOT.rollup());
    when(store.confirmedSum(HOT)).thenReturn(done(sum(6, 1)));
    when(live.live(any()))
        .thenReturn(done(new LiveList<>(List.of(new LiveStore.Entry<>(other, T)), T, false)));
    Roller roller = roller();
    roller.fill().join();
    roller.poll().join();
    Rollup polled = rollup(6, 1, leaseUntil(11));
    when(store.read(other))
        .thenReturn(
            reads(new Rollup(polled.total(), 3, T, leaseUntil(11), T, Rollup.Whose.FOREIGN)));
    when(live.remove(any())).thenReturn(CompletableFuture.allOf());
    when(store.confirmedSum(HOT)).thenReturn(done(sum(7, 2)));

    roller.tick(0);

    verify(live).remove(new LiveStore.Entry<>(other, T));
    verify(store, never()).confirmedSum(other);
    verify(store, times(2)).write(eq(HOT), any());
  }

  @Test
  void badCounters_delayNoOther() {
    Located foreign = polled("foreign");
    Located poisoned = polled("poisoned");
    Located failing = polled("failing");
    list(foreign, poisoned, failing, HOT);
    Rollup others =
        new Rollup(rollup(5, 0, noLease()).total(), 1, T, noLease(), T, Rollup.Whose.FOREIGN);
    when(store.read(foreign)).thenReturn(reads(others));
    when(store.confirmedSum(poisoned)).thenReturn(done(unusable(1)));
    when(store.confirmedSum(failing)).thenReturn(failed("UNAVAILABLE"));
    when(store.confirmedSum(HOT)).thenReturn(done(sum(6, 1)));

    afterAPoll();

    verify(store, times(1)).write(any(), any());
    verify(store).write(eq(HOT), any());
    assertThat(journal).hasSize(3);
    assertThat(journal.subList(0, 2)).allMatch(line -> line.startsWith("ERROR"));
    assertThat(journal.get(2))
        .startsWith("WARNING not all polled counters could be summed")
        .contains("failed=1", "UNAVAILABLE");
  }

  @Test
  void refusedWrite_isLeftToTheNextRun() {
    when(store.confirmedSum(HOT)).thenReturn(done(sum(6, 1)));
    when(store.write(any(), any())).thenReturn(done(Optional.empty()));

    assertThat(afterAPoll().isIdle()).isTrue();

    verify(store, times(1)).write(eq(HOT), any());
  }

  @Test
  void listThatFails_isTold() {
    when(store.page(any(), any(), anyInt())).thenReturn(failed("UNAVAILABLE"));

    afterAPoll();

    assertThat(journal).singleElement().asString().startsWith("WARNING").contains("failed=1");
  }

  private void pages(String after, int looked, String last, Located... counters) {
    when(store.page(eq(Group.POLLED), eq(after), anyInt()))
        .thenReturn(done(new Page(Arrays.asList(counters), looked, last)));
  }

  /** One run lists at most so many, 250 here; the next goes on from there. */
  @Test
  void moreCountersThanARunMayList_areLeftToTheNext() {
    pages("", 100, "polled_counters/a", HOT);
    pages("polled_counters/a", 150, "polled_counters/m", CALM);
    pages("polled_counters/m", 1, "", polled("z"));

    afterAPoll();

    verify(store, never()).confirmedSum(polled("z"));
    verify(runs).savePlace("poll-0", place("polled_counters/m"), Optional.empty());
    assertThat(journal).singleElement().asString().startsWith("WARNING more polled counters");

    place(Optional.of("polled_counters/m"));
    afterAPoll();

    verify(store).confirmedSum(polled("z"));
    verify(store, times(1)).confirmedSum(HOT);
    verify(store, times(1)).confirmedSum(CALM);
    verify(runs).release("poll-0", T);
  }

  @Test
  void onePageOfCounters_writesNoPlace() {
    afterAPoll();

    verify(runs, never()).savePlace(any(), any(), any());
    verify(runs, never()).release(any(), any());
  }

  /** An instance that is about to end leaves the rest of its page to the next run, too. */
  @Test
  void runThatEnds_keepsThePlaceBeforeWhatItHasNotSummed() {
    Located[] many = IntStream.range(0, 150).mapToObj(i -> polled("c" + i)).toArray(Located[]::new);
    pages("", 50, "polled_counters/a", HOT);
    pages("polled_counters/a", 150, "polled_counters/m", many);
    CompletableFuture<Reading> slow = new CompletableFuture<>();
    for (Located each : many) {
      when(store.read(each)).thenReturn(slow);
    }
    Roller roller = roller();
    CompletableFuture<Void> all = roller.poll();
    CompletableFuture<Void> drained = roller.drained();
    assertThat(drained).isNotCompleted();

    slow.complete(new Reading(Optional.of(rollup(5, -60, noLease())), T));

    assertThat(all).isCompleted();
    assertThat(drained).isCompleted();
    verify(store, times(1 + 100)).read(any());
    verify(runs).savePlace("poll-0", place("polled_counters/a"), Optional.empty());
  }

  @Test
  void placeOfOtherSettings_isNone() {
    pages("", 100, "polled_counters/a", HOT);
    pages("polled_counters/a", 1, "", CALM);
    place(Optional.of("elsewhere/m"));
    when(store.isElsewhere(Group.POLLED, "elsewhere/m")).thenReturn(true);

    afterAPoll();

    verify(store).confirmedSum(CALM);
  }
}
