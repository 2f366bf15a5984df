package dev.tallyroll.simulation;

import io.grpc.Status;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * The faults of a world, drawn from the seed or set by a script. Counts each kind: a set of worlds
 * proves something only about the kinds that have happened in it.
 */
final class Faults {
  private static final int EXHAUSTED = 20;

  /** The kinds of faults. */
  enum Kind {
    REFUSED_CALL,
    /** A write is aborted, though all versions are those that it names: another one held a lock. */
    ABORTED,
    LOST_REPLY,
    REPEATED_WRITE,
    SLOW_CALL,
    /** A sum takes longer than a lease. */
    LONG_SUM,
    HANDLER_CRASH,
    ROLLER_CRASH,
    ROLLER_STOP,
    DUPLICATE_EVENT,
    LATE_EVENT,
    REDELIVERED_EVENT,
    LOST_WAKE_UP,
    DUPLICATE_MESSAGE,
    LOST_MESSAGE,
    LATE_COMMIT,
    HELD_UP_COMMIT,
    APPLIED_AFTER_FAILURE,
    LOST_EVENT,
    ROLLUP_REMOVED,
    FOREIGN_DOCUMENT,
    FOREIGN_FIELD,
    HANDED_OVER,
    FOREIGN_RUN_DOCUMENT,
    SHARDS_WITHOUT_FIELD,
    OTHER_SETTINGS,
    /** A page of shards ends early, since they are large. */
    LARGE_SHARDS,
    /** A commit takes effect, and its answer is that the time was up. */
    DEADLINE_EXCEEDED,
    /** Many calls in a row are refused. */
    RESOURCE_EXHAUSTED,
    /** A query's answer breaks off. */
    BROKEN_STREAM,
    /** An answer has no message. */
    EMPTY_STREAM
  }

  /** Situations of the code. A situation that happens in no world is not tested. */
  enum Branch {
    ROLLUP_CREATED,
    ROLLUP_DELETED,
    MADE_LIVE,
    WRITTEN,
    SETTLED,
    REFUSED,
    RUN_NOTHING_LIVE,
    RUN_ALREADY_ALIVE,
    RUN_IDLE,
    RUN_DEADLINE,
    RUN_TAKEN_OVER,
    RUN_STOPPED,
    RUN_LEFT_TO_SCHEDULE,
    RUN_FAILED,
    NAME_COUNTED_BEFORE,
    SUMMED,
    RESET,
    RESIZED,
    RETIRED_SHARDS_LEFT,
    COMPACTED,
    NOT_FOUND,
    COUNTER_DELETED
  }

  /** How many faults are drawn: the one of a seed's world is that of every fourth. */
  enum Level {
    NONE(0),
    SOME(0.5),
    MANY(1),
    MOST(1.5);

    private final double probability;

    Level(double probability) {
      this.probability = probability;
    }

    static Level of(long seed) {
      return values()[(int) (seed % values().length)];
    }
  }

  final Random random;

  /** Draws what is to leave the numbers of all else as they are. */
  final Random aside;

  final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);

  /** The situations that have happened. */
  final Set<Branch> branches = EnumSet.noneOf(Branch.class);

  /** The longest time from a commit until queries see it, as on the emulator. */
  Duration lateness = Duration.ZERO;

  /** A script adds kinds of calls that are refused. */
  final Set<Call> refused = EnumSet.noneOf(Call.class);

  /** A script sets this: how many calls go through before one is refused; negative for none. */
  int untilRefusal = -1;

  /** A script adds kinds of calls that take effect, but whose answers get lost. */
  final Set<Call> unanswered = EnumSet.noneOf(Call.class);

  /** A script sets this: only the schedule starts a run. */
  boolean wakeUpsAreLost;

  /** A script sets this: the error of every clock. */
  Duration clockError = Duration.ZERO;

  /** A script sets this: by how much the answers to calls are late. */
  final Map<Call, Duration> late = new EnumMap<>(Call.class);

  /** A script sets this: the pause after the next sum. */
  Duration nextStall = Duration.ZERO;

  /** The time that is added to each way of a call, there and back. */
  Duration leg = Duration.ZERO;

  /** How many more calls are refused, since the database has no resources for them. */
  private int exhausted;

  /** How many calls the script has refused. */
  int refusals;

  final Level level;
  private final double slowness;
  private boolean on = true;

  Faults(long seed, Level level) {
    this.random = new Random(seed);
    this.aside = new Random(seed * 0x9E3779B97F4A7C15L); // those of neighbours begin alike else
    this.level = level;
    this.slowness = random.nextInt(3) == 0 ? 0.2 : 0.02;
  }

  /** Ends the drawn faults. */
  void switchOff() {
    on = false;
  }

  boolean happens(Kind kind, double probability) {
    return happens(kind, probability, random);
  }

  boolean happens(Kind kind, double probability, Random from) {
    boolean happens = on && from.nextDouble() < probability * level.probability;
    if (happens) {
      counts.merge(kind, 1, Integer::sum);
    }
    return happens;
  }

  /** The time for one way of a call: 0.5 to 5.5 ms, and sometimes up to 4 s. */
  Duration latency() {
    if (happens(Kind.SLOW_CALL, slowness)) {
      return Duration.ofMillis(random.nextInt(4_000));
    }
    return leg.plusNanos(1_000L * (500 + random.nextInt(5_000)));
  }

  Duration upTo(Duration most) {
    return Duration.ofNanos(
        1_000L * (1 + (long) (random.nextDouble() * (most.toNanos() / 1_000.0))));
  }

  /** Why a call is refused; empty if it is not. */
  Optional<Status.Code> refusal(Call call) {
    if (refused.contains(call) || (untilRefusal >= 0 && untilRefusal-- == 0)) {
      refusals++;
      return Optional.of(Status.Code.UNAVAILABLE);
    }
    if (happens(Kind.RESOURCE_EXHAUSTED, 0.0005)) {
      exhausted = EXHAUSTED;
    }
    if (on && exhausted > 0) {
      exhausted--;
      return Optional.of(Status.Code.RESOURCE_EXHAUSTED);
    }
    return happens(Kind.REFUSED_CALL, 0.03)
        ? Optional.of(Status.Code.UNAVAILABLE)
        : Optional.empty();
  }

  /** How many of the functions' next writes are aborted. */
  int aborts;

  /** Why a write of the functions' is refused; empty if it is not. */
  Optional<Status.Code> refusalOfWrite() {
    if (aborts > 0) {
      aborts--;
      return Optional.of(Status.Code.ABORTED);
    }
    return happens(Kind.ABORTED, 0.01) ? Optional.of(Status.Code.ABORTED) : refusal(Call.WRITE);
  }

  /** How much longer a sum takes. */
  Duration longer() {
    return happens(Kind.LONG_SUM, 0.001) ? upTo(Duration.ofSeconds(20)) : Duration.ZERO;
  }

  /** Whether a call takes effect, but its answer is lost. */
  boolean loses(Call call) {
    return unanswered.contains(call) || happens(Kind.LOST_REPLY, 0.03);
  }

  /** The time from a request until its commit, while a transaction of others holds a lock. */
  Duration heldUp() {
    return happens(Kind.HELD_UP_COMMIT, 0.02) ? upTo(Duration.ofSeconds(8)) : Duration.ZERO;
  }

  Duration takeStall() {
    Duration stall = nextStall;
    nextStall = Duration.ZERO;
    return stall;
  }
}
