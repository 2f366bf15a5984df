package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.RollerDecision.Unchanged;
import dev.tallyroll.protocol.RollerDecision.Write;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LiveCounterTest {
  private static final Instant T = Instant.parse("2026-05-01T12:00:00Z");
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO);
  private static final Lease LEASE = new Lease(T.plusSeconds(5), 0);

  private final LiveCounter counter = new LiveCounter(CounterPath.of("likes"), rollup(1, 0));

  private static Rollup rollup(long total, int second) {
    Instant time = T.plusSeconds(second);
    return new Rollup(new Total.Whole(total), 1, time, Optional.of(LEASE), time);
  }

  private static Sum sum(long total, int second) {
    return new Sum(new Total.Whole(total), 1, T.plusSeconds(second));
  }

  @Test
  void whatIsFoundMeanwhile_waitsForTheSum() {
    counter.begin();
    assertThat(counter.refresh(rollup(2, 1))).isFalse();
    assertThat(counter.decide(sum(1, 2), TIMING)).isInstanceOf(Unchanged.class);
    assertThat(counter.isUnderWay()).isTrue();

    counter.end();

    assertThat(counter.isUnderWay()).isFalse();
    assertThat(counter.decide(sum(1, 3), TIMING)).isInstanceOf(Write.class);
  }

  @Test
  void ofWhatIsFoundMeanwhile_theNewestCounts() {
    counter.begin();
    assertThat(counter.refresh(rollup(3, 2))).isFalse();
    assertThat(counter.refresh(rollup(2, 1))).isFalse();
    counter.end();

    assertThat(counter.decide(sum(3, 3), TIMING)).isInstanceOf(Unchanged.class);
  }

  @Test
  void whatIsNewer_isTakenOverAndTold() {
    assertThat(counter.refresh(rollup(2, 1))).isTrue();
    assertThat(counter.refresh(rollup(3, 1))).isFalse();

    assertThat(counter.decide(sum(2, 2), TIMING)).isInstanceOf(Unchanged.class);
  }

  @Test
  void whatIsWritten_isKnown() {
    counter.written(sum(2, 1), LEASE, T.plusSeconds(1));

    assertThat(counter.refresh(rollup(1, 0))).isFalse();
    assertThat(counter.decide(sum(2, 2), TIMING)).isInstanceOf(Unchanged.class);
  }

  @Test
  void busyCounter_isRenewedOnceHalfItsLeaseIsGone() {
    for (int second = 1; second <= 3; second++) {
      Write write = (Write) counter.decide(sum(10 + second, second), TIMING);
      assertThat(write.lease().until().equals(LEASE.until())).isEqualTo(second < 3);
      counter.written(sum(10 + second, second), write.lease(), T.plusSeconds(second));
    }
  }

  @Test
  void counterThatChangesLessThanEverySecondTick_isNotRenewed() {
    for (int second = 1; second <= 3; second++) {
      assertThat(counter.decide(sum(1, second), TIMING)).isInstanceOf(Unchanged.class);
    }

    Write write = (Write) counter.decide(sum(2, 4), TIMING);

    assertThat(write.lease()).isEqualTo(LEASE);
  }

  @Test
  void activity_isCountedAnewUnderANewLease() {
    for (int second = 1; second <= 3; second++) {
      assertThat(counter.decide(sum(1, second), TIMING)).isInstanceOf(Unchanged.class);
    }
    Lease next = new Lease(T.plusSeconds(6), 0);
    Instant then = T.plusSeconds(3);
    counter.adopt(new Rollup(new Total.Whole(1), 1, then, Optional.of(next), then));

    Write write = (Write) counter.decide(sum(2, 4), TIMING);

    assertThat(write.lease().until()).isEqualTo(T.plusSeconds(9));
  }

  @Test
  void sumsRightAfterAHandlersWrite_sayNothingOfHowBusyItIs() {
    assertThat(counter.decide(new Sum(new Total.Whole(1), 1, T.plusMillis(100)), TIMING))
        .isInstanceOf(Unchanged.class);
    assertThat(counter.decide(new Sum(new Total.Whole(1), 1, T.plusMillis(499)), TIMING))
        .isInstanceOf(Unchanged.class);

    assertThat(counter.decide(sum(2, 8), TIMING)).isInstanceOf(Write.class);
  }

  @Test
  void sumsAfterThat_do() {
    counter.decide(new Sum(new Total.Whole(1), 1, T.plusMillis(500)), TIMING);
    counter.decide(sum(1, 2), TIMING);

    assertThat(counter.decide(sum(2, 8), TIMING)).isInstanceOf(RollerDecision.Settle.class);
  }
}
