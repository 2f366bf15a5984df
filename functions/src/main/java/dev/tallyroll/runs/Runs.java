package dev.tallyroll.runs;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The runs of an instance. Its methods must be called on the event loop, where futures complete,
 * too.
 */
public final class Runs {
  /** Makes what a run of a worker does at its ticks. */
  @FunctionalInterface
  public interface Tasks {
    /**
     * Makes a task, for one run.
     *
     * @param isScheduled whether the run is of the schedule; else of a wake-up
     */
    TickTask of(int worker, boolean isScheduled);
  }

  private final Tasks tasks;
  private final RunStore runs;
  private final WakeUps wakeUps;
  private final StructuredLog log;
  private final RunSettings settings;
  private final EventLoop loop;
  private final Set<Run> running = new HashSet<>();
  private boolean stopped;

  /**
   * @param tasks makes what a run does at its ticks
   */
  public Runs(
      Tasks tasks,
      RunStore runs,
      WakeUps wakeUps,
      StructuredLog log,
      EventLoop loop,
      RunSettings settings) {
    this.tasks = tasks;
    this.runs = runs;
    this.wakeUps = wakeUps;
    this.log = log;
    this.settings = settings;
    this.loop = loop;
  }

  /**
   * Runs for the schedule: takes over from the run before, unless nothing is live. If nothing is, a
   * call costs one read.
   *
   * @return why the run ended
   */
  public CompletableFuture<Ending> scheduled(int worker) {
    return start(worker, /* takesOver= */ true);
  }

  /**
   * Runs for a wake-up. If a run is alive, it finds new live counters by itself, and this call
   * costs one read.
   *
   * @return why the run ended
   */
  public CompletableFuture<Ending> woken(int worker) {
    return start(worker, /* takesOver= */ false);
  }

  /**
   * Ends the runs, since the instance is about to end, and asks for others in their place. A later
   * message asks for another run, too.
   */
  public CompletableFuture<Void> stop() {
    stopped = true;
    return CompletableFuture.allOf(
        running.stream().map(Run::stop).toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Ending> start(int worker, boolean takesOver) {
    Run run =
        new Run(
            worker,
            tasks.of(worker, /* isScheduled= */ takesOver),
            runs,
            wakeUps,
            log,
            loop,
            settings);
    running.add(run);
    return (stopped ? run.stop() : run.start(takesOver))
        .whenComplete((ending, failure) -> running.remove(run));
  }
}
