package dev.tallyroll.protocol;

import dev.tallyroll.protocol.Journal.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * One run of a worker: a minute or so of ticks.
 *
 * <p>Ticks are aligned to the clock; one that comes late is skipped, never queued up. The run ends
 * at its deadline, when it has been idle for a while, or as soon as a newer run has taken over. It
 * claims the worker's run document, so that there is one run at a time but for a short overlap, and
 * so that wake-ups know that it is alive. Nothing depends on that for being right.
 *
 * <p>It reads that document at each tick. While that fails, nothing else is asked, and that less
 * and less often.
 *
 * <p>All methods must be called on the event loop.
 */
final class Run {
  /** A message that starts no run is made good only by the next schedule. */
  private static final int FIRST_FILLS = 3;

  /** While Firestore does not answer, it is asked about so often. */
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final Roller roller;
  private final Ownership ownership;
  private final WakeUps wakeUps;
  private final Journal journal;
  private final int worker;
  private final Duration tick;
  private final RunSettings settings;
  private final EventLoop loop;
  private final Instant deadline;
  private final CompletableFuture<Ending> ended = new CompletableFuture<>();
  private CompletableFuture<Void> looking = CompletableFuture.completedFuture(null);
  private boolean reachable = true;
  private Duration pause;
  private Instant nextLook = Instant.MIN;
  private boolean ending;
  private Instant lastLive;
  private Instant lastTick;

  Run(
      Roller roller,
      Ownership ownership,
      WakeUps wakeUps,
      Journal journal,
      int worker,
      RunSettings settings,
      EventLoop loop) {
    this.roller = roller;
    this.ownership = ownership;
    this.wakeUps = wakeUps;
    this.journal = journal;
    this.worker = worker;
    this.tick = settings.timing().tick();
    this.settings = settings;
    this.loop = loop;
    this.pause = tick;
    this.lastLive = loop.instant();
    this.lastTick = loop.instant();
    this.deadline = loop.instant().plus(settings.run());
  }

  /**
   * Starts, and completes when the run has ended and nothing of it is under way.
   *
   * @param takesOver from a run that is alive; else that is left to it
   */
  CompletableFuture<Ending> start(boolean takesOver) {
    guard(
        fill(FIRST_FILLS)
            .thenCompose(none -> roller.isIdle() ? end(Ending.NOTHING_LIVE) : claim(takesOver)));
    return ended;
  }

  private CompletableFuture<Void> fill(int attempts) {
    return roller
        .fill()
        .exceptionallyCompose(
            failure ->
                attempts > 1
                    ? loop.after(tick).thenCompose(none -> fill(attempts - 1))
                    : CompletableFuture.failedFuture(failure));
  }

  private CompletableFuture<Void> claim(boolean takesOver) {
    return ownership
        .claim(takesOver, other -> roller.succeed())
        .thenCompose(
            held -> {
              if (!held) {
                return end(takesOver ? Ending.TAKEN_OVER : Ending.ALREADY_ALIVE);
              }
              lastTick = loop.instant();
              roller.tick(0);
              next();
              return looking;
            });
  }

  private void next() {
    Instant aligned = Ticks.next(loop.instant(), tick);
    guard(loop.at(aligned).thenCompose(none -> step(aligned)));
  }

  private CompletableFuture<Void> step(Instant due) {
    if (ending) {
      return looking;
    }
    if (ownership.isLost()) {
      return end(Ending.TAKEN_OVER);
    }
    Instant now = loop.instant();
    if (!now.isBefore(deadline)) {
      return giveUp(Ending.DEADLINE);
    }
    if (!roller.isIdle()) {
      lastLive = now;
    } else if (!now.isBefore(lastLive.plus(settings.idleExit()))) {
      return giveUp(Ending.IDLE);
    }
    if (reachable) {
      roller.tick(Ticks.missed(lastTick, due, tick));
    }
    lastTick = due;
    if (looking.isDone() && !now.isBefore(nextLook)) {
      looking = look();
    }
    next();
    return CompletableFuture.completedFuture(null);
  }

  /** Once Firestore answers again, the counters do not wait for the next tick. */
  private CompletableFuture<Void> look() {
    return ownership
        .look()
        .handle(
            (none, failure) -> {
              boolean before = reachable;
              reachable = failure == null;
              if (reachable) {
                pause = tick;
              } else {
                nextLook = loop.instant().plus(loop.jitter(pause));
                pause = longer(pause);
              }
              if (reachable != before) {
                journal.write(
                    reachable ? Severity.INFO : Severity.WARNING,
                    reachable ? "Firestore answers again" : "Firestore does not answer",
                    Map.of(Journal.WORKER, worker, "cause", String.valueOf(failure)));
              }
              if (reachable && !before && !ending) {
                roller.tick(0);
              }
              return null;
            });
  }

  private Duration longer(Duration duration) {
    Duration twice = duration.multipliedBy(2);
    Duration most = tick.compareTo(LONGEST_PAUSE) > 0 ? tick : LONGEST_PAUSE;
    return twice.compareTo(most) < 0 ? twice : most;
  }

  /**
   * Gives the document up before it looks once more: a wake-up that came while the run was alive
   * has started no other, so what it was for must be found here. A look that fails has found
   * nothing out, so the run goes on.
   */
  private CompletableFuture<Void> giveUp(Ending reason) {
    return looking
        .thenCompose(none -> ownership.release())
        .thenCompose(none -> roller.fill())
        .handle((none, failure) -> failure == null && roller.isIdle())
        .thenCompose(idle -> idle ? end(reason) : goOn(reason));
  }

  private CompletableFuture<Void> goOn(Ending reason) {
    if (reason == Ending.DEADLINE) {
      return roller.hasAchieved() ? handOver(reason) : end(reason);
    }
    lastLive = loop.instant();
    return claim(/* takesOver= */ false);
  }

  /** Ends, and has another run started for what is still live. */
  private CompletableFuture<Void> handOver(Ending reason) {
    return wakeUps
        .wake(worker)
        .<Void>handle((none, failure) -> null)
        .thenCompose(none -> end(reason));
  }

  /** The instance is about to go: gives the document up, and has another instance go on. */
  CompletableFuture<Ending> stop() {
    ending = true;
    guard(
        looking
            .thenCompose(none -> ownership.release())
            .thenCompose(none -> roller.isIdle() ? end(Ending.STOPPED) : handOver(Ending.STOPPED)));
    return ended;
  }

  private CompletableFuture<Void> end(Ending reason) {
    ending = true;
    return roller.drained().thenRun(() -> ended.complete(reason));
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

  /** Why a run ended. */
  enum Ending {
    NOTHING_LIVE,
    ALREADY_ALIVE,
    IDLE,
    DEADLINE,
    TAKEN_OVER,
    STOPPED
  }
}
