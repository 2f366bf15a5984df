package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import dev.tallyroll.functions.Settings;
import dev.tallyroll.simulation.Pace.Assumed;
import dev.tallyroll.simulation.Pace.Usage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The functions' operations for ten loads in 30 days, with default settings. {@code
 * deploy/local/bill --profiles} tells their costs.
 */
class CostTest {
  private static final double SECONDS = 30 * 24 * 60 * 60;
  private static final double MILLION = 1e6;

  /** Operations in millions, and the percentages of time with an instance at work. */
  @ParameterizedTest
  @CsvSource({
    "0.01, 1, 0.0269, 0.0900, 0.0276, 0.101, 0.178",
    "0.1, 1, 0.262, 0.0900, 0.262, 1.01, 0.178",
    "1, 1, 2.60, 0.0929, 2.60, 10.0, 0.217",
    "4, 1, 2.77, 6.39, 2.84, 28.8, 103",
    "10, 1, 2.66, 6.32, 2.78, 50.3, 103",
    "100, 1, 2.67, 6.30, 2.80, 91.9, 103",
    "1000, 1, 2.67, 6.30, 2.80, 99.7, 103",
    "0.1, 100, 25.9, 0.307, 25.8, 67.5, 0.208",
    "1, 100, 261, 3.45, 260, 100, 37.6",
    "0.01, 10000, 279, 72.2, 260, 100, 2.42",
  })
  void month_takes(
      double rate,
      int counters,
      double sums,
      double reads,
      double writes,
      double handlerAlive,
      double rollerAlive) {
    Usage month =
        new Pace(
                counters,
                rate,
                /* polled= */ false,
                Settings.from(name -> null).runs(),
                Assumed.OF_THE_PLATFORM)
            .month(/* seed= */ 11);

    near(month.sums() / MILLION, sums);
    near(month.reads() / MILLION, reads);
    near(month.writes() / MILLION, writes);
    near(100 * month.handler() / SECONDS, handlerAlive);
    near(100 * month.roller() / SECONDS, rollerAlive);
    assertThat(month.lag()).isBetween(0.1, 2.1); // two ticks and events' delays
  }

  private static void near(double found, double expected) {
    assertThat(found).isCloseTo(expected, withPercentage(10));
  }
}
