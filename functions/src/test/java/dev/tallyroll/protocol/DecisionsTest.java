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

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Change.Kind;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decisions about a roll-up whose total was 4 at T, with or without a lease of five seconds. */
class DecisionsTest {
  private static final boolean BURST = true;
  private static final boolean BUSY = true;
  private static final boolean CALM = false;
  private static final Optional<Rollup> ABSENT = Optional.empty();
  private static final Rollup SETTLED = rollup(4, 0, noLease());
  private static final Rollup LIVE = rollup(4, 0, leaseUntil(5));

  /** A roll-up with its mark only: no total was written. */
  private static final Rollup HANDED_OVER =
      new Rollup(SETTLED.total(), -1, Instant.EPOCH, noLease(), T, Rollup.Whose.SHARED);

  private static Optional<Change> change(Kind kind, Sum sum, Optional<Instant> until) {
    return Optional.of(new Change(kind, Optional.of(T), Optional.of(sum), until));
  }

  private static Optional<Change> change(Kind kind, Sum sum) {
    return change(kind, sum, noLease());
  }

  private static Optional<Change> change(Kind kind) {
    return Optional.of(new Change(kind, Optional.of(T), Optional.empty(), noLease()));
  }

  private static Optional<Change> create(Sum sum, Optional<Instant> until) {
    return Optional.of(new Change(Kind.CREATE, Optional.empty(), Optional.of(sum), until));
  }

  @Nested
  class OfHandler {
    private Optional<Change> decide(Optional<Rollup> stored, Sum sum) {
      return Decisions.ofHandler(stored, sum, !BURST, WITH_SLACK);
    }

    private Optional<Change> decide(Rollup stored, Sum sum) {
      return decide(Optional.of(stored), sum);
    }

    @Test
    void absentRollup_isCreatedWithALeaseThatEndsNowAndWakesNobody() {
      Optional<Change> change = decide(ABSENT, sum(4, 0));

      assertThat(change).isEqualTo(create(sum(4, 0), leaseUntil(0)));
      assertThat(change.orElseThrow().wakes()).isFalse();
      assertThat(change.orElseThrow().applied(ABSENT, T)).contains(rollup(4, 0, leaseUntil(0)));
    }

    @Test
    void absentRollupOfABurst_isCreatedLive() {
      Optional<Change> change = Decisions.ofHandler(ABSENT, sum(4, 0), BURST, WITH_SLACK);

      assertThat(change).isEqualTo(create(sum(4, 0), leaseUntil(5)));
      assertThat(change.orElseThrow().wakes()).isTrue();
    }

    @Test
    void absentRollupWithoutShards_staysAbsent() {
      assertThat(decide(ABSENT, nothing(0))).isEmpty();
    }

    @Test
    void quietCounter_isWrittenEvenIfItsTotalIsTheSame() {
      Optional<Change> change = decide(SETTLED, sum(4, 1));

      assertThat(change).isEqualTo(change(Kind.UPDATE, sum(4, 1)));
      assertThat(change.orElseThrow().wakes()).isFalse();
      assertThat(change.orElseThrow().applied(Optional.of(LIVE), at(1)))
          .contains(rollup(4, 1, leaseUntil(5)));
    }

    /** The times: the end of the present lease, the sum's read, and the end of the new lease. */
    @ParameterizedTest
    @CsvSource({"-60, 1, 6", "0, 1, 6", "5.9, 1, 6", "6.1, 1, 6.1"})
    void burst_makesTheCounterLiveAndShortensNoLease(double held, double read, double until) {
      Rollup stored = rollup(4, 0, held < 0 ? noLease() : leaseUntil(held));
      Optional<Change> change =
          Decisions.ofHandler(Optional.of(stored), sum(5, read), BURST, WITH_SLACK);

      assertThat(change).isEqualTo(change(Kind.BEGIN, sum(5, read), leaseUntil(until)));
      assertThat(change.orElseThrow().wakes()).isTrue();
    }

    @Test
    void counterWithoutShards_losesItsRollupButNotTheFieldsOfOthers() {
      Rollup shared = new Rollup(SETTLED.total(), 3, T, noLease(), T, Rollup.Whose.SHARED);

      assertThat(decide(SETTLED, nothing(0.001))).isEqualTo(change(Kind.REMOVE));
      assertThat(decide(shared, nothing(0.001))).isEqualTo(change(Kind.CLEAR));
    }

    @Test
    void documentWithoutATotal_staysWhenTheCounterHasNoShards() {
      assertThat(decide(HANDED_OVER, nothing(1))).isEmpty();
    }

    @Test
    void counterWithoutShards_keepsItsRollupUntilItsLeaseHasRunOut() {
      assertThat(decide(LIVE, nothing(7))).isEqualTo(change(Kind.UPDATE, nothing(7)));
      assertThat(decide(LIVE, nothing(7.001))).isEqualTo(change(Kind.REMOVE));
    }
  }

  @Nested
  class OfRoller {
    private Optional<Change> decide(Sum sum, boolean busy) {
      return Decisions.ofRoller(LIVE, sum, busy, WITH_SLACK);
    }

    @Test
    void changedTotal_isWrittenAndLeavesTheLeaseAlone() {
      assertThat(decide(sum(4, 1), BUSY)).isEmpty();
      assertThat(decide(sum(5, 1), BUSY)).isEqualTo(change(Kind.UPDATE, sum(5, 1)));
    }

