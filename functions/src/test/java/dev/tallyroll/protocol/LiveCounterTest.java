package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.WITHOUT_SLACK;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.leaseUntil;
import static dev.tallyroll.protocol.Examples.rollup;
import static dev.tallyroll.protocol.Examples.sum;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.protocol.RollupStore.Entry;
import java.time.Instant;
import java.util.Optional;
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

  private Optional<Change> decide(long total, double second) {
    return counter.decide(sum(total, second), WITHOUT_SLACK);
  }

  private Optional<Instant> renewed(long total, double second) {
    return decide(total, second).orElseThrow().liveUntil();
  }

  @Test
  void busyCounter_isRenewedOnceHalfItsLeaseIsGone() {
    for (int second = 1; second <= 3; second++) {
      Change change = decide(10 + second, second).orElseThrow();
      assertThat(change.liveUntil().isPresent()).isEqualTo(second == 3);
      counter.written(change, sum(10 + second, second), at(second));
    }
    assertThat(counter.liveUntil()).isEqualTo(at(8));
  }

  @Test
  void oneSumWithoutAChange_endsItsLeaseInTheEnd() {
    assertThat(decide(1, 1)).isEmpty();

    assertThat(renewed(2, 4)).isEmpty();
    assertThat(decide(3, 5.001)).get().matches(Change::ends);
  }

  @Test
  void underANewLease_itMayBeBusyAgain() {
    assertThat(decide(1, 1)).isEmpty();
    counter.learn(rollup(1, 3, leaseUntil(6)));

    assertThat(renewed(2, 4)).contains(at(9));
  }

  @Test
  void sumRightAfterAWrite_saysNothing() {
    assertThat(decide(1, 0.100)).isEmpty();
    assertThat(decide(1, 0.499)).isEmpty();

    assertThat(renewed(2, 4)).contains(at(9));
  }

  @Test
  void lag_isTheTimeSinceTheSumBefore() {
    assertThat(counter.written(decide(2, 1).orElseThrow(), sum(2, 1), at(1.010))).isEmpty();

    assertThat(counter.written(decide(3, 2).orElseThrow(), sum(3, 2), at(2.010))).contains(at(1));
  }
}
