package dev.tallyroll.runs;

import static java.util.concurrent.CompletableFuture.failedFuture;

import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.StructuredLog.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A run of a worker: a minute or so of ticks.
 *
 * <p>It ends at its deadline, when it has been idle for a while, when a newer run has taken over,
 * or when all that is live can wait for the next scheduled run. It claims the worker's run
 * document, so that runs overlap only for a short time, and so that wake-ups see that it is alive.
 * No total depends on the claim.
 *
 * <p>It works on each counter at the counter's own ticks. Each second, or each shortest period of
 * all entries if that is longer, it looks: it queries new counters, and reads who holds its run
 * document. While the query fails, it works on no counter.
 *
 * <table>
 *   <caption>Its phases</caption>
 *   <tr><th>phase <th>what it does <th>what follows
 *   <tr><td>STARTING <td>lists what is live, claims the run document
 *       <td>TICKING with the claim; ENDING if nothing is live, another run has the document, or the
 *       instance ends
 *   <tr><td>TICKING <td>works on what is due, finds what is new, renews the claim
 *       <td>ENDING if another run has taken over, the instance ends, or, after a last list, at the
 *       deadline or if nothing was live for a while
 *   <tr><td>ENDING <td>begins nothing; waits for the calls under way, and may wake another run
 *       <td>the end
 * </table>
 */
final class Run {
  /** Nothing retries a failed start before the next scheduled run. */
  private static final int FIRST_FILLS = 3;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private enum Phase {
    STARTING,
    TICKING,
    ENDING
  }

  private final int worker;
  private final TickTask live;
  private final WakeUps wakeUps;
  private final StructuredLog log;
  private final EventLoop loop;
  private final RunSettings settings;
  private final RunTimes times;

  private final Ownership ownership;
  private final CompletableFuture<Ending> ended = new CompletableFuture<>();
  private Phase phase = Phase.STARTING;
  private Instant lastLive;
  private Instant nextQuery = Times.LONG_AGO;
  private CompletableFuture<Void> querying = DONE;
  private boolean reachable = true;

  Run(
      int worker,
      TickTask live,
      RunStore runs,
      WakeUps wakeUps,
      StructuredLog log,
      EventLoop loop,
      RunSettings settings) {
    this.worker = worker;
    this.live = live;
    this.wakeUps = wakeUps;
    this.log = log;
    this.loop = loop;
    this.settings = settings;
    this.times = new RunTimes(settings, loop.instant());
    this.ownership = new Ownership(runs, log, Integer.toString(worker), settings.alive());
    this.lastLive = loop.instant();
  }

  /**
   * Starts the run, and completes when it has ended and none of its calls is under way.
   *
   * @param takesOver whether to take over from a run that is alive, or to leave the job to it
   */
  CompletableFuture<Ending> start(boolean takesOver) {
    guard(takesOver ? startScheduled() : claim(false));
    return ended;
  }

  private CompletableFuture<Void> startScheduled() {
    return fill().thenCompose(none -> live.isIdle() ? end(Ending.NOTHING_LIVE) : claim(true));
  }

  private CompletableFuture<Void> fill() {
    return Retry.untilItWorks(
        FIRST_FILLS, before -> live.fill(), () -> loop.after(settings.look()));
  }

  /** After stop, which releases only what was claimed before, the run claims nothing. */
  private CompletableFuture<Void> claim(boolean takesOver) {
    if (phase == Phase.ENDING) {
      return DONE;
    }
    return ownership
        .claim(takesOver, other -> live.takeOver())
        .thenCompose(
            held -> held ? begin() : end(takesOver ? Ending.TAKEN_OVER : Ending.ALREADY_ALIVE));
  }

  private CompletableFuture<Void> begin() {
    if (phase == Phase.ENDING) {
      return DONE; // stop releases what was claimed meanwhile
    }
    return work()
        .exceptionallyCompose(
            failure -> ownership.release().thenCompose(none -> failedFuture(failure)));
  }

  private CompletableFuture<Void> work() {
    return (live.isIdle() ? fill() : DONE)
        .thenRun(
            () -> {
              if (phase != Phase.ENDING) {
                phase = Phase.TICKING;
                live.begin();
                if (isLeft()) {
                  guard(leave());
                } else {
                  next();
                }
              }
            });
  }

  /** Whether the next scheduled run comes in time for all that is live. */
  private boolean isLeft() {
    return !live.keepsAlive() && (!live.isIdle() || settings.leavesAllToSchedule());
  }

  private CompletableFuture<Void> leave() {
    return live.worked()
        .thenCompose(
            none ->
                settings.leavesAllToSchedule()
                    ? ownership.release().thenCompose(released -> end(Ending.LEFT_TO_SCHEDULE))
                    : giveUp(Ending.LEFT_TO_SCHEDULE));
  }

