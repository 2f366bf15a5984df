package dev.tallyroll.protocol;

import dev.tallyroll.runs.Timing;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The size of a small world: its clients' writes, its processes and its faults.
 *
 * @param writes the writes in the order of their commits: {@code a+} and {@code a-} add 1 and -1 to
 *     the shard a, {@code a0} sets it to 0, {@code ax} deletes it
 * @param lastTime the time at which the clock stops; every call takes one unit of time
 * @param start the document at the roll-up's path when the world begins
 * @param live the end of that document's lease; 0 for none
 * @param late the number of calls for which a commit may stay invisible
 * @param handlers the number of the handler's instances
 * @param rollers the number of rollers at work at the same time
 * @param pollers the number of runs that poll; beside handlers, since events are just being turned
 *     into polls, or back; without handlers, there are no events
 * @param hold for how many units a change by less than the shown total and a half is held
 * @param burst the number of writes within a lease that make the counter live
 * @param sweeps the number of a sweep's looks
 * @param faults the number of calls that fail, before or after their effect, and of crashes
 * @param duplicates the number of repeated deliveries
 * @param losses the number of events that are never delivered
 * @param fields whether the counter has a document of its own, whose fields show figures: 1 or 0
 * @param large whether one shard is enough to make the counter large: 1 or 0
 */
