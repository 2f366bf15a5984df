package dev.tallyroll.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.runs.RunTimes.Next;
import dev.tallyroll.runs.RunTimes.Step;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RunTimesTest {
  private static final Instant BEGAN = Instant.parse("2026-01-01T00:00:10.300Z");

  private static RunTimes times(String tick) {
    return new RunTimes(
        new RunSettings(
            RunSettings.look(Duration.parse(tick)),
            seconds(1),
            1,
            seconds(70),
            seconds(9),
            seconds(480),
            10_000),
        BEGAN);
  }

  private static Next next(String tick, Instant now) {
    return times(tick).next(now, RunTimes.next(Duration.parse(tick), now));
  }

  private static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }

  private static Instant at(String time) {
    return Instant.parse("2026-01-01T00:" + time + "Z");
  }

  @Test
  void ticks_areAlignedToTheClock() {
    assertThat(next("PT1S", BEGAN)).isEqualTo(new Next(at("00:11"), Step.LOOK));
    assertThat(next("PT1S", at("00:11"))).isEqualTo(new Next(at("00:12"), Step.LOOK));
  }

  /** A live PT0.1S is summed ten times a second; the live list is read once. */
  @Test
  void shortTicks_comeBetweenLooks() {
    assertThat(next("PT0.5S", BEGAN)).isEqualTo(new Next(at("00:10.500"), Step.TICK));
    assertThat(next("PT0.5S", at("00:10.500"))).isEqualTo(new Next(at("00:11"), Step.LOOK));
    assertThat(times("PT0.5S").next(BEGAN, Instant.MAX))
        .as("nothing has such ticks")
        .isEqualTo(new Next(at("00:11"), Step.LOOK));
  }

  /** The next scheduled run comes at the minute. */
  @Test
  void longTick_waitsNoLongerThanUntilAnotherRunMayHaveTakenOver() {
    assertThat(next("PT20S", BEGAN)).isEqualTo(new Next(at("00:20"), Step.LOOK));
    assertThat(next("PT45S", at("00:46"))).isEqualTo(new Next(at("01:03"), Step.CHECK));
    assertThat(next("PT45S", at("01:03"))).isEqualTo(new Next(at("01:30"), Step.LOOK));
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
