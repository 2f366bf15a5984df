package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.Change.LeaseChange;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RollerDecisionTest {
  private static final Instant T = Instant.parse("2026-05-01T12:00:00Z");
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(2));
  private static final Lease LEASE = new Lease(T.plusSeconds(5), 3);
  private static final Rollup STORED =
      new Rollup(new Total.Whole(4), 3, T.minusMillis(5), Optional.of(LEASE), T);
  private static final Activity BUSY = new Activity(4, 2);
  private static final Activity CALM = new Activity(4, 1);

  private static RollerDecision decide(Sum sum, Activity activity) {
    return RollerDecision.of(STORED, LEASE, sum, activity, TIMING);
  }

  private static Sum sum(long total, long shards, Instant readTime) {
    return new Sum(new Total.Whole(total), shards, readTime);
  }

  @Test
  void unchangedTotal_isNotWritten() {
    assertThat(decide(sum(4, 3, T.plusSeconds(1)), BUSY)).isEqualTo(new RollerDecision.Unchanged());
  }

  @Test
  void changedTotal_isWrittenAndLeavesTheLeaseAlone() {
    Sum sum = sum(5, 3, T.plusSeconds(1));

    assertThat(decide(sum, BUSY))
        .isEqualTo(
            new RollerDecision.Write(
                new Change.Update(T, Optional.of(sum), new LeaseChange.Keep()), LEASE));
  }

  @Test
  void busyCounterWithLessThanHalfALease_isRenewed() {
    Sum sum = sum(5, 3, T.plusMillis(2_501));
    Lease renewed = new Lease(T.plusMillis(7_501), 3);

    assertThat(decide(sum, BUSY))
        .isEqualTo(
            new RollerDecision.Write(
                new Change.Update(T, Optional.of(sum), new LeaseChange.Set(renewed)), renewed));
  }

  @Test
  void leaseWithHalfLeft_isNotRenewed() {
    assertThat(decide(sum(5, 3, T.plusMillis(2_500)), BUSY))
        .isInstanceOfSatisfying(
            RollerDecision.Write.class, write -> assertThat(write.lease()).isEqualTo(LEASE));
  }

  @Test
  void calmCounter_isLeftToRunOut() {
    assertThat(decide(sum(5, 3, T.plusSeconds(4)), CALM))
        .isInstanceOfSatisfying(
            RollerDecision.Write.class, write -> assertThat(write.lease()).isEqualTo(LEASE));
  }

  @Test
  void leaseIsKept_untilASumWasReadLaterThanItsEndAndSlack() {
    assertThat(decide(sum(4, 3, T.plusSeconds(7)), BUSY)).isEqualTo(new RollerDecision.Unchanged());
    Sum late = sum(4, 3, T.plusMillis(7_001));

    assertThat(decide(late, BUSY))
        .isEqualTo(
            new RollerDecision.Settle(
                new Change.Update(T, Optional.of(late), new LeaseChange.Remove())));
  }

  @Test
  void counterWithoutShards_saysZeroUntilItsLeaseHasRunOutThenGoes() {
    assertThat(decide(sum(0, 0, T.plusSeconds(7)), CALM)).isInstanceOf(RollerDecision.Write.class);
    assertThat(decide(sum(0, 0, T.plusMillis(7_001)), CALM))
        .isEqualTo(new RollerDecision.Settle(new Change.Delete(T)));
  }

  @Test
  void sumThatIsNotNewer_isNotUsed() {
    assertThat(decide(sum(5, 3, STORED.asOf()), BUSY)).isEqualTo(new RollerDecision.Wait());
  }

  @Test
  void unusableSum_isNotWrittenButEndsTheLease() {
    Total poison = new Total.Fraction(Double.POSITIVE_INFINITY);

    assertThat(decide(new Sum(poison, 3, T.plusSeconds(1)), BUSY))
        .isEqualTo(new RollerDecision.Unusable());
    assertThat(decide(new Sum(poison, 3, T.plusSeconds(8)), BUSY))
        .isEqualTo(
            new RollerDecision.Settle(
                new Change.Update(T, Optional.empty(), new LeaseChange.Remove())));
  }
}
