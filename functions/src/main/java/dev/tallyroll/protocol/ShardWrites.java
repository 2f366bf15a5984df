package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Sum.Cause;
import dev.tallyroll.protocol.KnownCounters.Commits;
import dev.tallyroll.protocol.KnownCounters.Known;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Handles writes of shards: sums a quiet counter at once, and makes a busy one live.
 *
 * <p>Events of one counter that arrive together share one read, sum and write: an event joins only
 * work that has not yet begun to read, since a read before its write may miss it.
 */
public final class ShardWrites {
  /** Each refusal means that another writer has written: more than a few in a row are a fault. */
  static final int MAX_ATTEMPTS = 10;

  /**
   * If nothing could be stored (the sum is no number, or a foreign document is in the place), the
   * counter's next sum waits for this time: else each of its writes would cause one.
   */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final RollupStore store;
  private final WakeUps wakeUps;
  private final Journal journal;
  private final EventLoop loop;
  private final Timing timing;
  private final Reports reports;
  private final KnownCounters known;
  private final ShardRates rates;
  private final Map<CounterPath, Work> underWay = new HashMap<>();
  private final Map<CounterPath, Work> waiting = new HashMap<>();

  public ShardWrites(
      RollupStore store, WakeUps wakeUps, Journal journal, EventLoop loop, Timing timing) {
    this.store = store;
    this.wakeUps = wakeUps;
    this.journal = journal;
    this.loop = loop;
    this.timing = timing;
    this.reports = new Reports(journal);
    this.known = new KnownCounters(timing);
    this.rates = new ShardRates(journal);
  }

  /**
   * Handles one write of a shard. Costs nothing if this instance knows that it is covered; one read
   * if another instance's write covers it; else one sum and one write or none, and one read before
   * them unless this instance wrote the roll-up last. If nothing can be stored, it costs this once
   * a second, whatever the number of writes.
   *
   * @param committed the write's commit time; empty for a delete, which has none
   * @return completes once the write is in the stored total, or a lease promises a sum with it;
   *     fails if the event must be delivered again
   */
  public CompletableFuture<Void> written(CounterPath counter, Optional<Instant> committed) {
    Commits commits = known.seen(counter, committed);
    long shards = known.of(counter).last().map(Rollup::shards).orElse(0L);
    committed.ifPresent(time -> rates.written(counter, store.layout(), time, shards));
    if (known.of(counter).covers(commits)) {
      return DONE;
    }
    Work joined = waiting.get(counter);
    if (joined != null) {
      joined.commits = joined.commits.join(commits);
      return joined.done;
    }
    Work work = new Work(counter, commits);
    if (underWay.containsKey(counter)) {
      waiting.put(counter, work);
    } else {
      start(work);
    }
    return work.done;
  }

  private void start(Work work) {
    underWay.put(work.counter, work);
    CompletableFuture<Void> ended =
        known.of(work.counter).covers(work.commits) ? DONE : work.begin();
    var unused = ended.whenComplete((none, failure) -> end(work, failure));
  }

  private void end(Work work, Throwable failure) {
    if (work.inVain) {
      var unused = loop.after(PAUSE).thenRun(() -> startNext(work.counter));
    } else {
      startNext(work.counter);
    }
    if (failure == null) {
      work.done.complete(null);
    } else {
      work.done.completeExceptionally(failure);
    }
  }

  private void startNext(CounterPath counter) {
    underWay.remove(counter);
    Work next = waiting.remove(counter);
    if (next != null) {
      start(next);
    }
  }

  /** Events of one counter that share one read, sum and write. */
  private final class Work {
    final CounterPath counter;
    final CompletableFuture<Void> done = new CompletableFuture<>();
    Commits commits;
    private Optional<Rollup> stored = Optional.empty();
    private int attempts;

    /** Whether there was nothing that could be stored. */
    boolean inVain;

    /** When the sum of the write that was just refused was read. */
    private Optional<Instant> refused = Optional.empty();

    Work(CounterPath counter, Commits commits) {
      this.counter = counter;
      this.commits = commits;
    }

    CompletableFuture<Void> begin() {
      stored = known.of(counter).probable();
      return stored.isPresent() ? sum() : read();
    }

    private CompletableFuture<Void> read() {
      return store.read(counter).thenCompose(this::judge);
    }

    private CompletableFuture<Void> readAgain() {
      return ++attempts < MAX_ATTEMPTS
          ? read()
          : CompletableFuture.failedFuture(
              new IllegalStateException(
                  counter + ": gave up after " + attempts + " attempts to write its roll-up"));
    }

    private CompletableFuture<Void> judge(Reading reading) {
      stored = reading.rollup();
      if (stored.filter(Rollup::isForeign).isPresent()) {
        reports.taken(counter, store.layout(), reading.readTime());
        return inVain(); // the increments are safe in the shards
      }
      stored.ifPresent(rollup -> known.update(counter, it -> it.read(rollup, timing)));
      if (stored.isPresent() && known.of(counter).covers(commits.readAt(reading.readTime()))) {
        return DONE;
      }
      if (stored.filter(it -> refused.filter(it.updateTime()::isAfter).isPresent()).isPresent()) {
        commits = commits.makingLive(); // another instance has written during this call
      }
      return sum();
    }

    private CompletableFuture<Void> sum() {
      return store.sum(counter).thenCompose(this::act);
    }

    private CompletableFuture<Void> act(Sum sum) {
      refused = Optional.empty();
      if (!Decisions.isNewer(sum, stored)) {
        return readAgain();
      }
      // Without a total, there is none that could be removed.
      if (stored.filter(Rollup::wasWritten).isPresent() || !sum.isDoubted(Cause.SETTINGS)) {
        reports.check(counter, store.layout(), sum);
      }
      return Decisions.ofHandler(stored, sum, commits.makeLive(), timing)
          .map(change -> write(change, sum))
          .orElseGet(this::inVain);
    }

    private CompletableFuture<Void> inVain() {
      inVain = true;
      return DONE;
    }

    private CompletableFuture<Void> write(Change change, Sum sum) {
      return store
          .write(counter, change)
          .thenCompose(
              applied -> {
                if (applied.isEmpty()) {
                  known.update(counter, Known::refused);
                  // If another instance has just created the roll-up, this is no sign of many
                  // writes.
                  refused = stored.map(rollup -> sum.readTime());
                  return readAgain();
                }
                Optional<Rollup> stands = change.applied(stored, applied.get());
                known.update(counter, it -> it.wrote(stands, timing));
                return change.wakes()
                    ? wakeUps.wakeOrReport(store.layout().liveId(counter), journal)
                    : DONE;
              });
    }
  }
}
