package dev.tallyroll.simulation;

import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Change.LeaseChange;
import dev.tallyroll.simulation.SimulatedFirestore.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * What goes wrong: drawn from the seed, or by script, from when it is said until it is taken back.
 * Counts each kind, so that a set of runs in which one never happened can be told from one that
 * withstood it.
 */
final class Faults {
  /** What can go wrong. */
  enum Kind {
    REFUSED_CALL,
    LOST_REPLY,
    REPEATED_WRITE,
    SLOW_CALL,
    HANDLER_CRASH,
    ROLLER_CRASH,
    DUPLICATE_EVENT,
    LATE_EVENT,
    REDELIVERED_EVENT,
    LOST_WAKE_UP,
    DUPLICATE_MESSAGE,
    LOST_MESSAGE,
    LATE_COMMIT,
    LOST_EVENT,
    ROLLUP_REMOVED,
    FOREIGN_DOCUMENT,
    FOREIGN_FIELD,
    FOREIGN_RUN_DOCUMENT
  }

  /** What the code may come to: each must happen in some world, or nothing of it is tested. */
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
    RUN_FAILED,
    NAME_COUNTED_BEFORE,
    SUMMED,
    RESET,
    RESIZED,
    RETIRED_SHARDS_LEFT,
    COMPACTED,
    NOT_FOUND,
    COUNTER_DELETED;

    static Branch of(Change change, Optional<Instant> applied) {
      if (applied.isEmpty()) {
        return REFUSED;
      }
      if (change instanceof Change.Update update) {
        return update.lease() instanceof LeaseChange.Remove
            ? SETTLED
            : update.lease() instanceof LeaseChange.Set ? MADE_LIVE : WRITTEN;
      }
      return change instanceof Change.Create ? ROLLUP_CREATED : ROLLUP_DELETED;
    }
  }

  final Random random;
  private final double level;
  private final double slowness;
  private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
  private final Set<Branch> branches = EnumSet.noneOf(Branch.class);
  private boolean on = true;
  private Duration lateness = Duration.ZERO;

  private final Set<Call> refused = EnumSet.noneOf(Call.class);
  private final Set<Call> unanswered = EnumSet.noneOf(Call.class);
  private boolean losesWakeUps;
  private Duration clockError = Duration.ZERO;
  private Duration nextStall = Duration.ZERO;
  private int refusals;

  /**
   * @param level how likely faults are: 0 for none but by script, 1 for many
   */
  Faults(long seed, double level) {
    this.random = new Random(seed);
    this.level = level;
    this.slowness = random.nextInt(3) == 0 ? 0.2 : 0.02;
  }

  /** Draws whether queries see commits later than these say, as on the emulator. */
  boolean drawLateCommits() {
    boolean late = random.nextInt(4) == 0;
    lateness = late ? Duration.ofMillis(1_500) : Duration.ZERO;
    return late;
  }

  /** By how much queries see commits later than these say, at the most. */
  Duration lateness() {
    return lateness;
  }

  /** From now on, nothing is drawn that goes wrong. */
  void switchOff() {
    on = false;
  }

  boolean happens(Kind kind, double probability) {
    boolean happens = on && random.nextDouble() < probability * level;
    if (happens) {
      counts.merge(kind, 1, Integer::sum);
    }
    return happens;
  }

  /** Notes what the code came to. */
  void came(Branch branch) {
    branches.add(branch);
  }

  Set<Branch> branches() {
    return branches;
  }

  Map<Kind, Integer> counts() {
    return counts;
  }

  /** Between 1 and 10 ms, and sometimes seconds. */
  Duration latency() {
    if (happens(Kind.SLOW_CALL, slowness)) {
      return Duration.ofMillis(random.nextInt(4_000));
    }
    return Duration.ofNanos(1_000L * (500 + random.nextInt(5_000)));
  }

  Duration upTo(Duration most) {
    return Duration.ofNanos(
        1_000L * (1 + (long) (random.nextDouble() * (most.toNanos() / 1_000.0))));
  }

  /** By script: all such calls are refused. */
  void refuse(Call... calls) {
    refused.addAll(List.of(calls));
  }

  /** By script: such calls take effect, but nobody hears of it. */
  void loseReplies(Call... calls) {
    unanswered.addAll(List.of(calls));
  }

  /** By script: only the schedule starts a run. */
  void loseWakeUps() {
    losesWakeUps = true;
  }

  /** By script: every clock jumps to so much before or after what it would show. */
  void setClocks(Duration error) {
    clockError = error;
  }

  /** By script: whoever sums next is held up for so long between its sum and what follows. */
  void stallNextSum(Duration stall) {
    nextStall = stall;
  }

  /** Calls are answered again. */
  void end() {
    refused.clear();
    unanswered.clear();
  }

  boolean refuses(Call call) {
    boolean refuses = refused.contains(call);
    refusals += refuses ? 1 : 0;
    return refuses;
  }

  /** How many calls were refused by script. */
  int refusals() {
    return refusals;
  }

  boolean losesReply(Call call) {
    return unanswered.contains(call);
  }

  boolean losesWakeUps() {
    return losesWakeUps;
  }

  Duration clockError() {
    return clockError;
  }

  boolean hasStalled() {
    return nextStall.isZero();
  }

  Duration takeStall() {
    Duration stall = nextStall;
    nextStall = Duration.ZERO;
    return stall;
  }
}
