package dev.tallyroll.protocol;

import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.Part;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.TickTask;
import dev.tallyroll.runs.Timing;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/**
 * What a run does where writes make no events: at each tick, it polls all counters of its worker.
 * No counter is live. While one poll is under way, a tick begins no other.
 *
 * <p>If ticks are those of the schedule, a run is one poll, and nothing waits for the next.
 */
public final class Polls implements TickTask {
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final RollupStore store;
  private final RunStore places;
  private final Poll.Kept kept;
  private final Journal journal;
  private final RunSettings settings;
  private final Timing timing;
  private final int worker;
  private final EventLoop loop;

  /** The present one, or the last. */
  private Optional<Poll> poll = Optional.empty();

  private CompletableFuture<Void> polled = DONE;
  private Instant next = Times.LONG_AGO;
  private boolean achieved;

  /**
   * Polls of one instance, by their workers, each for one run.
   *
   * @param places where the places of unfinished polls are kept
   */
  public static IntFunction<TickTask> all(
      RollupStore store, RunStore places, Journal journal, EventLoop loop, RunSettings settings) {
    Map<Integer, Poll.Kept> kept = new HashMap<>();
    return worker ->
        new Polls(
            store,
            places,
            kept.computeIfAbsent(worker, unused -> new Poll.Kept()),
            journal,
            settings,
            worker,
            loop);
  }

  Polls(
      RollupStore store,
      RunStore places,
      Poll.Kept kept,
      Journal journal,
      RunSettings settings,
      int worker,
      EventLoop loop) {
    this.store = store;
    this.places = places;
    this.kept = kept;
    this.journal = journal;
    this.settings = settings;
    this.timing = settings.timing();
    this.worker = worker;
    this.loop = loop;
  }

  @Override
  public Part part() {
    return Part.of(worker, settings.workers());
  }

  @Override
  public CompletableFuture<Boolean> mayWork() {
    return store.agree(journal);
  }

  /** Whether no poll is due before the next scheduled run. */
  @Override
  public boolean isIdle() {
    return polled.isDone() && (timing.isLeftToSchedule() || !kept.hasAny());
  }

  @Override
  public boolean hasSucceeded() {
    return achieved || poll.filter(Poll::hasWorked).isPresent();
  }

  /** A poll reads what it finds changed by another. */
  @Override
  public void takeOver() {}

  /** Makes the first poll; if ticks go on behind it, waits for it no longer than for a tick. */
  @Override
  public CompletableFuture<Void> fill() {
    if (poll.isEmpty()) {
      poll();
    }
    return timing.isLeftToSchedule()
        ? polled
        : CompletableFuture.anyOf(polled, loop.after(timing.tick())).thenApply(first -> null);
  }

  /** Each poll finds what is new. */
  @Override
  public CompletableFuture<Void> findNew() {
    return DONE;
  }

  @Override
  public void tick(long ticksMissed) {
    if (polled.isDone() && !loop.instant().isBefore(next)) {
      poll();
    }
  }

  private void poll() {
    achieved = hasSucceeded();
    boolean isFirst = poll.isEmpty();
    Poll begun = new Poll(store, places, kept, journal, settings, worker, loop, isFirst);
    poll = Optional.of(begun);
    next = timing.nextTick(loop.instant());
    polled = begun.begin();
  }

  @Override
  public CompletableFuture<Void> worked() {
    return polled.thenCompose(none -> kept.worked());
  }

  @Override
  public CompletableFuture<Void> drained() {
    return poll.map(Poll::stop).orElse(DONE);
  }
}
