package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.WITHOUT_SLACK;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.leaseUntil;
import static dev.tallyroll.protocol.Examples.sum;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.protocol.RollerDecision.Settle;
import dev.tallyroll.protocol.RollerDecision.Unchanged;
import dev.tallyroll.protocol.RollerDecision.Write;
import org.junit.jupiter.api.Test;

/** A counter whose total was 1 at T, and whose lease ends after five seconds. */
class LiveCounterTest {
  private static final Lease LEASE = leaseUntil(5).orElseThrow();

  private final LiveCounter counter = new LiveCounter(LIKES, rollup(1, 0));

  private static Rollup rollup(long total, double second) {
    return Examples.rollup(total, second, leaseUntil(5));
  }

  private RollerDecision decide(long total, double second) {
    return counter.decide(sum(total, second), WITHOUT_SLACK);
  }

  private void decideThreeTimesThatNothingHasChanged() {
    for (int second = 1; second <= 3; second++) {
      assertThat(decide(1, second)).isInstanceOf(Unchanged.class);
    }
  }

  @Test
  void whatIsFoundMeanwhile_waitsForTheSum() {
    counter.begin();
    assertThat(counter.refresh(rollup(2, 1))).isFalse();
    assertThat(decide(1, 2)).isInstanceOf(Unchanged.class);
    assertThat(counter.isUnderWay()).isTrue();

    counter.end();

    assertThat(counter.isUnderWay()).isFalse();
    assertThat(decide(1, 3)).isInstanceOf(Write.class);
  }

  @Test
  void ofWhatIsFoundMeanwhile_theNewestCounts() {
    counter.begin();
    assertThat(counter.refresh(rollup(3, 2))).isFalse();
    assertThat(counter.refresh(rollup(2, 1))).isFalse();
    counter.end();

    assertThat(decide(3, 3)).isInstanceOf(Unchanged.class);
  }

  @Test
  void whatIsNewer_isTakenOverAndTold() {
    assertThat(counter.refresh(rollup(2, 1))).isTrue();
    assertThat(counter.refresh(rollup(3, 1))).isFalse();

    assertThat(decide(2, 2)).isInstanceOf(Unchanged.class);
  }

  @Test
  void whatIsWritten_isKnown() {
    counter.written(sum(2, 1), LEASE, at(1));

    assertThat(counter.refresh(rollup(1, 0))).isFalse();
    assertThat(decide(2, 2)).isInstanceOf(Unchanged.class);
  }

  @Test
  void busyCounter_isRenewedOnceHalfItsLeaseIsGone() {
    for (int second = 1; second <= 3; second++) {
      Write write = (Write) decide(10 + second, second);
      assertThat(write.lease().equals(LEASE)).isEqualTo(second < 3);
      counter.written(sum(10 + second, second), write.lease(), at(second));
    }
  }

  @Test
  void counterThatChangesLessThanEverySecondTick_isNotRenewed() {
    decideThreeTimesThatNothingHasChanged();

    assertThat(((Write) decide(2, 4)).lease()).isEqualTo(LEASE);
  }

  @Test
  void activity_isCountedAnewUnderANewLease() {
    decideThreeTimesThatNothingHasChanged();
    counter.adopt(Examples.rollup(1, 3, leaseUntil(6)));

    assertThat(((Write) decide(2, 4)).lease().until()).isEqualTo(at(9));
  }

  @Test
  void sumsRightAfterAHandlersWrite_sayNothingOfHowBusyItIs() {
    assertThat(decide(1, 0.100)).isInstanceOf(Unchanged.class);
    assertThat(decide(1, 0.499)).isInstanceOf(Unchanged.class);

    assertThat(decide(2, 8)).isInstanceOf(Write.class);
  }

  @Test
  void sumsAfterThat_do() {
    decide(1, 0.500);
    decide(1, 2);

    assertThat(decide(2, 8)).isInstanceOf(Settle.class);
  }
}
