package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.POLLED;
import static dev.tallyroll.protocol.Examples.T;
import static dev.tallyroll.protocol.Examples.VOTES;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.counter;
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
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.CounterPages.Group;
import dev.tallyroll.protocol.CounterPages.Page;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Extent;
import dev.tallyroll.runs.Pass;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.RunStore.Claim;
import dev.tallyroll.runs.RunStore.Place;
import dev.tallyroll.runs.RunStore.RunState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A sweep of 250 documents at most, whose calls a script answers. */
class SweepTest {
  private static final Rollup WRONG = rollup(1, 0, noLease());
  private static final Located POLLED_LIKES = polled("likes");
  private static final Place LATER = place(Group.COUNTERS, "counters/k");

  private final RollupStore store = mock(RollupStore.class);
  private final RunStore runs = mock(RunStore.class);
  private final List<String> journal = new ArrayList<>();
  private final EventLoop loop = mock(EventLoop.class);
  private final Sweep sweep = sweep(Optional.empty());

  /** The claim in the sweep's document. */
  private Optional<Claim> stored = Optional.empty();

  private Optional<Place> place = Optional.empty();

  private Sweep sweep(Optional<Layout> polled) {
    when(store.polled()).thenReturn(polled);
    return new Sweep(
        store,
        runs,
        (severity, message, fields) -> journal.add(severity + " " + message + " " + fields),
        loop,
        settings());
  }

  @BeforeEach
  void answer() {
    when(store.agree(any())).thenReturn(done(true));
    when(store.agreeNow(any())).thenReturn(done(true));
    when(loop.instant()).thenReturn(T);
    when(store.layout()).thenReturn(Layout.DEFAULT);
    when(store.page(any(), any(), anyInt())).thenReturn(done(page("")));
    when(store.confirmedSum(any())).thenReturn(done(sum(2, 1)));
    when(store.sum(any())).thenReturn(done(sum(2, 1)));
    when(store.read(any())).thenReturn(done(new Reading(Optional.of(WRONG), T)));
    when(store.write(any(), any())).thenReturn(written(2));
    when(store.shows(any(), any())).thenReturn(done(true));
    when(store.agesOfShards(any())).thenReturn(done(List.of()));
    when(runs.newHolder()).thenReturn("me");
    when(runs.read("sweep"))
        .thenAnswer(call -> done(new RunState(stored, place, stored.map(unused -> T), false, T)));
    when(runs.claim(eq("sweep"), any(), any(), any()))
        .thenAnswer(
            call -> {
              stored = Optional.of(call.getArgument(1));
              Optional<Place> told = call.getArgument(2);
              place = told.or(() -> place);
              return done(Optional.of(T));
            });
    when(runs.release(eq("sweep"), any()))
        .thenAnswer(
            call -> {
              stored = Optional.empty();
              return done(true);
            });
  }

  private static Place place(Group group, String after) {
    return new Place(group.name(), after, T);
  }

  private static Page page(String last, Located... counters) {
    return new Page(List.of(counters), 100, last);
  }

  private void claimedUntil(Instant until) {
    stored = Optional.of(new Claim("another", until));
    place = Optional.of(LATER);
  }

  /** Lets a sweep find these counters, whose roll-ups say 1, and whose shards add up to 2. */
  private void findWrong(Located... counters) {
    when(store.page(eq(Group.ROLLUPS), any(), anyInt())).thenReturn(done(page("", counters)));
  }

  private String last() {
    return journal.get(journal.size() - 1);
  }

  private void sweepAll() {
    assertThat(sweep.run(Extent.PART)).isCompletedWithValue(Pass.End.COMPLETE);
    assertThat(stored).isEmpty();
  }

  @Test
  void correctionThatIsRefused_isTriedAgainOnWhatIsReadThen() {
    findWrong(LIKES);
    when(store.write(any(), any())).thenReturn(done(Optional.empty())).thenReturn(written(2));

    sweepAll();

    verify(store, times(2)).read(LIKES);
    verify(store, times(2)).write(eq(LIKES), any());
    assertThat(journal.get(0)).startsWith("WARNING drift corrected").contains("was=1", "is=2");
    assertThat(last())
        .isEqualTo(
            "INFO sweep {looked=200, checked=2, drift=1, failed=0, foreign=0, complete=true}");
  }

