package dev.tallyroll.protocol;

import java.util.Arrays;
import java.util.List;

/**
 * How large a small world is: what its clients write, who takes part, and how much may go wrong.
 *
 * @param writes in the order of their commits
 * @param live when the lease ends that there is at the start; 0 for no roll-up at the start
 * @param late how long a commit may stay invisible, in calls
 * @param actors who takes part
 * @param faults calls that fail, before or after they took effect, and processes that crash
 * @param duplicates deliveries beyond the first
 * @param losses events that are never delivered
 * @param lastTime when the clock stops; every call takes one unit of time
 */
record Bounds(
    List<Write> writes,
    int live,
    int late,
    Actors actors,
    int faults,
    int duplicates,
    int losses,
    int lastTime) {

  /** What a client writes: +1 or -1 to a shard, or its deletion. */
  record Write(char shard, char what) {
    @Override
    public String toString() {
      return "" + shard + what;
    }
  }

  /** Instances of the handler, rollers at work at the same time, and how often a sweep looks. */
  record Actors(int handlers, int rollers, int sweeps) {}

  /** One handler and one roller, and nothing goes wrong: {@code a+} increments the shard a. */
  static Bounds of(String writes, int lastTime) {
    List<Write> parsed =
        Arrays.stream(writes.split(" "))
            .map(write -> new Write(write.charAt(0), write.charAt(1)))
            .toList();
    return new Bounds(parsed, 0, 0, new Actors(1, 1, 0), 0, 0, 0, lastTime);
  }

  /**
   * Worlds that together hold every step there is.
   *
   * @param more how much further their clocks go than they must
   */
  static List<Bounds> worlds(int more) {
    return List.of(
        of("a+ a+", 14 + more).late(4),
        of("a+ a+", 13 + more).live(5),
        of("ax a+", 13 + more).live(5),
        of("ax a+", 10 + more).live(3).late(3),
        of("a+ b- a+", 14 + more),
        of("a+ ax a+", 14 + more),
        of("a+ ax", 14 + more).actors(2, 2, 0),
        of("a+ a+", 14 + more).actors(1, 2, 0),
        of("a+ a-", 11 + more).faults(1, 1),
        of("a+ ax", 11 + more).faults(2, 0),
        of("a+ ax", 10 + more).live(3).late(1).faults(1, 0),
        of("a+ a+", 11 + more).losses(1).actors(1, 1, 1));
  }

  Bounds live(int until) {
    return new Bounds(writes, until, late, actors, faults, duplicates, losses, lastTime);
  }

  Bounds late(int late) {
    return new Bounds(writes, live, late, actors, faults, duplicates, losses, lastTime);
  }

  Bounds actors(int handlers, int rollers, int sweeps) {
    Actors others = new Actors(handlers, rollers, sweeps);
    return new Bounds(writes, live, late, others, faults, duplicates, losses, lastTime);
  }

  Bounds faults(int faults, int duplicates) {
    return new Bounds(writes, live, late, actors, faults, duplicates, losses, lastTime);
  }

  Bounds losses(int losses) {
    return new Bounds(writes, live, late, actors, faults, duplicates, losses, lastTime);
  }

  /** SLACK must be above the time that a commit may stay invisible. */
  Timing timing() {
    int slack = late == 0 ? 0 : late + 1;
    return new Timing(SmallWorld.units(3), SmallWorld.units(4), SmallWorld.units(slack));
  }
}
