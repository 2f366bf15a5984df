package dev.tallyroll.protocol;

import dev.tallyroll.protocol.Run.Ending;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Starts runs of workers.
 *
 * <p>All methods must be called on the event loop.
 */
public final class Runs {
  private final RollupStore rollups;
  private final RunStore runs;
  private final WakeUps wakeUps;
  private final Journal journal;
  private final Timing timing;
  private final Lanes lanes;
  private final RunSettings settings;
  private final EventLoop loop;
  private final Supplier<String> holders;
  private final Map<Integer, Run> running = new HashMap<>();

  /**
   * @param holders gives each run a name that no other run has
   */
  public Runs(
      RollupStore rollups,
      RunStore runs,
      WakeUps wakeUps,
      Journal journal,
      Timing timing,
      Lanes lanes,
      RunSettings settings,
      EventLoop loop,
      Supplier<String> holders) {
    this.rollups = rollups;
    this.runs = runs;
    this.wakeUps = wakeUps;
    this.journal = journal;
    this.timing = timing;
    this.lanes = lanes;
    this.settings = settings;
    this.loop = loop;
    this.holders = holders;
  }

  /**
   * Runs as the schedule asks: takes over from the run before, unless nothing is live. An idle call
   * costs one read.
   *
   * @return why the run ended
   */
  public CompletableFuture<String> scheduled(int worker) {
    return start(worker).thenApply(Ending::name);
  }

  /**
   * Runs as a wake-up asks; a run that is alive is told to look for new live counters instead.
   * Costs nothing if that is here, one read and one write if it is elsewhere.
   *
   * @return why the run ended
   */
  public CompletableFuture<String> woken(int worker) {
    Run here = running.get(worker);
    if (here != null && here.poke()) {
      return CompletableFuture.completedFuture(Ending.ALREADY_ALIVE.name());
    }
    return runs.read(worker)
        .thenCompose(state -> state.isAlive() ? poke(worker) : start(worker))
        .thenApply(Ending::name);
  }

  private CompletableFuture<Ending> poke(int worker) {
    return runs.poke(worker)
        .thenCompose(
            poked ->
                poked ? CompletableFuture.completedFuture(Ending.ALREADY_ALIVE) : start(worker));
  }

  private CompletableFuture<Ending> start(int worker) {
    Roller roller = new Roller(rollups, journal, timing, lanes, worker, loop);
    Ownership ownership = new Ownership(runs, worker, holders.get());
    Run run = new Run(roller, ownership, wakeUps, worker, timing.tick(), settings, loop);
    running.put(worker, run);
    return run.start().whenComplete((ending, failure) -> running.remove(worker, run));
  }
}
