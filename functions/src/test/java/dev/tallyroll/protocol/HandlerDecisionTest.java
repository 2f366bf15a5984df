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
import dev.tallyroll.protocol.HandlerDecision.Done;
import dev.tallyroll.protocol.HandlerDecision.Write;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HandlerDecisionTest {
  private static final Rollup STORED = rollup(4, 0, noLease());

  private static HandlerDecision decide(Optional<Rollup> stored, Sum sum, boolean burst) {
    return HandlerDecision.of(stored, sum, burst, WITH_SLACK);
  }

  private static HandlerDecision decide(Optional<Rollup> stored, Sum sum) {
    return decide(stored, sum, false);
  }

  private static HandlerDecision decide(Rollup stored, Sum sum) {
    return decide(Optional.of(stored), sum);
  }

  @Test
  void absentRollup_isCreatedWithALeaseThatEndsNowAndWakesNobody() {
    assertThat(decide(Optional.empty(), sum(4, 0)))
        .isEqualTo(
            new Write(
                new Change.Create(sum(4, 0), T), Optional.of(rollup(4, 0, leaseUntil(0))), false));
  }

  @Test
  void absentRollupOfABurst_isCreatedLive() {
    assertThat(decide(Optional.empty(), sum(4, 0), true))
        .isEqualTo(
            new Write(
                new Change.Create(sum(4, 0), at(5)),
                Optional.of(rollup(4, 0, leaseUntil(5))),
                true));
  }

  @Test
  void absentRollupWithoutShards_staysAbsent() {
    assertThat(decide(Optional.empty(), nothing(0))).isEqualTo(new Done());
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

  /** The lease that is held ends at, and the sum is read at, these times. */
  @ParameterizedTest
  @CsvSource({"-60, 1, 6", "0, 1, 6", "5.9, 1, 6", "6.1, 1, 6.1"})
  void burst_makesTheCounterLiveAndShortensNoLease(double held, double read, double until) {
    Rollup stored = rollup(4, 0, held < 0 ? noLease() : leaseUntil(held));

    assertThat(decide(Optional.of(stored), sum(5, read), true))
        .isEqualTo(
            new Write(
                new Change.Update(T, Optional.of(sum(5, read)), new LeaseChange.Begin(at(until))),
                Optional.of(STORED.with(sum(5, read), leaseUntil(until))),
                true));
  }

  @Test
  void counterWithoutShards_losesItsRollupButNotTheFieldsOfOthers() {
    Rollup shared = new Rollup(STORED.total(), 3, T, Optional.empty(), T, Rollup.Whose.SHARED);

    assertThat(decide(STORED, nothing(0.001)))
        .isEqualTo(new Write(new Change.Remove(T, true), Optional.empty(), false));
    assertThat(decide(shared, nothing(0.001)))
        .isEqualTo(new Write(new Change.Remove(T, false), Optional.empty(), false));
  }

  @Test
  void documentWithoutATotal_staysWhenTheCounterHasNoShards() {
    Rollup handedOver =
        new Rollup(STORED.total(), -1, Instant.EPOCH, noLease(), T, Rollup.Whose.SHARED);

    assertThat(decide(handedOver, nothing(1))).isEqualTo(new Done());
  }

  @Test
  void counterWithoutShards_keepsItsRollupUntilItsLeaseHasRunOut() {
    Rollup live = rollup(4, 0, leaseUntil(4));

    assertThat(((Write) decide(live, nothing(6))).change()).isInstanceOf(Change.Update.class);
    assertThat(((Write) decide(live, nothing(6.001))).change()).isInstanceOf(Change.Remove.class);
  }

  @Test
  void unusableSum_isNeverWritten() {
    assertThat(decide(Optional.empty(), unusable(2))).isEqualTo(new HandlerDecision.Unusable());
    assertThat(decide(STORED, unusable(2))).isEqualTo(new HandlerDecision.Unusable());
    assertThat(decide(STORED, Sum.misplaced(at(2)))).isEqualTo(new HandlerDecision.Unusable());
  }
}
