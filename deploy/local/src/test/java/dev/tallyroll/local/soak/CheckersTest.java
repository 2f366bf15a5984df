package dev.tallyroll.local.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.soak.Bounds.Range;
import dev.tallyroll.local.soak.Finals.Shards;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Each checker passes a right history, and finds what is wrong with another. */
final class CheckersTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void bounds_holdARightTotal() {
    var bounds = new Bounds(List.of(change(5, 1, 2), change(3, 10, 11)));

    assertThat(bounds.broken(List.of(seen(0, 0), seen(5, 5), seen(8, 20)))).isEmpty();
  }

  @Test
  void bounds_findALostIncrement() {
    var bounds = new Bounds(List.of(change(5, 1, 2), change(3, 10, 11)));

    assertThat(bounds.broken(List.of(seen(5, 20))))
        .containsExactly("expected a total of 8 as of 2026-01-01T00:00:20Z, found 5");
  }

  @Test
  void bounds_findAnIncrementThatCountedTwice() {
    assertThat(new Bounds(List.of(change(5, 1, 2))).broken(List.of(seen(10, 20)))).hasSize(1);
  }

  @Test
  void bounds_findATotalAheadOfItsTime() {
    assertThat(new Bounds(List.of(change(5, 10, 11))).broken(List.of(seen(5, 9)))).hasSize(1);
  }

  @Test
  void bounds_leaveOpenWhatIsUnderWay() {
    var bounds = new Bounds(List.of(change(5, 10, 30), change(-2, 10, 30)));

    assertThat(bounds.at(at(20))).isEqualTo(new Range(-2, 5));
  }

  @Test
  void bounds_leaveOpenWhatMayNotYetBeVisible() {
    var bounds = new Bounds(List.of(change(5, 10, 10)));

    assertThat(bounds.at(at(11))).isEqualTo(new Range(0, 5));
    assertThat(bounds.at(at(12))).isEqualTo(new Range(5, 5));
  }

  @Test
  void incrementOfUnknownOutcome_staysOpen() {
    var bounds =
        new Bounds(List.of(change(1, 1, 2), new Change(4, at(3), Instant.MAX), change(-1, 5, 6)));

    assertThat(bounds.inTheEnd()).isEqualTo(new Range(0, 4));
  }

  @Test
  void neverBack_acceptsWhatRises() {
    assertThat(NeverBack.broken(List.of(seen(1, 1), seen(1, 1), seen(2, 2)), true)).isEmpty();
  }

  @Test
  void neverBack_findsATimeThatGoesBack() {
    assertThat(NeverBack.broken(List.of(seen(1, 2), seen(1, 1)), false)).hasSize(1);
  }

  @Test
  void neverBack_findsATotalThatFallsOnlyWhereItMustNot() {
    var falling = List.of(seen(2, 1), seen(1, 2));

    assertThat(NeverBack.broken(falling, true)).hasSize(1);
    assertThat(NeverBack.broken(falling, false)).isEmpty();
  }

  @Test
  void neverBack_findsTwoTotalsOfOneTime() {
    assertThat(NeverBack.broken(List.of(seen(1, 1), seen(2, 1)), false)).hasSize(1);
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
  void finals_acceptWhatIsRight() {
    assertThat(finals(OptionalLong.of(5), new Shards(5, 3)).broken()).isEmpty();
    assertThat(new Finals(OptionalLong.empty(), new Shards(0, 0), new Range(0, 0)).broken())
        .isEmpty();
  }

  @Test
  void finals_findAWrongRollup() {
    var wrong = finals(OptionalLong.of(4), new Shards(5, 3));

    assertThat(wrong.broken()).contains("expected the roll-up to say 5, found 4");
    assertThat(wrong.difference()).isEqualTo(1);
    assertThat(finals(OptionalLong.empty(), new Shards(5, 3)).broken()).isPresent();
  }

  @Test
  void finals_findARollupWithoutShards() {
    var orphan = new Finals(OptionalLong.of(0), new Shards(0, 0), new Range(0, 0));

    assertThat(orphan.broken()).contains("expected the roll-up to say nothing, found 0");
  }

  @Test
  void finals_findShardsThatLostAnIncrement() {
    assertThat(finals(OptionalLong.of(4), new Shards(4, 3)).broken())
        .contains("expected the shards to hold a total of 5, found 4");
  }

  @Test
  void work_isBoundedAndEnds() {
    assertThat(new Work(10, 12, 36, 0).broken()).isEmpty();
    assertThat(new Work(10, 12, 37, 0).broken()).hasSize(1);
    assertThat(new Work(10, 12, 20, 1).broken())
        .containsExactly("expected no commit while idle, found 1");
  }

  private static Finals finals(OptionalLong rollup, Shards shards) {
    return new Finals(rollup, shards, new Range(5, 5));
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
