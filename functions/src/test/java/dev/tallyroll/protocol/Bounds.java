package dev.tallyroll.protocol;

import java.util.List;
import java.util.stream.Stream;

/**
 * How large a small world is: what its clients write, who takes part, and how much may go wrong.
 *
 * @param writes in the order of their commits: {@code a+} and {@code a-} add 1 and -1 to the shard
 *     a, {@code ax} deletes it
 * @param lastTime when the clock stops; every call takes one unit of time
 * @param live when the lease ends that there is at the start; 0 for no roll-up at the start
 * @param late how long a commit may stay invisible, in calls
 * @param handlers instances of the handler
 * @param rollers those that are at work at the same time
 * @param sweeps how often a sweep looks
 * @param faults calls that fail, before or after they took effect, and processes that crash
 * @param duplicates deliveries beyond the first
 * @param losses events that are never delivered
 */
record Bounds(
    List<String> writes,
    int lastTime,
    int live,
    int late,
    int handlers,
    int rollers,
    int sweeps,
    int faults,
    int duplicates,
    int losses) {

  /** Together they hold every step there is. */
  private static final String WORLDS =
      """
      writes     time  live  late  handlers  rollers  sweeps  faults  duplicates  losses
      a+,a+        14     0     4         1        1       0       0           0       0
      a+,a+        13     5     0         1        1       0       0           0       0
      ax,a+        13     5     0         1        1       0       0           0       0
      ax,a+        10     3     3         1        1       0       0           0       0
      a+,b-,a+     14     0     0         1        1       0       0           0       0
      a+,ax,a+     14     0     0         1        1       0       0           0       0
      a+,ax        14     0     0         2        2       0       0           0       0
      a+,a+        14     0     0         1        2       0       0           0       0
      a+,a-        11     0     0         1        1       0       1           1       0
      a+,ax        11     0     0         1        1       0       2           0       0
      a+,ax        10     3     1         1        1       0       1           0       0
      a+,a+        11     0     0         1        1       1       0           0       1
      """;

  /**
   * All small worlds.
   *
   * @param more how much further their clocks go than they must
   */
  static List<Bounds> worlds(int more) {
    return WORLDS.lines().skip(1).map(row -> of(row.split(" +"), more)).toList();
  }

  private static Bounds of(String[] row, int more) {
    int[] numbers = Stream.of(row).skip(1).mapToInt(Integer::parseInt).toArray();
    return new Bounds(
        List.of(row[0].split(",")),
        numbers[0] + more,
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
        numbers[5],
        numbers[6],
        numbers[7],
        numbers[8]);
  }

  /** SLACK must be above the time that a commit may stay invisible. */
  Timing timing() {
    int slack = late == 0 ? 0 : late + 1;
    return new Timing(
        SmallWorld.units(3), SmallWorld.units(4), SmallWorld.units(slack), /* burst= */ 2);
  }
}
