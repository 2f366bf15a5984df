package dev.tallyroll.protocol;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The size of a small world: its clients' writes, its processes and its faults.
 *
 * @param writes the writes in the order of their commits: {@code a+} and {@code a-} add 1 and -1 to
 *     the shard a, {@code ax} deletes it
 * @param lastTime the time at which the clock stops; every call takes one unit of time
 * @param live the end of the lease at the start; 0 for no roll-up at the start
 * @param late the number of calls for which a commit may stay invisible
 * @param handlers the number of the handler's instances
 * @param rollers the number of rollers at work at the same time
 * @param pollers the number of runs that poll; where there are some, the counter is polled, so that
 *     there are no handlers, and each has a roller
 * @param minute whether polls alone write totals: 1 or 0
 * @param sweeps the number of a sweep's looks
 * @param faults the number of calls that fail, before or after their effect, and of crashes
 * @param duplicates the number of repeated deliveries
 * @param losses the number of events that are never delivered
 */
record Bounds(
    List<String> writes,
    int lastTime,
    int live,
    int late,
    int handlers,
    int rollers,
    int pollers,
    int minute,
    int sweeps,
    int faults,
    int duplicates,
    int losses) {

  /** Together, the worlds have every kind of step. */
  private static final String WORLDS =
      """
      writes     time  live  late  handlers  rollers  pollers  minute  sweeps  faults  duplicates  losses
      a+,a+        14     0     4         1        1        0       0       0       0           0       0
      a+,a+        13     5     0         1        1        0       0       0       0           0       0
      ax,a+        13     5     0         1        1        0       0       0       0           0       0
      ax,a+        10     3     3         1        1        0       0       0       0           0       0
      a+,b-,a+     14     0     0         1        1        0       0       0       0           0       0
      a+,ax,a+     14     0     0         1        1        0       0       0       0           0       0
      a+,ax        14     0     0         2        2        0       0       0       0           0       0
      a+,a+        14     0     0         1        2        0       0       0       0           0       0
      a+,a-        11     0     0         1        1        0       0       0       1           1       0
      a+,ax        11     0     0         1        1        0       0       0       2           0       0
      a+,ax        10     3     1         1        1        0       0       0       1           0       0
      a+,a+        11     0     0         1        1        0       0       1       0           0       1
      a+,ax        11     0     0         0        2        2       0       0       0           0       0
      a+,a-,a+     10     0     0         0        2        2       0       0       0           0       0
      a+,ax         9     0     0         0        2        2       0       0       1           0       0
      a+,ax         9     0     0         0        1        1       0       0       2           0       0
      a+,a-,a+     11     0     0         0        2        2       1       0       0           0       0
      a+,ax        11     0     0         0        2        2       1       1       0           0       0
      a+,ax        10     5     0         0        2        2       1       0       1           0       0
      a+,a-        10     0     0         0        1        1       1       0       2           0       0
      """;

  /**
   * All small worlds.
   *
   * @param more units of time that are added to their clocks
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
        numbers[8],
        numbers[9],
        numbers[10]);
  }

  /** The timing of this world. Its slack is longer than a commit may stay invisible. */
  Timing timing() {
    int slack = late == 0 ? 0 : late + 1;
    // A polled counter's lease has ten ticks: four units, too.
    Duration tick = pollers > 0 ? Duration.ofMillis(400) : SmallWorld.units(3);
    return new Timing(
        tick,
        SmallWorld.units(4),
        SmallWorld.units(slack),
        /* burst= */ 2,
        /* hold= */ Duration.ZERO,
        /* precision= */ 0,
        minute == 1);
  }
}