record Bounds(
    List<String> writes,
    int lastTime,
    Start start,
    int live,
    int late,
    int handlers,
    int rollers,
    int pollers,
    int hold,
    int burst,
    int sweeps,
    int faults,
    int duplicates,
    int losses,
    int fields,
    int large) {

  /** The document at the roll-up's path when the world begins. */
  enum Start {
    NONE,
    /** The total of one shard. */
    OURS,
    /** The same, with fields of others. */
    SHARED,
    /** A document of others. */
    FOREIGN,
    /** A document that has the counter's mark, but never had a total. */
    MARKED,
    /** The total of a counter without shards, which nobody has removed. */
    ZERO;

    boolean isTotal() {
      return hasShard() || this == ZERO;
    }

    boolean hasShard() {
      return this == OURS || this == SHARED;
    }
  }

  /** Together, the worlds have every kind of step. */
  private static final String WORLDS =
      """
      writes    time  start    live  late  handlers  rollers  pollers  hold  burst  sweeps  faults  duplicates  losses  fields  large
      ax           9  shared      0     0         1        1        0     0      2       0       0           0       0       0      0
      a+           8  foreign     0     0         1        1        0     0      2       1       0           0       0       0      0
      b0           8  ours        0     0         0        0        1     0      2       0       0           0       0       0      0
      a+,ax        9  marked      0     0         1        1        0     0      2       0       0           0       0       0      0
      a+           9  ours        0     0         1        1        0     0      3       0       1           0       0       0      0
      a+,ax        8  zero        0     0         1        1        0     0      2       1       0           0       1       0      0
      a+,a-       10  none        0     0         0        0        1     0      2       0       2           0       0       0      0
      a+,ax        9  none        0     0         0        0        1     0      2       0       2           0       0       0      0
      a+,a+       14  none        0     4         1        1        0     0      2       0       0           0       0       0      0
      a+,b+       10  none        0     0         2        1        0     0      3       0       0           1       0       0      0
      a+,ax       14  none        0     0         2        2        0     0      2       0       0           0       0       0      0
      a+,a+       11  ours        5     0         0        0        1     5      2       0       0           0       0       0      0
      a+,a-,a+    11  none        0     0         0        0        2     0      2       0       0           0       0       0      0
      a+,ax       11  none        0     0         1        1        0     0      2       0       2           0       0       0      0
      a+,a+       11  none        0     0         1        1        0     0      2       1       0           0       1       0      0
      a+,a+       14  none        0     0         1        2        0     0      2       0       0           0       0       0      0
      a+,ax        9  none        0     0         0        0        2     0      2       0       1           0       0       0      0
      a+,a-       11  none        0     0         1        1        0     0      2       0       1           1       0       0      0
      a+,ax,a+    14  none        0     0         1        1        0     0      2       0       0           0       0       0      0
      ax,a+       10  ours        3     3         1        1        0     0      2       0       0           0       0       0      0
      a+,a+       13  ours        5     0         1        1        0     0      2       0       0           0       0       0      0
      a+,ax       10  ours        3     1         1        1        0     0      2       0       1           0       0       0      0
      a+,b-,a+    14  none        0     0         1        1        0     0      2       0       0           0       0       0      0
      a+,ax       11  none        0     0         0        0        2     0      2       0       0           0       0       0      0
      ax,a+       13  ours        5     0         1        1        0     0      2       0       0           0       0       0      0
      a+,ax       11  none        0     0         0        0        2     0      2       1       0           0       0       0      0
      a+,ax       10  ours        5     0         0        0        2     0      2       0       1           0       0       0      0
      a+,ax        9  none        0     0         1        1        0     0      2       0       1           0       0       1      0
      ax          10  shared      0     0         1        1        0     0      2       0       2           0       0       1      0
      a+,ax        8  zero        0     0         1        1        0     0      2       1       0           0       1       1      0
      a+,ax        9  marked      0     0         1        1        0     0      2       0       0           0       0       1      0
      ax,a+        8  ours        2     0         1        1        0     0      2       0       1           0       0       1      0
      a+,ax        9  none        0     0         0        0        1     0      2       0       1           0       0       1      0
      a+,a+       11  none        0     0         1        0        1     0      2       0       0           0       0       0      0
      a+,ax       12  none        0     0         1        0        1     0      2       0       0           0       0       0      0
      a+,a+        9  ours        4     0         1        1        1     0      2       0       0           0       0       0      0
      a+,ax       10  none        0     0         1        0        1     0      2       0       1           0       0       0      0
      a+,a+       14  ours        0     0         1        1        0     0      2       0       0           0       0       0      1
      a+,ax       14  ours        0     0         1        1        0     0      2       0       0           0       0       0      1
      a+,a+       12  ours        0     0         2        1        0     0      2       0       0           0       0       0      1
      a+,b+        9  ours        5     0         1        2        0     0      2       0       0           0       0       0      1
      a+          11  ours        0     2         1        1        0     0      2       0       0           0       0       0      1
      a+,a+        9  ours        0     0         1        1        0     0      2       1       1           0       0       0      1
      a+,a+       11  ours        0     0         1        1        0     0      2       0       1           1       0       1      1
      a+,a+       11  none        0     0         1        1        0     0      2       0       0           0       1       0      1
      a+,a+       11  ours        0     0         0        0        1     0      2       0       1           0       0       0      1
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
    Iterator<Integer> numbers = Stream.of(row).skip(3).map(Integer::valueOf).toList().iterator();
    return new Bounds(
        List.of(row[0].split(",")),
        Integer.parseInt(row[1]) + more,
        Start.valueOf(row[2].toUpperCase(Locale.ROOT)),
        /* live= */ numbers.next(),
        /* late= */ numbers.next(),
        /* handlers= */ numbers.next(),
        /* rollers= */ numbers.next(),
        /* pollers= */ numbers.next(),
        /* hold= */ numbers.next(),
        /* burst= */ numbers.next(),
        /* sweeps= */ numbers.next(),
        /* faults= */ numbers.next(),
        /* duplicates= */ numbers.next(),
        /* losses= */ numbers.next(),
        /* fields= */ numbers.next(),
        /* large= */ numbers.next());
  }

  /**
   * The timing of this world. Its slack is longer than a commit may stay invisible; where counters
   * are large, their lease is longer than the entry's.
   */
  Timing timing() {
    int slack = late == 0 ? 0 : late + 1;
    return new Timing(
            SmallWorld.units(3),
            SmallWorld.units(large == 1 ? 1 : 2 * burst),
            SmallWorld.units(slack),
            burst,
            SmallWorld.units(hold),
            /* precision= */ 1.5)
        .withMost(large == 1 ? 0 : Long.MAX_VALUE);
  }
}
