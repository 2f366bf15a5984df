package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.T;
import static dev.tallyroll.protocol.Examples.WITH_SLACK;
import static dev.tallyroll.protocol.Examples.leaseUntil;
import static dev.tallyroll.protocol.Examples.nothing;
import static dev.tallyroll.protocol.Examples.rollup;
import static dev.tallyroll.protocol.Examples.sum;
import static dev.tallyroll.protocol.Examples.unusable;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Lease;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change.LeaseChange;
import dev.tallyroll.protocol.RollerDecision.Settle;
import dev.tallyroll.protocol.RollerDecision.Unchanged;
import dev.tallyroll.protocol.RollerDecision.Write;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Of a roll-up whose total is 4, and whose lease ends after five seconds. */
class RollerDecisionTest {
  private static final Lease LEASE = leaseUntil(5).orElseThrow();
  private static final Activity BUSY = new Activity(4, 2);
  private static final Activity CALM = new Activity(4, 1);

  private static RollerDecision decide(Sum sum, Activity activity) {
    return RollerDecision.of(rollup(4, 0, leaseUntil(5)), LEASE, sum, activity, WITH_SLACK);
  }

  private static Write write(Sum sum, LeaseChange change, Lease stands) {
    return new Write(new Change.Update(T, Optional.of(sum), change), stands);
  }

  @Test
  void unchangedTotal_isNotWritten() {
    assertThat(decide(sum(4, 1), BUSY)).isEqualTo(new Unchanged());
  }

  @Test
  void changedTotal_isWrittenAndLeavesTheLeaseAlone() {
    assertThat(decide(sum(5, 1), BUSY)).isEqualTo(write(sum(5, 1), new LeaseChange.Keep(), LEASE));
  }

  @Test
  void lease_isRenewedWithLessThanHalfLeft() {
    Lease renewed = leaseUntil(7.501).orElseThrow();

    assertThat(decide(sum(5, 2.500), BUSY))
        .isEqualTo(write(sum(5, 2.500), new LeaseChange.Keep(), LEASE));
    assertThat(decide(sum(5, 2.501), BUSY))
        .isEqualTo(write(sum(5, 2.501), new LeaseChange.Set(renewed), renewed));
  }

  @Test
  void calmCounter_isLeftToRunOut() {
    assertThat(decide(sum(5, 4), CALM)).isEqualTo(write(sum(5, 4), new LeaseChange.Keep(), LEASE));
  }

  @Test
  void leaseIsKept_untilASumWasReadLaterThanItsEndAndSlack() {
    assertThat(decide(sum(4, 7), BUSY)).isEqualTo(new Unchanged());
    assertThat(decide(sum(4, 7.001), BUSY))
        .isEqualTo(
            new Settle(new Change.Update(T, Optional.of(sum(4, 7.001)), new LeaseChange.Remove())));
  }

  @Test
  void counterWithoutShards_saysZeroUntilItsLeaseHasRunOutThenGoes() {
    assertThat(decide(nothing(7), CALM)).isInstanceOf(Write.class);
    assertThat(decide(nothing(7.001), CALM)).isEqualTo(new Settle(new Change.Delete(T)));
  }

  @Test
  void sumThatIsNotNewer_isNotUsed() {
    assertThat(decide(sum(5, 0), BUSY)).isEqualTo(new RollerDecision.Wait());
  }

  @Test
  void unusableSum_isNotWrittenButEndsTheLease() {
    assertThat(decide(unusable(1), BUSY)).isEqualTo(new RollerDecision.Unusable());
    assertThat(decide(unusable(8), BUSY))
        .isEqualTo(new Settle(new Change.Update(T, Optional.empty(), new LeaseChange.Remove())));
  }
}
