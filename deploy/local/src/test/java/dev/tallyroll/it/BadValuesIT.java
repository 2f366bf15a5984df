package dev.tallyroll.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Shards that hold what no client should write. */
@On(Site.SHARED)
@Execution(ExecutionMode.CONCURRENT)
final class BadValuesIT {
  private final Lab lab;

  BadValuesIT(Lab lab) {
    this.lab = lab;
  }

  static Object[] valuesThatSpoilTheSum() {
    return new Object[] {Double.NaN, Double.POSITIVE_INFINITY, Long.MAX_VALUE, -1e300};
  }

  @ParameterizedTest
  @MethodSource("valuesThatSpoilTheSum")
  void unusableSum_leavesLastGoodTotalUntilMended(Object bad) throws Exception {
    var counter = lab.counter();
    counter.increment(0, 5);
    var good = counter.awaitSettled(5L);

    counter.put(1, bad);

    Await.until("a report", () -> !lab.errorsAbout(counter).isEmpty());
    assertThat(counter.shown()).contains(good);
    counter.put(1, 2);
    counter.awaitTotal(7L);
  }

  @Test
  void text_countsAsNothing() throws Exception {
    var counter = lab.counter();
    counter.increment(0, 5);
    counter.increment(1, 2);
    counter.awaitTotal(7L);

    counter.put(1, "two");

    counter.awaitTotal(5L);
    // Firestore's increment replaces what is no number.
    counter.increment(1, 1);
    counter.awaitSettled(6L);
  }

  @Test
  void badCounter_delaysNoOther() throws Exception {
    var bad = lab.counter().create(2);
    var good = lab.counter().create(2);
    bad.put(1, Double.NaN);
    try (var badBurst = Burst.start(bad, 1, 20);
        var goodBurst = Burst.start(good, 2, 20)) {
      Await.until("a report", () -> !lab.errorsAbout(bad).isEmpty());
      Await.until("totals of the good one", () -> good.shows(40L));
      long sent = goodBurst.stop();

      good.awaitSettled(sent);

      long spoilt = badBurst.stop();
      bad.put(1, 0);
      bad.awaitSettled(spoilt);
    }
  }
}
