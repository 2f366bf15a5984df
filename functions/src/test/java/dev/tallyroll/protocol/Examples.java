package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.RollupStore.Written;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Examples for tests of the protocol: two counters, and times in seconds after T. */
final class Examples {
  static final Instant T = Instant.parse("2026-05-01T12:00:00Z");

  /** The timing of a burst of three writes, without slack. */
  static final Timing WITHOUT_SLACK =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO, 3);

  static final Timing WITH_SLACK =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(2), 3);

  /** Sharded counters, of any parent. */
  static final Entry ENTRY =
      new Entry(
          "counters",
          Layout.DEFAULT,
          Map.of(),
          SumMode.AGGREGATE,
          /* hasEvents= */ true,
          WITH_SLACK);

  static final CounterId LIKES = counter("likes");
  static final CounterId VOTES = counter("votes");

  private Examples() {}

  static CounterId counter(String id) {
    return ENTRY.counter(CounterPath.of(id));
  }

  static Instant at(double second) {
    return T.plusMillis(Math.round(1_000 * second));
  }

  static Optional<Instant> noLease() {
    return Optional.empty();
  }

  static Optional<Instant> leaseUntil(double second) {
    return Optional.of(at(second));
  }

  /** A roll-up that is written and exact at this time. */
  static Rollup rollup(long total, double second, Optional<Instant> lease) {
    return new Rollup(new Total.Whole(total), 3, at(second), lease, at(second));
  }

  static Sum sum(long total, double second) {
    return sum(new Total.Whole(total), second);
  }

  static Sum sum(Total total, double second) {
    return new Sum(total, 3, at(second));
  }

  static Sum sum(long total, long shards, double second) {
    return new Sum(new Total.Whole(total), shards, at(second));
  }

  /** A write that was carried out. */
  static CompletableFuture<Optional<Written>> written(double second) {
    return done(Optional.of(new Written(at(second))));
  }

  /** A write of a shard. */
  static ShardWrite write(CounterId counter, Instant committed) {
    return new ShardWrite(counter, "0", Optional.of(committed), Optional.empty());
  }

  /** The sum of a counter that has no shards. */
  static Sum nothing(double second) {
    return new Sum(new Total.Whole(0), 0, at(second));
  }

  static Sum unusable(double second) {
    return sum(new Total.Fraction(Double.NaN), second);
  }

  static <T> CompletableFuture<T> done(T answer) {
    return CompletableFuture.completedFuture(answer);
  }

  static <T> CompletableFuture<T> failed(String why) {
    return CompletableFuture.failedFuture(new IllegalStateException(why));
  }
}