    @Test
    void lease_isRenewedWithLessThanHalfLeft() {
      assertThat(decide(sum(5, 2.500), BUSY)).isEqualTo(change(Kind.UPDATE, sum(5, 2.500)));
      assertThat(decide(sum(5, 2.501), BUSY))
          .isEqualTo(change(Kind.UPDATE, sum(5, 2.501), leaseUntil(7.501)));
    }

    @Test
    void busyCounter_staysLiveHoweverLateTheRollerIs() {
      assertThat(decide(sum(5, 60), BUSY))
          .isEqualTo(change(Kind.UPDATE, sum(5, 60), leaseUntil(65)));
      assertThat(decide(sum(5, 60), CALM)).isEqualTo(change(Kind.END, sum(5, 60)));
    }

    @Test
    void handedOverDocument_losesItsLeaseOnly() {
      Rollup live = HANDED_OVER.with(HANDED_OVER.sum(), leaseUntil(5));

      assertThat(Decisions.ofRoller(live, nothing(8), CALM, WITH_SLACK))
          .isEqualTo(change(Kind.END));
    }

    @Test
    void calmCounter_isLeftToRunOut() {
      assertThat(decide(sum(5, 4), CALM)).isEqualTo(change(Kind.UPDATE, sum(5, 4)));
      assertThat(decide(sum(4, 7), CALM)).isEmpty();
      assertThat(decide(sum(4, 7.001), CALM)).isEqualTo(change(Kind.END, sum(4, 7.001)));
    }

    @Test
    void sumRightAfterAWrite_saysNothing() {
      Rollup written = rollup(4, 7.001, leaseUntil(5));

      assertThat(Decisions.ofRoller(written, sum(4, 7.500), CALM, WITH_SLACK)).isEmpty();
      assertThat(Decisions.ofRoller(written, sum(4, 7.501), CALM, WITH_SLACK)).isPresent();
    }

    @Test
    void counterWithoutShards_saysZeroUntilItsLeaseHasRunOutThenGoes() {
      assertThat(decide(nothing(7), BUSY)).isEqualTo(change(Kind.UPDATE, nothing(7)));
      assertThat(decide(nothing(7.001), BUSY)).isEqualTo(change(Kind.REMOVE));
    }

    @Test
    void unusableSum_endsTheLeaseAndLeavesTheTotal() {
      assertThat(decide(unusable(7), BUSY)).isEmpty();
      assertThat(decide(unusable(7.001), BUSY)).isEqualTo(change(Kind.END));
    }
  }

  @Nested
  class OfSweep {
    private final Rollup runOut = rollup(4, 0, leaseUntil(-60));

    private Optional<Change> decide(Rollup stored, Sum sum) {
      return Decisions.ofSweep(Optional.of(stored), sum, WITH_SLACK);
    }

    @Test
    void settledTotal_isWrittenIfItIsWrong() {
      assertThat(decide(SETTLED, sum(4, 1))).isEmpty();
      assertThat(decide(SETTLED, sum(5, 1))).isEqualTo(change(Kind.UPDATE, sum(5, 1)));
      assertThat(decide(HANDED_OVER, sum(4, 1))).isEqualTo(change(Kind.UPDATE, sum(4, 1)));
    }

    @Test
    void liveCounter_isLeftToTheRoller() {
      assertThat(decide(LIVE, sum(5, 7))).isEmpty();
      assertThat(decide(LIVE, nothing(7))).isEmpty();
    }

    @Test
    void leaseThatNobodyHasEnded_isEnded() {
      assertThat(decide(runOut, sum(5, 1))).isEqualTo(change(Kind.END, sum(5, 1)));
      assertThat(decide(runOut, sum(4, 1))).isEqualTo(change(Kind.END, sum(4, 1)));
    }

    @Test
    void rollupWithoutShards_isDeletedIfItEverHadATotal() {
      Rollup live = HANDED_OVER.with(HANDED_OVER.sum(), leaseUntil(-60));

      assertThat(decide(SETTLED, nothing(1))).isEqualTo(change(Kind.REMOVE));
      assertThat(decide(HANDED_OVER, nothing(1))).isEmpty();
      assertThat(decide(live, nothing(1))).isEqualTo(change(Kind.END));
    }

    @Test
    void absentRollup_isCreatedWhereThereAreShards() {
      assertThat(Decisions.ofSweep(ABSENT, sum(4, 1), WITH_SLACK))
          .isEqualTo(create(sum(4, 1), leaseUntil(1)));
      assertThat(Decisions.ofSweep(ABSENT, nothing(1), WITH_SLACK)).isEmpty();
    }
  }

  @Test
  void sumThatIsUnusableOrNotNewer_isNeverWritten() {
    for (Sum sum : new Sum[] {unusable(2), Sum.misplaced(at(2)), sum(5, 0)}) {
      assertThat(Decisions.ofHandler(Optional.of(SETTLED), sum, BURST, WITH_SLACK)).isEmpty();
      assertThat(Decisions.ofRoller(LIVE, sum, BUSY, WITH_SLACK)).isEmpty();
      assertThat(Decisions.ofSweep(Optional.of(SETTLED), sum, WITH_SLACK)).isEmpty();
    }
    assertThat(Decisions.ofHandler(ABSENT, unusable(2), BURST, WITH_SLACK)).isEmpty();
    assertThat(Decisions.ofSweep(ABSENT, unusable(2), WITH_SLACK)).isEmpty();
  }
}