  private void next() {
    Instant now = loop.instant();
    RunTimes.Next next = times.next(now, live.nextTick(now));
    guard(
        loop.after(Duration.between(now, next.at()))
            .thenCompose(none -> next.step() == RunTimes.Step.CHECK ? check() : step(next)));
  }

  /** Ends between two long ticks, rather than wait for the second, if another has taken over. */
  private CompletableFuture<Void> check() {
    return ownership
        .keep()
        .handle((none, failure) -> null)
        .thenCompose(
            none -> ownership.isLost() && phase != Phase.ENDING ? end(Ending.TAKEN_OVER) : goOn());
  }

  private CompletableFuture<Void> goOn() {
    if (phase != Phase.ENDING) {
      next();
    }
    return DONE;
  }

  private CompletableFuture<Void> step(RunTimes.Next next) {
    if (phase == Phase.ENDING) {
      return DONE;
    }
    if (ownership.isLost()) {
      return end(Ending.TAKEN_OVER);
    }
    Instant now = loop.instant();
    lastLive = live.keepsAlive() ? now : lastLive;
    Optional<Ending> end = times.end(now, lastLive);
    if (end.isPresent()) {
      return giveUp(end.get());
    }
    if (reachable) {
      live.tick(next.at());
    }
    if (next.step() == RunTimes.Step.LOOK) {
      look(now);
    }
    next();
    return DONE;
  }

  private void look(Instant now) {
    if (reachable) {
      keep();
    }
    if (querying.isDone() && !now.isBefore(nextQuery)) {
      querying = queryNew();
    }
  }

  /** If a read of the run document fails, the next look reads again. */
  private void keep() {
    if (ownership.isIdle()) {
      var unused = ownership.keep();
    }
  }

  /**
   * Queries new counters. Once Firestore answers again, the counters do not wait for the next tick.
   */
  private CompletableFuture<Void> queryNew() {
    return live.findNew()
        .handle(
            (none, failure) -> {
              boolean before = reachable;
              reachable = failure == null;
              if (!reachable) {
                nextQuery = loop.instant().plus(loop.jitter(times.pause()));
              }
              if (reachable != before) {
                log.write(
                    reachable ? Severity.INFO : Severity.WARNING,
                    reachable ? "Firestore answers again" : "Firestore does not answer",
                    Map.of(StructuredLog.WORKER, worker, "cause", String.valueOf(failure)));
              }
              if (reachable && !before && phase == Phase.TICKING) {
                live.begin();
              }
              return null;
            });
  }

  /**
   * Releases the claim, then lists again, to catch counters whose wake-ups were ignored meanwhile.
   * If that fails, the run goes on.
   */
  private CompletableFuture<Void> giveUp(Ending reason) {
    return querying
        .thenCompose(none -> ownership.release())
        .thenCompose(none -> live.fill())
        .handle((none, failure) -> failure == null && !live.keepsAlive())
        .thenCompose(idle -> idle ? end(reason) : goOn(reason));
  }

  /** Where no run knows of another, the schedule starts the next: runs would become ever more. */
  private CompletableFuture<Void> goOn(Ending reason) {
    if (reason == Ending.DEADLINE) {
      return live.hasSucceeded() && !ownership.isForeign() ? handOver(reason) : end(reason);
    }
    lastLive = loop.instant();
    return claim(/* takesOver= */ false);
  }

  /** Ends, and asks for another run if counters are still live. */
  private CompletableFuture<Void> handOver(Ending reason) {
    return wakeUps
        .wake(live.range().from())
        .<Void>handle((none, failure) -> null)
        .thenCompose(none -> end(reason));
  }

  /**
   * Ends, since the instance is about to end: releases the document, also if its claim is still
   * under way, and asks for another run if counters are live, or may be.
   */
  CompletableFuture<Ending> stop() {
    if (phase == Phase.ENDING) {
      return ended;
    }
    boolean idle = phase != Phase.STARTING && live.isIdle();
    phase = Phase.ENDING;
    guard(
        ownership
            .release()
            .thenCompose(none -> idle ? end(Ending.STOPPED) : handOver(Ending.STOPPED)));
    return ended;
  }

  private CompletableFuture<Void> end(Ending reason) {
    phase = Phase.ENDING;
    return querying.thenCompose(none -> live.drained()).thenRun(() -> ended.complete(reason));
  }

  private void guard(CompletableFuture<Void> work) {
    var unused =
        work.whenComplete(
            (none, failure) -> {
              if (failure != null) {
                ended.completeExceptionally(failure);
              }
            });
  }
}
