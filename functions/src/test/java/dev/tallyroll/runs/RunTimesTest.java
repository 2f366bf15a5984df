package dev.tallyroll.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.runs.RunTimes.Next;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RunTimesTest {
  private static final Instant BEGAN = Instant.parse("2026-01-01T00:00:10.300Z");

  private static RunTimes times(String tick) {
    return times(tick, "PT1M");
  }

  private static RunTimes times(String tick, String poll) {
    Duration every = Duration.parse(tick);
    Timing timing =
        new Timing(
            every,
            every.multipliedBy(5),
            Duration.ofSeconds(1),
            15,
            Duration.ZERO,
            0,
            Duration.parse(poll));
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
    assertThat(times("PT1S").next(BEGAN, false)).isEqualTo(new Next(at("00:11"), true, false));
    assertThat(times("PT1S").next(at("00:11"), false))
        .isEqualTo(new Next(at("00:12"), true, false));
    assertThat(times("PT0.5S").next(BEGAN, false))
        .isEqualTo(new Next(at("00:10.500"), true, false));
  }

  /** The next scheduled run comes at the minute. */
  @Test
  void longTick_waitsNoLongerThanUntilAnotherRunMayHaveTakenOver() {
    assertThat(times("PT20S").next(BEGAN, false)).isEqualTo(new Next(at("00:20"), true, false));
    assertThat(times("PT45S").next(at("00:46"), false))
        .isEqualTo(new Next(at("01:03"), false, false));
    assertThat(times("PT45S").next(at("01:03"), false))
        .isEqualTo(new Next(at("01:30"), true, false));
  }

  @Test
  void tickOfAMinute_isLeftToTheSchedule() {
    assertThat(times("PT1M").isLeftToSchedule()).isTrue();
    assertThat(times("PT59S").isLeftToSchedule()).isFalse();
  }

  /** Only while there is something to poll; at a minute, the schedule polls. */
  @Test
  void polls_areAlignedToTheClock() {
    RunTimes times = times("PT4S", "PT10S");
    assertThat(times.next(at("00:16"), true)).isEqualTo(new Next(at("00:20"), true, true));
    assertThat(times.next(at("00:28"), true)).isEqualTo(new Next(at("00:30"), false, true));
    assertThat(times.next(at("00:28"), false)).isEqualTo(new Next(at("00:32"), true, false));
    assertThat(times("PT1M", "PT10S").isLeftToSchedule()).isFalse();
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
