package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Cycle.Changed;
import dev.tallyroll.protocol.Cycle.GivenUp;
import dev.tallyroll.protocol.Cycle.PassedOver;
import dev.tallyroll.protocol.KnownCounters.Commits;
import dev.tallyroll.protocol.KnownCounters.Knowledge;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.runs.Coalescer;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.runs.WakeUps;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Handles writes of shards: sums a quiet counter at once, and makes a busy one live.
 *
 * <p>Events of one counter that arrive together share one read, sum and write.
 */
public final class ShardWrites {
  /** Each refusal means that another writer has written: more than a few in a row are a fault. */
  static final int MAX_ATTEMPTS = 10;

  /**
   * When other instances have been faster so often in one cycle, the counter becomes live. Once is
   * not enough: if instances take one event at a time, two events that overlap always meet in
   * different instances, and one of these is refused. At one write a second, that happens every
   * thirty seconds.
   */
  private static final int CONTENDED = 2;

  /**
   * If nothing could be stored (the sum is no number, or a foreign document is in the place), the
   * counter's next sum waits for this time: else each of its writes would cause one.
   */
  private static final CompletableFuture<Duration> IN_VAIN =
      CompletableFuture.completedFuture(Duration.ofSeconds(1));

  private static final CompletableFuture<Duration> AT_ONCE =
      CompletableFuture.completedFuture(Duration.ZERO);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final Cycles cycles;
  private final WakeUps wakeUps;
  private final StructuredLog log;
  private final EventLoop loop;
  private final Reports reports;
  private final KnownCounters known;
  private final ShardRates rates;
  private final Coalescer<CounterId, Commits> coalescer;

  public ShardWrites(CounterStore store, WakeUps wakeUps, StructuredLog log, EventLoop loop) {
    this.loop = loop;
    this.reports = new Reports(log);
    this.cycles = new Cycles(store, loop, reports);
    this.wakeUps = wakeUps;
    this.log = log;
    this.known = new KnownCounters();
    this.rates = new ShardRates(log);
    this.coalescer = new Coalescer<>(this::begin, Commits::join, loop);
  }

  /**
   * Handles one write of a shard. Costs nothing if this instance knows that it is covered; one read
   * if another instance's write covers it; else one sum and one write or none, and one read before
   * them unless this instance wrote the roll-up last. If nothing can be stored, it costs this once
   * a second, whatever the number of writes.
   *
   * @return completes once the write is in the stored total, or a lease promises a sum with it;
   *     fails if the event must be delivered again
   */
  public CompletableFuture<Void> written(ShardWrite write) {
    CounterId counter = write.counter();
    Commits commits = known.seen(write);
    long shards = known.of(counter).last().map(Rollup::shards).orElse(0L);
    write
        .committed()
        .ifPresent(
            time -> {
              if (counter.layout().isNumbered(write.shard())) {
                rates.written(counter, time, shards);
              }
            });
    return known.of(counter).covers(commits) ? DONE : coalescer.take(counter, commits);
  }

  private CompletableFuture<Duration> begin(CounterId counter, Commits commits) {
    if (known.of(counter).covers(commits)) {
      return AT_ONCE;
    }
    HandlerPolicy handling = new HandlerPolicy(commits, counter.timing());
    return cycles
        .run(
            counter,
            Cycle.begin(handling, known.of(counter).probable(counter.timing())),
            (before, after) -> note(counter, before, after))
        .thenCompose(cycle -> end(counter, cycle))
        .exceptionallyCompose(failure -> withoutIndex(counter, failure));
  }

  /** No attempt helps before the index is there; then a sweep, or the next write, does. */
  private CompletableFuture<Duration> withoutIndex(CounterId counter, Throwable failure) {
    return MissingIndexException.in(failure)
        .map(
            missing -> {
              reports.withoutIndex(counter, loop.instant(), missing);
              return IN_VAIN;
            })
        .orElseGet(() -> CompletableFuture.failedFuture(failure));
  }

  private void note(CounterId counter, Cycle<HandlerPolicy> before, Cycle<HandlerPolicy> after) {
    known.update(counter, knowledge -> knowledge.learns(before, after, counter.timing()));
    if (before instanceof Cycle.ToSum) {
      after.sum().ifPresent(sum -> reports.check(counter, sum));
    }
  }

  /** How long the counter's next sum waits. */
  private CompletableFuture<Duration> end(CounterId counter, Cycle<HandlerPolicy> cycle) {
    if (cycle instanceof PassedOver<HandlerPolicy> passed) {
      if (!passed.isForeign()) {
        return AT_ONCE;
      }
      reports.taken(counter, passed.reading());
      return IN_VAIN; // the increments are safe in the shards
    }
    if (cycle instanceof Changed<HandlerPolicy> changed) {
      return wakes(counter, changed)
          ? wakeUps.wakeOrReport(counter.liveId(), log).thenApply(none -> Duration.ZERO)
          : AT_ONCE;
    }
    if (cycle instanceof GivenUp<HandlerPolicy> given) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              "%s: gave up after %d attempts to write its roll-up"
                  .formatted(counter.path(), given.attempts())));
    }
    return IN_VAIN;
  }

  /** A large counter waits for the schedule. */
  private static boolean wakes(CounterId counter, Changed<HandlerPolicy> cycle) {
    return cycle.change().wakes()
        && cycle.result().filter(rollup -> counter.timing().isLarge(rollup.shards())).isEmpty();
  }

  /**
   * The policy of the cycles of a handler.
   *
   * @param commits that the counter's total is to hold
   */
  record HandlerPolicy(Commits commits, Timing timing) implements Cycle.Policy<HandlerPolicy> {
    @Override
    public HandlerPolicy self() {
      return this;
    }

    @Override
    public int attempts() {
      return MAX_ATTEMPTS;
    }

    /** An event is done only if a sum after it was written, or is owed. */
    @Override
    public boolean mustReadAgain(Optional<Rollup> stored, Sum sum, Optional<Change> decided) {
      return !Decisions.isNewer(sum, stored);
    }

    @Override
    public boolean isDoneAfter(Reading reading) {
      return reading
          .rollup()
          .filter(rollup -> !rollup.isForeign())
          .map(rollup -> Knowledge.NOTHING.read(rollup, timing))
          .filter(known -> known.covers(commits.readAt(reading.readTime())))
          .isPresent();
    }

    /**
     * The next sum of a large counter is that of the schedule, if the last one was a moment ago.
     */
    @Override
    public Optional<Change> withoutSum(Reading reading) {
      return reading
          .rollup()
          .filter(
              rollup -> timing.nextSum(rollup.shards(), rollup.asOf()).isAfter(reading.readTime()))
          .map(rollup -> Decisions.promise(rollup, reading.readTime(), timing));
    }

    @Override
    public Optional<Change> decide(Optional<Rollup> stored, Sum sum) {
      return Decisions.ofHandler(stored, sum, commits.makeLive(), timing);
    }

    @Override
    public Optional<Change> retryFieldsLater(Optional<Rollup> stored, Change decided) {
      return Decisions.retryFieldsOfHandler(stored, decided);
    }

    /** If other instances keep writing during the cycle, a total would be old again at once. */
    @Override
    public HandlerPolicy afterRead(Optional<Rollup> found, int lostRaces) {
      return lostRaces >= CONTENDED ? new HandlerPolicy(commits.makingLive(), timing) : this;
    }
  }
}
