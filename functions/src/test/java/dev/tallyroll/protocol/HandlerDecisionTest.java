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

class HandlerDecisionTest {
  private static final Instant T = Instant.parse("2026-05-01T12:00:00Z");
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(2));
  private static final int LANE = 7;

  /** For a write that took place when the sum was read. */
  private static HandlerDecision decide(Optional<Rollup> stored, Sum sum) {
    return decide(stored, sum, Optional.of(sum.readTime()));
  }

  private static HandlerDecision decide(
      Optional<Rollup> stored, Sum sum, Optional<Instant> committed) {
    return decide(stored, sum, new Commits(committed, false));
  }

  private static HandlerDecision decide(Optional<Rollup> stored, Sum sum, Commits commits) {
    Instant changed = stored.map(Rollup::updateTime).orElse(Instant.MIN);
    boolean burst = commits.areBurst(changed, sum.readTime(), TIMING.tick());
    return HandlerDecision.of(stored, sum, burst, TIMING, () -> LANE);
  }

  private static Sum sum(long total, long shards, Instant readTime) {
    return new Sum(new Total.Whole(total), shards, readTime);
  }

  /** Written at T, from a sum read just before. */
  private static Rollup rollup(long total, Optional<Lease> lease) {
    return new Rollup(new Total.Whole(total), 3, T.minusMillis(5), lease, T);
  }

  private static Optional<Lease> leaseUntil(Instant until) {
    return Optional.of(new Lease(until, 3));
  }

  @Test
  void absentRollup_isCreatedWithALeaseThatEndsNow() {
    Sum sum = sum(4, 3, T);
    Lease ends = new Lease(T, LANE);

    assertThat(decide(Optional.empty(), sum))
        .isEqualTo(
            new HandlerDecision.Write(
                new Change.Create(sum, ends),
                Optional.of(new Rollup(sum.total(), 3, T, Optional.of(ends), T)),
                true));
  }

  @Test
  void absentRollupWithoutShards_staysAbsent() {
    assertThat(decide(Optional.empty(), sum(0, 0, T))).isEqualTo(new HandlerDecision.Done());
  }

  @Test
  void sumThatIsNotNewer_isReadAgain() {
    Rollup stored = rollup(4, Optional.empty());

    assertThat(decide(Optional.of(stored), sum(5, 3, stored.asOf())))
        .isEqualTo(new HandlerDecision.SumAgain());
  }

  @Test
  void quietCounter_isWrittenEvenIfItsTotalIsTheSame() {
    Rollup stored = rollup(4, Optional.empty());
    Sum sum = sum(4, 3, T.plusSeconds(1));

    assertThat(decide(Optional.of(stored), sum))
        .isEqualTo(
            new HandlerDecision.Write(
                new Change.Update(T, Optional.of(sum), new LeaseChange.Keep()),
                Optional.of(stored.with(sum, Optional.empty())),
                false));
  }

  @Test
  void burst_makesTheCounterLive() {
    Instant now = T.plusMillis(999);
    Sum sum = sum(5, 3, now);
    Lease lease = new Lease(now.plusSeconds(5), LANE);
    Rollup stored = rollup(4, Optional.empty());

    assertThat(decide(Optional.of(stored), sum))
        .isEqualTo(
            new HandlerDecision.Write(
                new Change.Update(T, Optional.of(sum), new LeaseChange.Set(lease)),
                Optional.of(stored.with(sum, Optional.of(lease))),
                true));
  }

  @Test
  void burst_isNoticedByWhenItCommitted_howeverLateItsEventIs() {
    Optional<Rollup> stored = Optional.of(rollup(4, Optional.empty()));
    Sum late = sum(5, 3, T.plusSeconds(30));

    assertThat(decide(stored, late, Optional.of(T.plusMillis(999)))).matches(this::wakes);
    assertThat(decide(stored, late, Optional.of(T.plusSeconds(1)))).matches(write -> !wakes(write));
    assertThat(decide(stored, late, Optional.empty())).matches(write -> !wakes(write));
  }

  @Test
  void burst_isTakenFromTheEventsToo() {
    Optional<Rollup> stored = Optional.of(rollup(4, Optional.empty()));
    Commits burst = new Commits(Optional.of(T.minusSeconds(30)), true);

    assertThat(decide(stored, sum(5, 3, T.plusSeconds(30)), burst)).matches(this::wakes);
  }

  private boolean wakes(HandlerDecision decision) {
    return ((HandlerDecision.Write) decision).wake();
  }

  @Test
  void counterWithoutShards_leavesTheFieldsOfOthers() {
    Rollup stored = new Rollup(new Total.Whole(4), 3, T, Optional.empty(), T, Rollup.Whose.SHARED);

    assertThat(decide(Optional.of(stored), sum(0, 0, T.plusMillis(1))))
        .isEqualTo(new HandlerDecision.Write(new Change.Leave(T), Optional.empty(), false));
  }

  @Test
  void burst_keepsTheLane() {
    Optional<Lease> held = leaseUntil(T);

    assertThat(lease(decide(Optional.of(rollup(4, held)), sum(5, 3, T.plusMillis(10)))))
        .contains(new Lease(T.plusMillis(5_010), 3));
  }

  private static Optional<Lease> lease(HandlerDecision decision) {
    return ((HandlerDecision.Write) decision).stands().flatMap(Rollup::lease);
  }

  @Test
  void burst_replacesADamagedLane() {
    Optional<Lease> held = Optional.of(new Lease(T, Lease.NO_LANE));

    assertThat(lease(decide(Optional.of(rollup(4, held)), sum(5, 3, T.plusMillis(10)))))
        .map(Lease::lane)
        .contains(LANE);
  }

  @Test
  void counterWithoutShards_losesItsRollup() {
    assertThat(decide(Optional.of(rollup(4, Optional.empty())), sum(0, 0, T.plusMillis(1))))
        .isEqualTo(new HandlerDecision.Write(new Change.Delete(T), Optional.empty(), false));
  }

  @Test
  void counterWithoutShards_keepsItsRollupUntilItsLeaseHasRunOut() {
    Optional<Rollup> stored = Optional.of(rollup(4, leaseUntil(T.plusSeconds(4))));

    assertThat(change(decide(stored, sum(0, 0, T.plusSeconds(6)))))
        .isInstanceOf(Change.Update.class);
    assertThat(change(decide(stored, sum(0, 0, T.plusMillis(6_001)))))
        .isInstanceOf(Change.Delete.class);
  }

  private static Change change(HandlerDecision decision) {
    return ((HandlerDecision.Write) decision).change();
  }

  @Test
  void unusableSum_isNeverWritten() {
    Sum poison = new Sum(new Total.Fraction(Double.NaN), 3, T.plusSeconds(2));

    assertThat(decide(Optional.empty(), poison)).isEqualTo(new HandlerDecision.Unusable());
    assertThat(decide(Optional.of(rollup(4, Optional.empty())), poison))
        .isEqualTo(new HandlerDecision.Unusable());
  }
}
