package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.Change.LeaseChange;
import dev.tallyroll.protocol.SweepDecision.Correct;
import dev.tallyroll.protocol.SweepDecision.Right;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SweepDecisionTest {
  private static final Instant T = Instant.parse("2026-05-01T12:00:00Z");
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(2));
  private static final Optional<Lease> RUN_OUT = Optional.of(new Lease(T.minusSeconds(60), 3));
  private static final Optional<Lease> LIVE = Optional.of(new Lease(T, 3));

  private static SweepDecision decide(Optional<Rollup> stored, Sum sum) {
    return SweepDecision.of(stored, sum, TIMING, () -> 7);
  }

  private static Sum sum(long total, long shards) {
    return new Sum(new Total.Whole(total), shards, T.plusSeconds(1));
  }

  private static Optional<Rollup> rollup(long total, Optional<Lease> lease) {
    return Optional.of(new Rollup(new Total.Whole(total), 3, T, lease, T));
  }

  @Test
  void rightTotal_isLeftAlone() {
    assertThat(decide(rollup(4, Optional.empty()), sum(4, 3))).isEqualTo(new Right());
  }

  @Test
  void wrongTotal_isDriftAndCorrected() {
    assertThat(decide(rollup(4, Optional.empty()), sum(5, 3)))
        .isEqualTo(
            new Correct(
                new Change.Update(T, Optional.of(sum(5, 3)), new LeaseChange.Keep()), true));
  }

  @Test
  void liveCounter_isSomebodyElses() {
    assertThat(decide(rollup(4, LIVE), sum(5, 3))).isEqualTo(new Right());
    assertThat(decide(rollup(4, LIVE), sum(0, 0))).isEqualTo(new Right());
  }

  @Test
  void leaseThatNobodyHasEnded_isEndedAndNoDrift() {
    assertThat(decide(rollup(4, RUN_OUT), sum(5, 3)))
        .isEqualTo(
            new Correct(
                new Change.Update(T, Optional.of(sum(5, 3)), new LeaseChange.Remove()), false));
    assertThat(decide(rollup(4, RUN_OUT), sum(4, 3)))
        .isEqualTo(
            new Correct(
                new Change.Update(T, Optional.of(sum(4, 3)), new LeaseChange.Remove()), false));
  }

  @Test
  void rollupWithoutShards_isDeleted() {
    assertThat(decide(rollup(4, Optional.empty()), sum(0, 0)))
        .isEqualTo(new Correct(new Change.Delete(T), true));
  }

  @Test
  void absentRollup_isCreatedWhereThereAreShards() {
    assertThat(decide(Optional.empty(), sum(4, 3)))
        .isEqualTo(new Correct(new Change.Create(sum(4, 3), new Lease(T.plusSeconds(1), 7)), true));
    assertThat(decide(Optional.empty(), sum(0, 0))).isEqualTo(new Right());
  }

  @Test
  void sumThatCannotBeStored_changesNothing() {
    Sum nan = new Sum(new Total.Fraction(Double.NaN), 3, T.plusSeconds(1));
    Sum old = new Sum(new Total.Whole(9), 3, T);

    assertThat(decide(rollup(4, Optional.empty()), nan)).isEqualTo(new SweepDecision.Unusable());
    assertThat(decide(rollup(4, Optional.empty()), old)).isEqualTo(new SweepDecision.Unusable());
    assertThat(decide(Optional.empty(), nan)).isEqualTo(new SweepDecision.Unusable());
  }
}