  @Test
  void badCounters_areNamedAndDelayNoOther() {
    Located poisoned = counter("poisoned");
    findWrong(LIKES, poisoned, VOTES);
    when(store.confirmedSum(LIKES)).thenReturn(failed("UNAVAILABLE"));
    when(store.confirmedSum(poisoned)).thenReturn(done(unusable(1)));

    sweepAll();

    verify(store, times(1)).write(any(), any());
    verify(store).write(eq(VOTES), any());
    assertThat(journal.get(0)).startsWith("WARNING not swept").contains("likes", "UNAVAILABLE");
    assertThat(journal.get(1)).startsWith("ERROR sum is not a number").contains("poisoned");
    assertThat(last()).startsWith("WARNING sweep").contains("checked=2, drift=1, failed=1");
  }

  /** Polled counters lie in one place, where no counter is nested. */
  @Test
  void nestedCounter_isSweptBesidePolledOnes() {
    findWrong(new Located(Layout.DEFAULT, new CounterPath("rooms/r1", "likes")));

    sweep(Optional.of(POLLED)).run(Extent.PART).join();

    assertThat(last()).contains("checked=1, drift=1, failed=0");
  }

  @Test
  void pages_followEachOtherThroughBothGroupsAndAreRemembered() {
    when(store.page(eq(Group.ROLLUPS), eq(""), anyInt())).thenReturn(done(page("rollups/a")));
    when(store.page(eq(Group.ROLLUPS), eq("rollups/a"), anyInt()))
        .thenAnswer(
            call -> {
              assertThat(place).contains(place(Group.ROLLUPS, "rollups/a"));
              return done(page(""));
            });

    sweepAll();

    verify(store).page(Group.COUNTERS, "", 50);
  }

  @Test
  void sweepThatMayLookNoFurther_isGoneOnWithNextTime() {
    when(store.page(any(), any(), anyInt()))
        .thenAnswer(call -> done(page("rollups/" + (int) call.getArgument(2))));

    assertThat(sweep.run(Extent.PART)).isCompletedWithValue(Pass.End.LEFT);

    assertThat(stored).contains(new Claim("me", T));
    assertThat(place).contains(place(Group.ROLLUPS, "rollups/50"));
    assertThat(last()).contains("looked=300", "complete=false");
  }

  /** Another deployment's totals, since an operator has said so. */
  @Test
  void settingsThatDiffer_endASweepBeforeItsNextPage() {
    when(store.page(eq(Group.ROLLUPS), any(), anyInt()))
        .thenReturn(done(page("rollups/a", LIKES)))
        .thenReturn(done(page("", VOTES)));
    when(store.agreeNow(any())).thenReturn(done(true)).thenReturn(done(false));

    assertThat(sweep.run(Extent.PART)).isCompletedWithValue(Pass.End.LEFT);

    verify(store).write(eq(LIKES), any());
    verify(store, never()).read(VOTES);
    assertThat(place).contains(place(Group.ROLLUPS, "rollups/a"));
  }

  @Test
  void settingsThatDifferAtItsStart_leaveEvenItsRunDocument() {
    when(store.agreeNow(any())).thenReturn(done(false));

    assertThat(sweep.run(Extent.PART)).isCompletedWithValue(Pass.End.COMPLETE);

    verify(store, never()).page(any(), any(), anyInt());
    verify(runs, never()).claim(any(), any(), any(), any());
  }

  @Test
  void sweepBesideAnother_leavesItToThat() {
    claimedUntil(at(1));

    assertThat(sweep.run(Extent.PART)).isCompletedWithValue(Pass.End.ANOTHER);

    verify(store, never()).page(any(), any(), anyInt());
    assertThat(stored).contains(new Claim("another", at(1)));
  }

  @Test
  void sweepOfAll_takesOverAndBeginsAnew() {
    claimedUntil(at(1));
    Place somewhere = new Place(Group.COUNTERS.name(), "counters/k", T);
    place = Optional.of(somewhere);

    assertThat(sweep.run(Extent.ALL)).isCompletedWithValue(Pass.End.COMPLETE);

    verify(store).page(Group.ROLLUPS, "", 100);

    claimedUntil(at(1));
    place = Optional.of(somewhere);
    assertThat(sweep.run(Extent.REST)).isCompletedWithValue(Pass.End.COMPLETE);

    verify(store).page(Group.COUNTERS, "counters/k", 100);
    assertThat(last()).contains("pass=all");
  }

