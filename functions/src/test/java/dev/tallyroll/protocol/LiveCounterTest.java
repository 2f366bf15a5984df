package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.WITHOUT_SLACK;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.leaseUntil;
import static dev.tallyroll.protocol.Examples.rollup;
import static dev.tallyroll.protocol.Examples.sum;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.protocol.RollerDecision.Settle;
import dev.tallyroll.protocol.RollerDecision.Unchanged;
import dev.tallyroll.protocol.RollerDecision.Wait;
import dev.tallyroll.protocol.RollerDecision.Write;
import dev.tallyroll.protocol.RollupStore.Entry;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A counter whose total was 1 at T, and whose lease ends after five seconds. */
class LiveCounterTest {
  private final LiveCounter counter = new LiveCounter(new Entry(LIKES, at(0)));

  @BeforeEach
  void learn() {
    assertThat(counter.isUnknown()).isTrue();
    counter.learn(rollup(1, 0, leaseUntil(5)));
  }

  private RollerDecision decide(long total, double second) {
    return counter.decide(sum(total, second), WITHOUT_SLACK);
  }

  @Test
  void busyCounter_isRenewedOnceHalfItsLeaseIsGone() {
    Instant ends = at(5);
    for (int second = 1; second <= 3; second++) {
      Write write = (Write) decide(10 + second, second);
      assertThat(write.liveUntil().equals(ends)).isEqualTo(second < 3);
      counter.written(sum(10 + second, second), write.liveUntil(), at(second));
    }
  }

  @Test
  void oneSumWithoutAChange_endsItsLeaseInTheEnd() {
    assertThat(decide(1, 1)).isInstanceOf(Unchanged.class);

    assertThat(((Write) decide(2, 4)).liveUntil()).isEqualTo(at(5));
    assertThat(decide(3, 5.001)).isInstanceOf(Settle.class);
  }

  @Test
  void underANewLease_itMayBeBusyAgain() {
    assertThat(decide(1, 1)).isInstanceOf(Unchanged.class);
    counter.learn(rollup(1, 3, leaseUntil(6)));

    assertThat(((Write) decide(2, 4)).liveUntil()).isEqualTo(at(9));
  }

  @Test
  void sumRightAfterAWrite_saysNothing() {
    assertThat(decide(1, 0.100)).isInstanceOf(Wait.class);
    assertThat(decide(1, 0.499)).isInstanceOf(Wait.class);

    assertThat(((Write) decide(2, 4)).liveUntil()).isEqualTo(at(9));
  }

  @Test
  void lag_isTheTimeSinceTheSumBefore() {
    assertThat(counter.written(sum(2, 1), at(5), at(1.010))).isEmpty();
    counter.summed(sum(2, 1));

    assertThat(counter.written(sum(3, 2), at(5), at(2.010))).contains(at(1));
  }
}
