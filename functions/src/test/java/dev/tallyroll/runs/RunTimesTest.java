package dev.tallyroll.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.runs.RunTimes.Next;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RunTimesTest {
  private static final Instant BEGAN = Instant.parse("2026-01-01T00:00:10.300Z");

  private static RunTimes times(String tick) {
    Duration every = Duration.parse(tick);
    Timing timing = new Timing(every, every.multipliedBy(5), Duration.ofSeconds(1), 15);
    return new RunTimes(
        new RunSettings(timing, 1, seconds(70), seconds(9), seconds(480), 10_000), BEGAN);
  }

  private static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }

  private static Instant at(String time) {
    return Instant.parse("2026-01-01T00:" + time + "Z");
  }

  @Test
  void ticks_areAlignedToTheClock() {
    assertThat(times("PT1S").next(BEGAN)).isEqualTo(new Next(at("00:11"), true));
    assertThat(times("PT1S").next(at("00:11"))).isEqualTo(new Next(at("00:12"), true));
    assertThat(times("PT0.5S").next(BEGAN)).isEqualTo(new Next(at("00:10.500"), true));
  }

  /** The next scheduled run comes at the minute. */
  @Test
  void longTick_waitsNoLongerThanUntilAnotherRunMayHaveTakenOver() {
    assertThat(times("PT20S").next(BEGAN)).isEqualTo(new Next(at("00:20"), true));
    assertThat(times("PT45S").next(at("00:46"))).isEqualTo(new Next(at("01:03"), false));
    assertThat(times("PT45S").next(at("01:03"))).isEqualTo(new Next(at("01:30"), true));
  }

  @Test
  void lateTick_isSkipped() {
    assertThat(times("PT1S").missed(BEGAN, at("00:11"))).isZero();
    assertThat(times("PT1S").missed(at("00:11"), at("00:12"))).isZero();
    assertThat(times("PT1S").missed(at("00:11"), at("00:15"))).isEqualTo(3);
  }

  @Test
  void run_endsAtItsDeadline_orWhenNothingIsLive() {
    RunTimes times = times("PT1S");
    Instant now = BEGAN.plus(seconds(69));

    assertThat(times.end(now, now)).isEmpty();
    assertThat(times.end(now, now.minus(seconds(8)))).isEmpty();
    assertThat(times.end(now, now.minus(seconds(9)))).contains(Ending.IDLE);
    assertThat(times.end(now.plus(seconds(1)), now)).contains(Ending.DEADLINE);
  }

  @Test
  void pause_isASecond_orATickIfThatIsLonger() {
    assertThat(times("PT0.1S").pause()).isEqualTo(seconds(1));
    assertThat(times("PT5S").pause()).isEqualTo(seconds(5));
  }
}
