package dev.tallyroll.protocol;

import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.TickTask;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.runs.WorkerRange;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * If the writes of an entry make no events, a run polls all its counters of the worker at each of
 * the entry's ticks. None of them is live. While a poll is under way, a tick begins no other of its
 * kind.
 *
 * <p>If ticks are those of the schedule, a run makes one poll, and does not wait for the next.
 */
final class Polls implements TickTask {
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final Poll.PollState kept;
  private final Timing timing;

  /** The present one that reads the list, or the last. */
  private Optional<Poll> listing = Optional.empty();

  /** The present one of the counters of the last list, or the last. */
  private Optional<Poll> known = Optional.empty();

  private Instant next = Times.LONG_AGO;
  private boolean achieved;

  /**
   * Polls of one entry in one instance, by their workers, each for one run.
   *
   * @param places where the places of unfinished polls are kept
   */
  static IntFunction<TickTask> all(
      CounterStore store,
      Entry entry,
      RunStore places,
      StructuredLog log,
      EventLoop loop,
      RunSettings settings) {
    Map<Integer, Poll.PollState> kept = new HashMap<>();
    return worker ->
        new Polls(
            kept.computeIfAbsent(
                worker,
                number -> new Poll.PollState(store, entry, places, log, settings, number, loop)));
  }

  private Polls(Poll.PollState kept) {
    this.kept = kept;
    this.timing = kept.entry.timing();
  }

  @Override
  public WorkerRange range() {
    return kept.range();
  }

  /** Whether no poll is due before the next scheduled run. */
  @Override
  public boolean isIdle() {
    return present().allMatch(Poll::isDone) && (timing.isLeftToSchedule() || !kept.hasAny());
  }

  @Override
  public boolean keepsAlive() {
    return !isIdle();
  }

  @Override
  public Instant nextTick(Instant now) {
    return timing.isLeftToSchedule() ? Instant.MAX : timing.nextTick(now);
  }

  private Stream<Poll> present() {
    return Stream.of(listing, known).flatMap(Optional::stream);
  }

  @Override
  public boolean hasSucceeded() {
    return achieved || present().anyMatch(Poll::hasWorked);
  }

  /** A poll reads what it finds changed by another. */
  @Override
  public void takeOver() {}

  /** Makes the first poll, and waits for it, but not for long: the run may have other work. */
  @Override
  public CompletableFuture<Void> fill() {
    if (listing.isEmpty()) {
      poll();
    }
    return CompletableFuture.anyOf(polled(), kept.loop.after(PATIENCE)).thenApply(first -> null);
  }

  private CompletableFuture<Void> polled() {
    return CompletableFuture.allOf(present().map(Poll::all).toArray(CompletableFuture<?>[]::new));
  }

  /** Each list finds what is new. */
  @Override
  public CompletableFuture<Void> findNew() {
    return DONE;
  }

  @Override
  public void begin() {
    if (!kept.loop.instant().isBefore(next)) {
      poll();
    }
  }

  @Override
  public void tick(Instant due) {
    if (!timing.isLeftToSchedule() && !due.isBefore(next)) {
      poll();
    }
  }

  /**
   * A run's first poll reads the list, and then one does each minute. As that may take longer than
   * a tick, the counters that are known are summed beside it.
   */
  private void poll() {
    next = timing.nextTick(kept.loop.instant());
    achieved = hasSucceeded();
    boolean mustList = listing.isEmpty() || (listing.get().isDone() && !kept.isListFresh());
    boolean hasKnown = kept.hasAll() && !timing.isLeftToSchedule();
    if (mustList) {
      listing = Optional.of(Poll.ofList(kept, hasKnown));
      listing.get().begin();
    }
    if (hasKnown && known.stream().allMatch(Poll::isDone)) {
      known = Optional.of(Poll.ofKnown(kept));
      known.get().begin();
    }
  }

  @Override
  public CompletableFuture<Void> worked() {
    return polled().thenCompose(none -> kept.worked());
  }

  @Override
  public CompletableFuture<Void> drained() {
    return CompletableFuture.allOf(present().map(Poll::stop).toArray(CompletableFuture<?>[]::new));
  }
}
