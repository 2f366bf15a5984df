package dev.tallyroll.protocol;

import dev.tallyroll.protocol.Run.Ending;
import dev.tallyroll.protocol.RunStore.RunState;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

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
  private final RunSettings settings;
  private final EventLoop loop;
  private final Set<Run> running = new HashSet<>();

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
    return start(worker, /* takesOver= */ true).thenApply(Ending::name);
  }

  /**
   * Runs as a wake-up asks, unless a run is alive, which finds new live counters by itself. Costs
   * one read then.
   *
   * @return why the run ended
   */
  public CompletableFuture<String> woken(int worker) {
    return runs.read(job(worker))
        .thenApply(RunState::isAlive)
        .exceptionally(failure -> false)
        .thenCompose(
            alive ->
                alive
                    ? CompletableFuture.completedFuture(Ending.ALREADY_ALIVE)
                    : start(worker, /* takesOver= */ false))
        .thenApply(Ending::name);
  }

  /** The instance is about to go: ends its runs, and has others started in their place. */
  public CompletableFuture<Void> stop() {
    return CompletableFuture.allOf(
        running.stream().map(Run::stop).toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Ending> start(int worker, boolean takesOver) {
    Roller roller = new Roller(rollups, journal, settings, worker, loop);
    Ownership ownership = new Ownership(runs, journal, job(worker), settings.alive());
    Run run = new Run(roller, ownership, wakeUps, journal, worker, settings, loop);
    running.add(run);
    return run.start(takesOver).whenComplete((ending, failure) -> running.remove(run));
  }

  private static String job(int worker) {
    return Integer.toString(worker);
  }
}
