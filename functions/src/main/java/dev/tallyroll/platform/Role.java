package dev.tallyroll.platform;

import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.StructuredLog;
import java.time.Duration;

/** The two kinds of functions. They differ in their calls of Firestore, and in their events. */
public enum Role {
  /**
   * Handles writes of shards. An instance handles 80 events at once, each with one call at a time.
   * A failed event comes again after ten seconds, which is too long if only the connection has
   * died. It may wait for the sum of events before it, and then for its own. Its limit is below the
   * function's own of 180 s, so that the reason is logged.
   */
  ON_SHARD_WRITTEN("OnShardWritten", 1, 2, Duration.ofSeconds(170), /* isRetried= */ true),

  /**
   * Works for the schedule. Hundreds of live counters and the documents of a sweep have a call
   * under way each; the next tick, or run, is the retry. Its limit is above all settings of RUN and
   * SWEEP, and below the platform's 540 s for events' functions.
   */
  ROLL_UP("RollUp", 4, 1, Duration.ofSeconds(536), /* isRetried= */ false);

  /** How many calls a connection carries at once, with a few to spare. */
  private static final int CALLS_PER_CONNECTION = 90;

  private final String function;
  private final int connections;
  private final int attempts;
  private final Duration limit;
  private final boolean isRetried;

  Role(String function, int connections, int attempts, Duration limit, boolean isRetried) {
    this.function = function;
    this.connections = connections;
    this.attempts = attempts;
    this.limit = limit;
    this.isRetried = isRetried;
  }

  /** The function's log, with the function's name in each line. */
  public StructuredLog log() {
    return JsonLog.of(function);
  }

  /** How many connections to Firestore an instance has. */
  int connections() {
    return connections;
  }

  /** The limits of an instance's calls of Firestore. */
  public Calls calls(EventLoop loop) {
    return new Calls(loop, connections * CALLS_PER_CONNECTION, attempts);
  }

  /** Makes the handling of its events. */
  EventHandling handling(EventLoop loop, StructuredLog log) {
    return new EventHandling(loop, log, limit, isRetried);
  }
}
