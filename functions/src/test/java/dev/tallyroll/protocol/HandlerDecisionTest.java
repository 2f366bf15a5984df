package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.T;
import static dev.tallyroll.protocol.Examples.WITH_SLACK;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.leaseUntil;
import static dev.tallyroll.protocol.Examples.noLease;
import static dev.tallyroll.protocol.Examples.nothing;
import static dev.tallyroll.protocol.Examples.rollup;
import static dev.tallyroll.protocol.Examples.sum;
import static dev.tallyroll.protocol.Examples.unusable;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change.LeaseChange;
import dev.tallyroll.protocol.HandlerDecision.Write;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HandlerDecisionTest {
  private static final int LANE = 7;
  private static final Rollup STORED = rollup(4, 0, noLease());

  /** For a write that took place when the sum was read. */
  private static HandlerDecision decide(Optional<Rollup> stored, Sum sum) {
    return decide(stored, sum, Optional.of(sum.readTime()), false);
  }

  private static HandlerDecision decide(Rollup stored, Sum sum) {
    return decide(Optional.of(stored), sum);
  }

  private static HandlerDecision decide(
      Optional<Rollup> stored, Sum sum, Optional<Instant> committed, boolean burst) {
    Instant changed = stored.map(Rollup::updateTime).orElse(Instant.MIN);
    Commits commits = new Commits(committed, burst);
    boolean live = commits.areBurst(changed, sum.readTime(), WITH_SLACK.tick());
    return HandlerDecision.of(stored, sum, live, WITH_SLACK, () -> LANE);
  }

  @Test
  void absentRollup_isCreatedWithALeaseThatEndsNow() {
    Optional<Lease> ends = Optional.of(new Lease(T, LANE));

    assertThat(decide(Optional.empty(), sum(4, 0)))
        .isEqualTo(
            new Write(
                new Change.Create(sum(4, 0), ends.get()), Optional.of(rollup(4, 0, ends)), true));
  }

  @Test
  void absentRollupWithoutShards_staysAbsent() {
    assertThat(decide(Optional.empty(), nothing(0))).isEqualTo(new HandlerDecision.Done());
  }

  @Test
  void sumThatIsNotNewer_isReadAgain() {
    assertThat(decide(STORED, sum(5, 0))).isEqualTo(new HandlerDecision.SumAgain());
  }

  @Test
  void quietCounter_isWrittenEvenIfItsTotalIsTheSame() {
    assertThat(decide(STORED, sum(4, 1)))
        .isEqualTo(
            new Write(
                new Change.Update(T, Optional.of(sum(4, 1)), new LeaseChange.Keep()),
                Optional.of(STORED.with(sum(4, 1), noLease())),
                false));
  }

  @Test
  void burst_makesTheCounterLive() {
    Optional<Lease> lease = Optional.of(new Lease(at(5.999), LANE));

    assertThat(decide(STORED, sum(5, 0.999)))
        .isEqualTo(
            new Write(
                new Change.Update(T, Optional.of(sum(5, 0.999)), new LeaseChange.Set(lease.get())),
                Optional.of(STORED.with(sum(5, 0.999), lease)),
                true));
  }

  @Test
  void burst_isNoticedByWhenItCommitted_howeverLateItsEventIs() {
    assertThat(wakes(Optional.of(at(0.999)), false)).isTrue();
    assertThat(wakes(Optional.of(at(1)), false)).isFalse();
    assertThat(wakes(Optional.empty(), false)).isFalse();
    assertThat(wakes(Optional.of(at(1)), true)).as("told by the events").isTrue();
  }

  private static boolean wakes(Optional<Instant> committed, boolean burst) {
    return ((Write) decide(Optional.of(STORED), sum(5, 30), committed, burst)).wake();
  }

  @Test
  void burst_keepsTheLaneUnlessItIsDamaged() {
    Optional<Lease> damaged = Optional.of(new Lease(T, Lease.NO_LANE));

    assertThat(lease(rollup(4, 0, leaseUntil(0)))).contains(new Lease(at(5.010), 3));
    assertThat(lease(rollup(4, 0, damaged))).contains(new Lease(at(5.010), LANE));
  }

  private static Optional<Lease> lease(Rollup stored) {
    return ((Write) decide(stored, sum(5, 0.010))).stands().flatMap(Rollup::lease);
  }

  @Test
  void counterWithoutShards_losesItsRollupButNotTheFieldsOfOthers() {
    Rollup shared = new Rollup(STORED.total(), 3, T, Optional.empty(), T, Rollup.Whose.SHARED);

    assertThat(decide(STORED, nothing(0.001)))
        .isEqualTo(new Write(new Change.Delete(T), Optional.empty(), false));
    assertThat(decide(shared, nothing(0.001)))
        .isEqualTo(new Write(new Change.Leave(T), Optional.empty(), false));
  }

  @Test
  void counterWithoutShards_keepsItsRollupUntilItsLeaseHasRunOut() {
    Rollup live = rollup(4, 0, leaseUntil(4));

    assertThat(((Write) decide(live, nothing(6))).change()).isInstanceOf(Change.Update.class);
    assertThat(((Write) decide(live, nothing(6.001))).change()).isInstanceOf(Change.Delete.class);
  }

  @Test
  void unusableSum_isNeverWritten() {
    assertThat(decide(Optional.empty(), unusable(2))).isEqualTo(new HandlerDecision.Unusable());
    assertThat(decide(STORED, unusable(2))).isEqualTo(new HandlerDecision.Unusable());
  }
}