  @Test
  void rollupsOfOthersOnly_areASignOfAWrongPattern() {
    findWrong(LIKES);
    Rollup foreign = new Rollup(WRONG.total(), 1, T, noLease(), T, Rollup.Whose.FOREIGN);
    when(store.read(LIKES))
        .thenReturn(done(new Reading(Optional.of(foreign), Optional.of("polls/p"), T)));
    when(store.sum(LIKES)).thenReturn(done(nothing(1)));

    sweepAll();

    assertThat(journal.get(0))
        .startsWith("ERROR no counter and no roll-up of these settings")
        .contains("found=polls/p");
  }

  @Test
  void pageThatFails_isTriedAgainWithFewerDocuments() {
    when(loop.after(any())).thenReturn(CompletableFuture.allOf());
    when(store.page(Group.ROLLUPS, "", 100)).thenReturn(failed("too large"));
    when(store.page(Group.ROLLUPS, "", 10)).thenReturn(done(page("", LIKES)));

    sweepAll();

    verify(store).write(eq(LIKES), any());
    verify(store).page(Group.COUNTERS, "", 100);
    assertThat(journal.get(0)).startsWith("WARNING a page of the sweep failed");
  }

  @Test
  void pageThatKeepsFailing_isTakenUpByTheNextSweep() {
    when(loop.after(any())).thenReturn(CompletableFuture.allOf());
    when(store.page(any(), eq("rollups/a"), anyInt())).thenReturn(failed("UNAVAILABLE"));
    when(store.page(eq(Group.ROLLUPS), eq(""), anyInt())).thenReturn(done(page("rollups/a")));

    assertThat(sweep.run(Extent.PART)).isCompletedWithValue(Pass.End.LEFT);

    assertThat(place).contains(place(Group.ROLLUPS, "rollups/a"));
    assertThat(stored).contains(new Claim("me", T)); // nobody is at work
    assertThat(last()).startsWith("WARNING sweep").contains("failed=3, foreign=0, complete=false");
  }

  /** Documents of others may be large, so that only a few are in memory at once. */
  @Test
  void documents_areReadAFewAtATime() {
    Located[] many =
        IntStream.range(0, 100).mapToObj(i -> counter("c" + i)).toArray(Located[]::new);
    findWrong(many);
    when(store.read(any())).thenReturn(new CompletableFuture<>());

    var unused = sweep.run(Extent.PART);

    verify(store, times(8)).read(any());
  }

  @Test
  void counterWithARollup_costsTheSecondGroupNoMoreThanItsPage() {
    findWrong(LIKES);
    when(store.page(eq(Group.COUNTERS), any(), anyInt())).thenReturn(done(page("", LIKES)));

    sweepAll();

    verify(store, times(1)).read(LIKES);
    verify(store, times(1)).confirmedSum(LIKES);
  }

  @Test
  void claimThatIsLongerThanAnySweep_isNotBelieved() {
    claimedUntil(at(3_000_000_000d));

    sweepAll();

    verify(store).page(Group.COUNTERS, "counters/k", 100);
  }

  @Test
  void documentInTheRollupsPlace_isReportedWhereTheCounterHasShards() {
    when(store.page(eq(Group.COUNTERS), any(), anyInt())).thenReturn(done(page("", LIKES)));
    Rollup foreign = new Rollup(WRONG.total(), 1, T, noLease(), T, Rollup.Whose.FOREIGN);
    when(store.read(LIKES)).thenReturn(done(new Reading(Optional.of(foreign), T)));

    sweepAll();

    verify(store, never()).write(any(), any());
    assertThat(journal.get(0)).startsWith("ERROR a document without this counter's mark");
    assertThat(last()).contains("foreign=1");
  }

  /** Two sums of the same doubles may differ in their last digits: that is no wrong total. */
  @Test
  void fieldThatShowsTheRollup_isNotWrittenAgainForTheLastDigitsOfASum() {
    Total shown = new Total.Fraction(0.3);
    findWrong(LIKES);
    when(store.sum(LIKES)).thenReturn(done(sum(new Total.Fraction(0.1 + 0.2), 1)));
    when(store.confirmedSum(LIKES)).thenReturn(done(sum(new Total.Fraction(0.1 + 0.2), 1)));
    when(store.read(LIKES))
        .thenReturn(done(new Reading(Optional.of(new Rollup(shown, 3, T, noLease(), T)), T)));
    when(store.shows(any(), any()))
        .thenAnswer(call -> done(call.<Sum>getArgument(1).total().equals(shown)));

    sweepAll();

    verify(store).shows(any(), any());
    verify(store, never()).write(any(), any());
  }

