package dev.tallyroll.local.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.soak.Checks.Standing;
import dev.tallyroll.local.soak.History.Change;
import dev.tallyroll.local.soak.History.Seen;
import dev.tallyroll.local.soak.PossibleTotals.Range;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Each checker passes a right history, and finds what is wrong with another. */
final class ChecksTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void possibleTotals_holdARightOne() {
    var possible = new PossibleTotals(List.of(change(5, 1, 2), change(3, 10, 11)));

    assertThat(possible.broken(List.of(seen(0, 0), seen(5, 5), seen(8, 20)))).isEmpty();
  }

  @Test
  void possibleTotals_findALostIncrement() {
    var possible = new PossibleTotals(List.of(change(5, 1, 2), change(3, 10, 11)));

    assertThat(possible.broken(List.of(seen(5, 20))))
        .containsExactly("expected a total of 8 as of 2026-01-01T00:00:20Z, found 5");
  }

  @Test
  void possibleTotals_findAnIncrementThatCountedTwice() {
    assertThat(new PossibleTotals(List.of(change(5, 1, 2))).broken(List.of(seen(10, 20))))
        .hasSize(1);
  }

  @Test
  void possibleTotals_findATotalAheadOfItsTime() {
    assertThat(new PossibleTotals(List.of(change(5, 10, 11))).broken(List.of(seen(5, 9))))
        .hasSize(1);
  }

  @Test
  void possibleTotals_leaveOpenWhatIsUnderWay() {
    var possible = new PossibleTotals(List.of(change(5, 10, 30), change(-2, 10, 30)));

    assertThat(possible.at(at(20))).isEqualTo(new Range(-2, 5));
  }

  @Test
  void possibleTotals_leaveOpenWhatMayNotYetBeVisible() {
    var possible = new PossibleTotals(List.of(change(5, 10, 10)));

    assertThat(possible.at(at(11))).isEqualTo(new Range(0, 5));
    assertThat(possible.at(at(12))).isEqualTo(new Range(5, 5));
  }

  @Test
  void incrementOfUnknownOutcome_staysOpen() {
    var possible =
        new PossibleTotals(
            List.of(change(1, 1, 2), new Change(4, at(3), Instant.MAX), change(-1, 5, 6)));

    assertThat(possible.inTheEnd()).isEqualTo(new Range(0, 4));
  }

  @Test
  void stepsBack_acceptsWhatRises() {
    assertThat(Checks.stepsBack(List.of(seen(1, 1), seen(1, 1), seen(2, 2)), true)).isEmpty();
  }

  @Test
  void stepsBack_findsATimeThatGoesBack() {
    assertThat(Checks.stepsBack(List.of(seen(1, 2), seen(1, 1)), false)).hasSize(1);
  }

  @Test
  void stepsBack_findsATotalThatFallsOnlyWhereItMustNot() {
    var falling = List.of(seen(2, 1), seen(1, 2));

    assertThat(Checks.stepsBack(falling, true)).hasSize(1);
    assertThat(Checks.stepsBack(falling, false)).isEmpty();
  }

  @Test
  void stepsBack_findsTwoTotalsOfOneTime() {
    assertThat(Checks.stepsBack(List.of(seen(1, 1), seen(2, 1)), false)).hasSize(1);
  }

  @Test
  void freshness_endsWithTheFirstTotalThatCovers() {
    var seen = List.of(new Seen(0, at(9), at(9)), new Seen(1, at(12), at(13)), seen(1, 50));

    var freshness = Freshness.of(List.of(change(1, 9, 10)), seen, at(0), at(100));

    assertThat(freshness.at(1)).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void freshness_countsWhatIsNeverCovered() {
    var freshness = Freshness.of(List.of(change(1, 9, 10)), List.of(seen(0, 9)), at(0), at(100));

    assertThat(freshness.never()).isEqualTo(1);
  }

  @Test
  void freshness_isOfItsStretchOnly() {
    var changes = List.of(change(1, 4, 5), change(1, 9, 10), change(1, 14, 15));

    var freshness = Freshness.of(changes, List.of(seen(3, 20)), at(8), at(12));

    assertThat(freshness.lags()).containsExactly(Duration.ofSeconds(10));
    assertThat(freshness.plus(freshness).at(0.5)).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void standing_acceptsWhatIsRight() {
    assertThat(standing(OptionalLong.of(5), 5, 3).broken()).isEmpty();
    assertThat(standing(OptionalLong.of(5), 5, 3).isSettled()).isTrue();
    assertThat(gone(OptionalLong.empty()).broken()).isEmpty();
    assertThat(gone(OptionalLong.empty()).isSettled()).isTrue();
  }

  @Test
  void standing_findsAWrongRollup() {
    var wrong = standing(OptionalLong.of(4), 5, 3);

    assertThat(wrong.broken()).contains("expected the roll-up to say 5, found 4");
    assertThat(wrong.isSettled()).isFalse();
    assertThat(wrong.difference()).isEqualTo(1);
    assertThat(standing(OptionalLong.empty(), 5, 3).broken()).isPresent();
  }

  @Test
  void standing_findsARollupWithoutShards() {
    assertThat(gone(OptionalLong.of(0)).broken())
        .contains("expected the roll-up to say nothing, found 0");
    assertThat(gone(OptionalLong.of(0)).isSettled()).isFalse();
  }

  @Test
  void standing_findsShardsThatLostAnIncrement() {
    assertThat(standing(OptionalLong.of(4), 4, 3).broken())
        .contains("expected the shards to hold a total of 5, found 4");
  }

  @Test
  void standing_isNotSettledWhileLive() {
    var live = new Standing(OptionalLong.of(5), true, 5, 3, new Range(5, 5));

    assertThat(live.isSettled()).isFalse();
  }

  @Test
  void work_isBoundedAndEnds() {
    assertThat(Checks.work(12, 36, 0)).isEmpty();
    assertThat(Checks.work(12, 37, 0)).hasSize(1);
    assertThat(Checks.work(12, 20, 1)).containsExactly("expected no commit while idle, found 1");
  }

  private static Standing standing(OptionalLong rollup, long sum, int shards) {
    return new Standing(rollup, false, sum, shards, new Range(5, 5));
  }

  private static Standing gone(OptionalLong rollup) {
    return new Standing(rollup, false, 0, 0, new Range(0, 0));
  }

  private static Change change(long delta, int begun, int known) {
    return new Change(delta, at(begun), at(known));
  }

  private static Seen seen(long count, int second) {
    return new Seen(count, at(second), at(second));
  }

  private static Instant at(int second) {
    return START.plusSeconds(second);
  }
}
