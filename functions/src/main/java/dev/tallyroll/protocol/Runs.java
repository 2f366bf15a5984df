package dev.tallyroll.protocol;

import dev.tallyroll.protocol.Run.Ending;
import dev.tallyroll.protocol.RunStore.RunState;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Starts runs of workers.
 *
 * <p>All methods must be called on the event loop.
 */
public final class Runs {
  /** A poke is refused when the run keeps its claim up, or is poked, in the same moment. */
  private static final int MAX_POKES = 3;

  private final RollupStore rollups;
  private final RunStore runs;
  private final WakeUps wakeUps;
  private final Journal journal;
  private final RunSettings settings;
  private final EventLoop loop;
  private final Map<Integer, Run> running = new HashMap<>();

  public Runs(
      RollupStore rollups,
      RunStore runs,
      WakeUps wakeUps,
      Journal journal,
      EventLoop loop,
      RunSettings settings) {
    this.rollups = rollups;
    this.runs = runs;
    this.wakeUps = wakeUps;
    this.journal = journal;
    this.settings = settings;
    this.loop = loop;
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
    return wakeElsewhere(worker, MAX_POKES).thenApply(Ending::name);
  }

  private CompletableFuture<Ending> wakeElsewhere(int worker, int attempts) {
    return runs.read(worker)
        .thenCompose(state -> state.isAlive() ? poke(worker, state, attempts) : start(worker));
  }

  /** Refused while the run writes its document itself: so look again. */
  private CompletableFuture<Ending> poke(int worker, RunState alive, int attempts) {
    return runs.poke(worker, alive.updateTime().orElseThrow())
        .thenCompose(
            poked -> {
              if (poked) {
                return CompletableFuture.completedFuture(Ending.ALREADY_ALIVE);
              }
              return attempts > 1 ? wakeElsewhere(worker, attempts - 1) : start(worker);
            });
  }

  private CompletableFuture<Ending> start(int worker) {
    Roller roller = new Roller(rollups, journal, settings, worker, loop);
    Ownership ownership = new Ownership(runs, journal, worker);
    Run run = new Run(roller, ownership, wakeUps, worker, settings, loop);
    running.put(worker, run);
    return run.start().whenComplete((ending, failure) -> running.remove(worker, run));
  }
}
