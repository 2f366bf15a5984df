package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.T;
import static dev.tallyroll.protocol.Examples.WITH_SLACK;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.leaseUntil;
import static dev.tallyroll.protocol.Examples.nothing;
import static dev.tallyroll.protocol.Examples.rollup;
import static dev.tallyroll.protocol.Examples.sum;
import static dev.tallyroll.protocol.Examples.unusable;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change.LeaseChange;
import dev.tallyroll.protocol.RollerDecision.Settle;
import dev.tallyroll.protocol.RollerDecision.Unchanged;
import dev.tallyroll.protocol.RollerDecision.Wait;
import dev.tallyroll.protocol.RollerDecision.Write;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Of a roll-up whose total is 4, and whose lease ends after five seconds. */
class RollerDecisionTest {
  private static final Instant LEASE = at(5);
  private static final boolean BUSY = true;
  private static final boolean CALM = false;

  private static RollerDecision decide(Sum sum, boolean busy) {
    return RollerDecision.of(rollup(4, 0, leaseUntil(5)), sum, busy, WITH_SLACK);
  }

  private static Write write(Sum sum, LeaseChange change, Instant stands) {
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
    Instant renewed = at(7.501);

    assertThat(decide(sum(5, 2.500), BUSY))
        .isEqualTo(write(sum(5, 2.500), new LeaseChange.Keep(), LEASE));
    assertThat(decide(sum(5, 2.501), BUSY))
        .isEqualTo(write(sum(5, 2.501), new LeaseChange.Renew(renewed), renewed));
  }

  @Test
  void busyCounter_staysLiveHoweverLateTheRollerIs() {
    assertThat(decide(sum(5, 60), BUSY))
        .isEqualTo(write(sum(5, 60), new LeaseChange.Renew(at(65)), at(65)));
    assertThat(decide(sum(5, 60), CALM)).isInstanceOf(Settle.class);
  }

  @Test
  void handedOverDocument_losesItsLeaseOnly() {
    Rollup handedOver =
        new Rollup(sum(0, 0).total(), -1, Instant.EPOCH, leaseUntil(5), T, Rollup.Whose.SHARED);

    assertThat(RollerDecision.of(handedOver, nothing(8), CALM, WITH_SLACK))
        .isEqualTo(new Settle(new Change.Update(T, Optional.empty(), new LeaseChange.End())));
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
            new Settle(new Change.Update(T, Optional.of(sum(4, 7.001)), new LeaseChange.End())));
  }

  @Test
  void counterWithoutShards_saysZeroUntilItsLeaseHasRunOutThenGoes() {
    assertThat(decide(nothing(7), CALM)).isInstanceOf(Write.class);
    assertThat(decide(nothing(7.001), CALM)).isEqualTo(new Settle(new Change.Remove(T, true)));
  }

  @Test
  void sumThatIsNotNewer_isNotUsed() {
    assertThat(decide(sum(5, 0), BUSY)).isEqualTo(new Wait());
  }

  @Test
  void unusableSum_isNotWrittenButEndsTheLease() {
    assertThat(decide(unusable(1), BUSY)).isEqualTo(new RollerDecision.Unusable());
    assertThat(decide(unusable(8), BUSY))
        .isEqualTo(new Settle(new Change.Update(T, Optional.empty(), new LeaseChange.End())));
  }
}
