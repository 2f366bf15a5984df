package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.CounterPages.Group;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.runs.Pass.End;
import dev.tallyroll.runs.PassKind;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sweeps that look at 250 documents at most, a hundred a page. */
class SweepTest {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final CounterPath VOTES = CounterPath.of("votes");
  private static final CounterPath POLLED = CounterPath.of("q-polled");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private Stage stage = stage(Layout.DEFAULT);

  private static Stage stage(Layout layout) {
    Timing timing = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO, 15);
    return new Stage(timing, 250, layout);
  }

  /** A counter whose roll-up says 1, and whose shard has 2. */
  private void wrong(CounterPath counter) {
    stage.shards(counter, 2L);
    stage.rollup(counter, 1L);
  }

  private void assertCorrected(CounterPath counter) {
    assertThat(stage.total(counter)).contains(2L);
  }

  private void assertUntouched(CounterPath counter) {
    assertThat(stage.total(counter)).contains(1L);
    assertThat(stage.writes(counter)).isZero();
  }

  private End sweep() {
    return stage.sweep(PassKind.PART);
  }

  private void sweepAll() {
    assertThat(sweep()).isEqualTo(End.COMPLETE);
    assertThat(stage.hasRunDocument("sweep")).isFalse();
  }

  private String first() {
    return stage.log().get(0);
  }

  private String last() {
    return stage.log().get(stage.log().size() - 1);
  }

  /** The other writer has seen a change, too. */
  @Test
  void correctionThatIsRefused_isTriedAgainOnWhatIsReadThen() {
    wrong(LIKES);
    stage.beforeWrite(
        LIKES,
        () -> {
          stage.shards(LIKES, 7L);
          stage.rollup(LIKES, 5L);
        });

    sweepAll();

    assertThat(stage.total(LIKES)).contains(7L);
    assertThat(first()).startsWith("WARNING drift corrected").contains("was=5", "is=7");
    assertThat(last())
        .isEqualTo(
            "INFO sweep {entry=counters, looked=2, checked=2, drift=1, failed=0, foreign=0, complete=true,"
                + " round_looked=2, round_before=0, round_hours=0, behind=false}");
  }

  @Test
  void badCounters_areNamedAndDelayNoOther() {
    CounterPath broken = CounterPath.of("broken");
    wrong(LIKES);
    wrong(broken);
    wrong(VOTES);
    stage.failSums(LIKES);
    stage.shards(broken, Double.NEGATIVE_INFINITY);

    sweepAll();

    assertUntouched(LIKES);
    assertUntouched(broken);
    assertCorrected(VOTES);
    assertThat(stage.log())
        .anyMatch(line -> line.startsWith("WARNING not swept") && line.contains("counters/likes"))
        .anyMatch(line -> line.startsWith("WARNING not swept") && line.contains("UNAVAILABLE"))
        .anyMatch(line -> line.matches("ERROR sum is not a number.*broken.*"));
    assertThat(last()).startsWith("WARNING sweep").contains("checked=2, drift=1, failed=1");
  }

  @Test
  void documentsThatDoNotCount_areToldByASweepOfAll_andByASumOfFewer() {
    stage.shards(LIKES, 1L, "2");
    stage.rollup(LIKES, 1L);
    stage.shards(VOTES, "2");
    stage.rollup(VOTES, 2L); // as long as it was a number

    sweepAll();
    assertThat(told()).singleElement().asString().contains("votes", "documents=1", "shards/0");
    stage.sweep(PassKind.ALL);
    assertThat(told()).hasSize(3).anyMatch(line -> line.contains("likes"));
  }

  private List<String> told() {
    return stage.log().stream().filter(line -> line.contains("documents do not count")).toList();
  }

  @Test
  void nestedCounter_isSwept() {
    stage.world.totals.checks = false; // it knows no nested counters
    String counter = "rooms/r1/counters/likes";
    String rollup = "rooms/r1/rollups/likes";
    stage.world.put(counter + "/shards/0", Map.of("count", 2L));
    String totalOf = "sum of count in {**}/counters/{1}/shards";
    stage.world.put(
        rollup, Map.of("counter", counter, "total_of", totalOf, "count", 1L, "shards", 1L));

    sweepAll();

    assertThat(stage.field(rollup, "count")).contains(2L);
    assertThat(last()).contains("checked=1, drift=1, failed=0");
  }

  @Test
  void pages_followEachOtherThroughBothGroupsAndAreRemembered() {
    stage.rightOnes(100);
    wrong(LIKES);
    stage.shards(VOTES, 2L); // and no roll-up
    stage.beforeWrite(
        LIKES, () -> assertThat(stage.place("sweep")).isIn("ROLLUPS rollups/a099", "COUNTERS "));
    stage.beforeWrite(
        VOTES, () -> assertThat(stage.place("sweep")).isEqualTo("COUNTERS counters/a099"));

    sweepAll();

    assertCorrected(LIKES);
    assertCorrected(VOTES);
  }

  @Test
  void sweepThatMayLookNoFurther_isGoneOnWithNextTime() {
    stage.rightOnes(200);
    stage.shards(LIKES, 2L); // and no roll-up

    assertThat(sweep()).isEqualTo(End.LEFT);

    assertThat(stage.place("sweep")).isEqualTo("COUNTERS counters/a049");
    assertThat(last()).startsWith("INFO sweep").contains("looked=250", "complete=false");
    sweepAll();
    assertThat(last()).contains("looked=151", "complete=true");
    assertCorrected(LIKES);
  }

  @Test
  void sweepBesideAnother_leavesItToThat() {
    wrong(LIKES);
    stage.world.faults.late.put(Call.SUM, Duration.ofSeconds(5));
    CompletableFuture<End> other = stage.beginSweep(PassKind.PART);
    stage.pass(Duration.ofSeconds(1));

    assertThat(sweep()).isEqualTo(End.ANOTHER);

    assertThat(last()).startsWith("INFO another sweep is at work").contains("looked=0");
    assertThat(stage.get(other)).isEqualTo(End.COMPLETE);
    assertThat(stage.reads(LIKES)).isEqualTo(1);
    assertCorrected(LIKES);
  }

  @Test
  void sweepOfAll_takesOverAndBeginsAnew() {
    wrong(LIKES);
    stage.anotherSweeps(MINUTE, Group.COUNTERS, "counters/k");

    assertThat(stage.sweep(PassKind.ALL)).isEqualTo(End.COMPLETE);

    assertCorrected(LIKES);
    assertThat(last()).contains("pass=all");
  }

  @Test
  void sweepOfTheRest_takesOverAndGoesOn() {
    wrong(LIKES);
    stage.shards(VOTES, 2L); // and no roll-up
    stage.anotherSweeps(MINUTE, Group.COUNTERS, "counters/k", /* all= */ true);

    assertThat(stage.sweep(PassKind.REST)).isEqualTo(End.COMPLETE);

    assertUntouched(LIKES);
    assertCorrected(VOTES);
    assertThat(last()).contains("pass=all");
  }

  @Test
  void sweepOfAll_looksAtAnyNumber() {
    stage.rightOnes(200);
    wrong(LIKES);

    assertThat(stage.sweep(PassKind.ALL)).isEqualTo(End.COMPLETE);

    assertCorrected(LIKES);
    assertThat(last()).contains("looked=402", "complete=true");
  }

  /** A page that cannot be read, or an instance that dies, ends the turn, not the pass. */
  @Test
  void sweepOfAll_isGoneOnWithWhateverHasEndedIt() {
    stage.rightOnes(300);
    wrong(LIKES);
    stage.fail(Call.PAGE, "rollups/a099");
    assertThat(stage.sweep(PassKind.ALL)).isEqualTo(End.LEFT);
    assertThat(last()).contains("complete=false", "pass=all", "round_looked=100");
    stage.heal();

    assertThat(sweep()).isEqualTo(End.COMPLETE);

    assertCorrected(LIKES);
    assertThat(last()).contains("looked=502", "complete=true", "pass=all", "round_looked=602");
  }

  @Test
  void roundOfMoreThanADay_isBehind() {
    stage.rightOnes(200);
    assertThat(sweep()).isEqualTo(End.LEFT);
    stage.world.time.pass(Duration.ofHours(1));
    assertThat(sweep()).isEqualTo(End.COMPLETE);
    assertThat(last()).contains("round_looked=400", "round_hours=1, behind=false");

    assertThat(sweep()).isEqualTo(End.LEFT);
    stage.world.time.pass(Duration.ofHours(25));
    assertThat(sweep()).isEqualTo(End.COMPLETE);

    assertThat(last()).contains("round_hours=25, behind=true");
  }

  /** No run claims a document for so long, so the claim is damaged; the place may be right. */
  @Test
  void claimThatIsLongerThanAnySweep_isNotBelieved() {
    wrong(LIKES);
    stage.shards(VOTES, 2L); // and no roll-up
    stage.anotherSweeps(Duration.ofDays(36_500), Group.COUNTERS, "counters/k");

    sweepAll();

    assertUntouched(LIKES);
    assertCorrected(VOTES);
  }

  @Test
  void documentInTheRollupsPlace_isReportedWhereTheCounterHasShards() {
    stage.shards(LIKES, 2L);
    stage.foreign(LIKES, "of others");
    stage.foreign(VOTES, "of others");

    sweepAll();

    assertThat(stage.field("rollups/likes", "count")).contains(77L);
    assertThat(stage.log()).hasSize(2);
    assertThat(first())
        .startsWith("ERROR a document without this total's mark")
        .contains("counters/likes");
    assertThat(last()).contains("foreign=2"); // one is met twice: as a roll-up, and as a counter
  }

  /** The documents may be large. */
  @Test
  void pageThatFails_isTriedAgainWithFewerDocuments() {
    wrong(LIKES);
    stage.rightOnes(20);
    stage.failPagesLargerThan(10);

    sweepAll();

    assertCorrected(LIKES);
    assertThat(first()).startsWith("WARNING a page of the sweep failed");
    assertThat(last()).contains("looked=42", "complete=true");
  }

  @Test
  void pageThatKeepsFailing_isTakenUpByTheNextSweep() {
    stage.rightOnes(100);
    wrong(LIKES);
    stage.fail(Call.PAGE, "rollups/a099");

    assertThat(sweep()).isEqualTo(End.LEFT);

    assertUntouched(LIKES);
    assertThat(stage.place("sweep")).isEqualTo("ROLLUPS rollups/a099");
    assertThat(last()).startsWith("WARNING sweep").contains("failed=3, foreign=0, complete=false");
    stage.heal();
    sweepAll(); // at once, since nobody is at work
    assertCorrected(LIKES);
    assertThat(last()).contains("looked=102");
  }

  /** Documents of others may be large, so that only a few are in memory at once. */
  @Test
  void documents_areReadAFewAtATime() {
    stage.rightOnes(100);
    stage.world.faults.late.put(Call.READ, MINUTE);
    CompletableFuture<End> unended = stage.beginSweep(PassKind.PART);

    stage.pass(Duration.ofSeconds(30));

    assertThat(stage.calls(Call.READ)).isEqualTo(8);
    assertThat(unended).isNotDone();
  }

  @Test
  void counterWithARollup_costsTheSecondGroupNoMoreThanItsPage() {
    wrong(LIKES);

    sweepAll();

    assertThat(last()).contains("looked=2");
    assertThat(stage.reads(LIKES)).isEqualTo(1);
    assertThat(stage.sums(LIKES)).isEqualTo(1);
  }

  /** Two sums of the same doubles may differ in their last digits: that is no wrong total. */
  @Test
  void fieldThatShowsTheRollup_isNotWrittenAgainForTheLastDigitsOfASum() {
    stage.showFields();
    stage.shards(LIKES, 0.1 + 0.2);
    stage.rollup(LIKES, 0.3);
    stage.world.put(
        "counters/likes", Map.of("stats", Map.of("likes", 0.3, "average", 0.3), "number", 1L));

    sweepAll();

    assertThat(stage.calls(Call.DOCUMENT)).isEqualTo(1);
    assertThat(stage.calls(Call.WRITE)).isZero();
  }

  /** The counter's roller writes the field. */
  @Test
  void fieldOfALiveCounter_isLeftAlone() {
    stage.showFields();
    stage.shards(LIKES, 2L);
    stage.live(LIKES, 2L, MINUTE);

    sweepAll();

    assertThat(stage.calls(Call.WRITE)).isZero();
    assertThat(stage.world.appDocuments.shown(LIKES, Figure.SUM)).isEmpty();
  }

  /** The shards of one that has not changed for a minute may have been written together, once. */
  @ParameterizedTest
  @CsvSource({"60, true", "62, false"})
  void counterWithoutEventsThatChanges_isToldOfWhenItHasTooFewShards(int seconds, boolean told) {
    stage = stage(ServerTotals.POLLED);
    stage.rollup(POLLED, 1L);
    stage.pass(Duration.ofSeconds(seconds));
    stage.shards(POLLED, 1L, 1L, 1L);

    sweepAll();

    assertThat(stage.log()).hasSize(told ? 2 : 1);
    assertThat(first().matches("WARNING too few shards.*polled_counters/.*")).isEqualTo(told);
  }

  /** No event tells of its writes, so its poll may just not have come yet. */
  @Test
  void totalWithoutEvents_isCorrectedWithoutAWord() {
    stage = stage(ServerTotals.POLLED);
    wrong(POLLED);
    stage.pass(MINUTE.multipliedBy(2));

    sweepAll();

    assertCorrected(POLLED);
    assertThat(stage.log()).singleElement().asString().contains("checked=1, drift=0");
  }
}
