package dev.tallyroll.protocol;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * One run of a worker: a minute or so of ticks.
 *
 * <p>Ticks are aligned to the clock; one that comes late is skipped, never queued up. The run ends
 * at its deadline, when it has been idle for a while, or as soon as a newer run has taken over. It
 * claims the worker's run document, so that there is one run at a time but for a short overlap, and
 * so that wake-ups know that it is alive. Nothing depends on that for being right.
 *
 * <p>All methods must be called on the event loop.
 */
final class Run {
  /** A message that starts no run is made good only by the next schedule. */
  private static final int FIRST_FILLS = 3;

  private final Roller roller;
  private final Ownership ownership;
  private final WakeUps wakeUps;
  private final int lane;
  private final Duration tick;
  private final RunSettings settings;
  private final EventLoop loop;
  private final Instant deadline;
  private final CompletableFuture<Ending> ended = new CompletableFuture<>();
  private boolean starting = true;
  private boolean poked;
  private boolean givenUp = true;
  private Instant lastLive;
  private Instant lastTick;

  Run(
      Roller roller,
      Ownership ownership,
      WakeUps wakeUps,
      int lane,
      RunSettings settings,
      EventLoop loop) {
    this.roller = roller;
    this.ownership = ownership;
    this.wakeUps = wakeUps;
    this.lane = lane;
    this.tick = settings.timing().tick();
    this.settings = settings;
    this.loop = loop;
    this.lastLive = loop.instant();
    this.lastTick = loop.instant();
    this.deadline = loop.instant().plus(settings.run());
  }

  /** Starts, and completes when the run has ended and nothing of it is under way. */
  CompletableFuture<Ending> start() {
    guard(fill(FIRST_FILLS).thenCompose(none -> claimOrEnd()));
    return ended;
  }

  /**
   * Looks for counters that have become live.
   *
   * @return whether this run is still the one that will roll them up
   */
  boolean poke() {
    poked |= starting;
    if (starting) {
      return true;
    }
    if (givenUp || ownership.isLost()) {
      return false;
    }
    roller.findNew();
    return true;
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

  /** What it was poked for while it started, it may have looked for too early. */
  private CompletableFuture<Void> claimOrEnd() {
    if (!roller.isIdle()) {
      return claim();
    }
    if (poked) {
      poked = false;
      return fill(FIRST_FILLS).thenCompose(none -> claimOrEnd());
    }
    starting = false;
    return end(Ending.NOTHING_LIVE);
  }

  private CompletableFuture<Void> claim() {
    return ownership
        .claim(loop.instant(), roller.serverTime(), roller::succeed, roller::findNew)
        .thenRun(
            () -> {
              givenUp = false;
              starting = false;
              if (poked) {
                poked = false;
                roller.findNew();
              }
              next();
            });
  }

  private void next() {
    Instant now = loop.instant();
    Instant aligned = Ticks.next(now, tick);
    guard(loop.at(aligned).thenCompose(none -> step(aligned)));
  }

  private CompletableFuture<Void> step(Instant due) {
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
    roller.tick(Ticks.missed(lastTick, due, tick));
    lastTick = due;
    ownership.keepUp(now, roller.serverTime());
    next();
    return CompletableFuture.completedFuture(null);
  }

  /**
   * Gives the document up before it looks once more: a wake-up that came while the run was alive
   * has started no other, so what it was for must be found here. A look that fails has found
   * nothing out, so the run goes on.
   */
  private CompletableFuture<Void> giveUp(Ending reason) {
    givenUp = true;
    return ownership
        .release()
        .thenCompose(none -> roller.fill())
        .handle((none, failure) -> failure == null && roller.isIdle())
        .thenCompose(idle -> idle ? end(reason) : goOn(reason));
  }

  private CompletableFuture<Void> goOn(Ending reason) {
    if (reason == Ending.DEADLINE) {
      return wakeUps
          .wake(lane)
          .<Void>handle((none, failure) -> null)
          .thenCompose(none -> end(reason));
    }
    lastLive = loop.instant();
    return claim();
  }

  private CompletableFuture<Void> end(Ending reason) {
    givenUp = true;
    ownership.close();
    return roller.drained().thenRun(() -> ended.complete(reason));
  }

  private void guard(CompletableFuture<Void> work) {
    var unused =
        work.whenComplete(
            (none, failure) -> {
              if (failure != null) {
                ownership.close();
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
    TAKEN_OVER
  }
}
