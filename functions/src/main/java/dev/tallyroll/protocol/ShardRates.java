package dev.tallyroll.protocol;

import dev.tallyroll.internal.Recent;
import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.StructuredLog.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Logs counters whose shards take more than one write a second each, once an hour for each counter,
 * with the number of shards that it needs. It changes nothing.
 */
final class ShardRates {
  /** One write a second and shard, with which Google's guide of distributed counters plans. */
  private static final int MINUTE = 60;

  /**
   * How many times its shards a counter without events is told to need at most: shards that were
   * once written together seem to be written all the time.
   */
  private static final int MOST_TIMES = 10;

  private static final Duration SILENCE = Duration.ofHours(1);
  private static final int CAPACITY = 10_000;

  /**
   * The writes of one counter in one minute.
   *
   * @param number of the minute since 1970
   */
  private record Minute(long number, long writes, Instant quietUntil) {}

  private final StructuredLog log;
  private final Map<CounterId, Minute> minutes = Recent.entries(CAPACITY);

  ShardRates(StructuredLog log) {
    this.log = log;
  }

  /**
   * Notes a write, by its event. It counts in the minute of its commit, however late its event is;
   * a minute is judged when the next one begins. An instance counts the events that it sees.
   *
   * @param shards how many the counter has by its roll-up; 0 if unknown
   */
  void written(CounterId counter, Instant committed, long shards) {
    long number = Math.floorDiv(committed.getEpochSecond(), MINUTE);
    Minute minute = minutes.getOrDefault(counter, new Minute(number, 0, Times.LONG_AGO));
    if (number < minute.number) {
      return;
    }
    if (number > minute.number) {
      long enough = (minute.writes + MINUTE - 1) / MINUTE;
      boolean tells = shards > 0 && enough > shards && !committed.isBefore(minute.quietUntil);
      if (tells) {
        tell(counter, shards, enough);
      }
      minute = new Minute(number, 0, tells ? committed.plus(SILENCE) : minute.quietUntil);
    }
    minutes.put(counter, new Minute(number, minute.writes + 1, minute.quietUntil));
  }

  /**
   * Estimates the writes of a counter that make no events: a shard with r writes a second was
   * written 1/r s ago, on average. If each shard has one write a second, the sum of the ages is
   * below the bound in one estimate of twenty.
   *
   * @param ages how long ago each shard was written
   */
  void seen(CounterId counter, List<Duration> ages) {
    int shards = ages.size();
    double sum = ages.stream().mapToDouble(age -> age.toNanos() / 1e9).sum();
    double bound = Math.pow(Math.max(0, Math.sqrt(shards) - 0.8), 2);
    if (sum < bound) {
      double enough = Math.ceil(Math.pow(shards, 2) / Math.max(sum, 0.01));
      tell(counter, shards, Math.min(Math.round(enough), (long) shards * MOST_TIMES));
    }
  }

  private void tell(CounterId counter, long shards, long enough) {
    log.write(
        Severity.WARNING,
        "too few shards: each takes more than one write a second, so writes wait for one another;"
            + " resize the counter",
        counter.fields(Map.of("shards", shards, "would_do", enough)));
  }
}
