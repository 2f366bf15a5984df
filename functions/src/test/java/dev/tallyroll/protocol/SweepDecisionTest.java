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

import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change.LeaseChange;
import dev.tallyroll.protocol.SweepDecision.Correct;
import dev.tallyroll.protocol.SweepDecision.Right;
import dev.tallyroll.protocol.SweepDecision.Unusable;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SweepDecisionTest {
  private static final Optional<Rollup> ABSENT = Optional.empty();
  private static final Optional<Rollup> SETTLED = Optional.of(rollup(4, 0, noLease()));
  private static final Optional<Rollup> LIVE = Optional.of(rollup(4, 0, leaseUntil(0)));
  private static final Optional<Rollup> RUN_OUT = Optional.of(rollup(4, 0, leaseUntil(-60)));

  private static SweepDecision decide(Optional<Rollup> stored, Sum sum) {
    return SweepDecision.of(stored, sum, WITH_SLACK);
  }

  private static Change update(Sum sum, LeaseChange lease) {
    return new Change.Update(T, Optional.of(sum), lease);
  }

  @Test
  void rightTotal_isLeftAlone() {
    assertThat(decide(SETTLED, sum(4, 1))).isEqualTo(new Right());
  }

  @Test
  void wrongTotal_isDriftAndCorrected() {
    assertThat(decide(SETTLED, sum(5, 1)))
        .isEqualTo(new Correct(update(sum(5, 1), new LeaseChange.Keep()), true));
  }

  @Test
  void liveCounter_isSomebodyElses() {
    assertThat(decide(LIVE, sum(5, 1))).isEqualTo(new Right());
    assertThat(decide(LIVE, nothing(1))).isEqualTo(new Right());
  }

  @Test
  void leaseThatNobodyHasEnded_isEndedAndNoDrift() {
    for (Sum sum : new Sum[] {sum(5, 1), sum(4, 1)}) {
      assertThat(decide(RUN_OUT, sum))
          .isEqualTo(new Correct(update(sum, new LeaseChange.End()), false));
    }
  }

  @Test
  void rollupWithoutShards_isDeleted() {
    assertThat(decide(SETTLED, nothing(1)))
        .isEqualTo(new Correct(new Change.Remove(T, true), true));
  }

  @Test
  void documentWithoutATotal_isNeverRemoved() {
    Rollup handedOver =
        new Rollup(sum(0, 0).total(), -1, Instant.EPOCH, noLease(), T, Rollup.Whose.SHARED);

    assertThat(decide(Optional.of(handedOver), nothing(1))).isEqualTo(new Right());
    Rollup withLease = handedOver.with(handedOver.sum(), leaseUntil(-60));
    assertThat(decide(Optional.of(withLease), nothing(1)))
        .isEqualTo(
            new Correct(new Change.Update(T, Optional.empty(), new LeaseChange.End()), false));
    assertThat(decide(Optional.of(handedOver), sum(4, 1)))
        .isEqualTo(new Correct(update(sum(4, 1), new LeaseChange.Keep()), true));
  }

  @Test
  void absentRollup_isCreatedWhereThereAreShards() {
    assertThat(decide(ABSENT, sum(4, 1)))
        .isEqualTo(new Correct(new Change.Create(sum(4, 1), at(1)), true));
    assertThat(decide(ABSENT, nothing(1))).isEqualTo(new Right());
  }

  @Test
  void sumThatCannotBeStored_changesNothing() {
    assertThat(decide(SETTLED, unusable(1))).isEqualTo(new Unusable());
    assertThat(decide(SETTLED, sum(9, 0))).isEqualTo(new Unusable());
    assertThat(decide(ABSENT, unusable(1))).isEqualTo(new Unusable());
    assertThat(decide(SETTLED, Sum.misplaced(at(1)))).isEqualTo(new Unusable());
  }
}