  /** Its roller writes the field. */
  @Test
  void fieldOfALiveCounter_isLeftAlone() {
    findWrong(LIKES);
    when(store.read(LIKES))
        .thenReturn(done(new Reading(Optional.of(rollup(2, 0, leaseUntil(9))), T)));
    when(store.shows(any(), any())).thenReturn(done(false));

    sweepAll();

    verify(store, never()).write(any(), any());
  }

  /** The shards of one that has not changed for a minute may have been written together, once. */
  @ParameterizedTest
  @CsvSource({"-59, true", "-61, false"})
  void polledCounterThatChanges_isToldOfWhenItHasTooFewShards(double asOf, boolean told) {
    when(store.read(POLLED_LIKES))
        .thenReturn(done(new Reading(Optional.of(rollup(2, asOf, noLease())), T)));
    when(store.agesOfShards(POLLED_LIKES)).thenReturn(done(Collections.nCopies(3, Duration.ZERO)));
    placeHoldsAPolledOne();

    sweep(Optional.of(POLLED)).run(Extent.PART).join();

    assertThat(journal).hasSize(told ? 2 : 1);
    if (told) {
      assertThat(journal.get(0)).startsWith("WARNING too few shards").contains("polled_counters/");
    }
  }

  /** The roll-up in the place of that of LIKES is that of the polled counter of this name. */
  private void placeHoldsAPolledOne() {
    when(store.read(LIKES))
        .thenReturn(done(new Reading(Optional.empty(), Optional.of(POLLED_LIKES.document()), T)));
    findWrong(LIKES);
  }

  /** No event tells of a polled counter's writes, so its poll may just not have come yet. */
  @Test
  void polledTotal_isCorrectedWithoutAWord() {
    placeHoldsAPolledOne();

    sweep(Optional.of(POLLED)).run(Extent.PART).join();

    verify(store).write(eq(POLLED_LIKES), any());
    assertThat(journal).singleElement().asString().contains("checked=1, drift=0");
  }

  @Test
  void polledCounterThatIsLive_isLeftToItsRoller() {
    placeHoldsAPolledOne();
    when(store.read(POLLED_LIKES))
        .thenReturn(done(new Reading(Optional.of(rollup(1, 0, leaseUntil(9))), T)));

    sweep(Optional.of(POLLED)).run(Extent.PART).join();

    verify(store, never()).write(any(), any());
  }

  @Test
  void rollupsOfPolledCountersElsewhere_areSweptToo() {
    when(store.layout()).thenReturn(Layout.DEFAULT.in("rooms/{room}/counters"));
    when(store.page(eq(Group.POLLED_ROLLUPS), eq(""), anyInt()))
        .thenReturn(done(page("", POLLED_LIKES)));

    assertThat(sweep(Optional.of(POLLED)).run(Extent.PART)).isCompletedWithValue(Pass.End.COMPLETE);

    verify(store).write(eq(POLLED_LIKES), any());
    assertThat(last()).contains("checked=1");
  }

  @Test
  void sweepOfPolledCountersElsewhere_isGoneOnWith() {
    when(store.layout()).thenReturn(Layout.DEFAULT.in("rooms/{room}/counters"));
    when(store.page(eq(Group.POLLED_ROLLUPS), any(), anyInt())).thenReturn(done(page("rollups/z")));
    when(store.page(eq(Group.POLLED_ROLLUPS), eq("rollups/z"), anyInt()))
        .thenReturn(done(page("")));

    assertThat(sweep(Optional.of(POLLED)).run(Extent.PART)).isCompletedWithValue(Pass.End.LEFT);
    stored = Optional.of(new Claim("another", T));
    assertThat(sweep(Optional.of(POLLED)).run(Extent.PART)).isCompletedWithValue(Pass.End.COMPLETE);

    assertThat(place).contains(place(Group.POLLED_ROLLUPS, "rollups/z"));
    verify(store, times(1)).page(eq(Group.ROLLUPS), any(), anyInt());
  }
}
