package dev.tallyroll.local.console;

import dev.tallyroll.local.Operations;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the console's page may see and do besides what any client can. Calls return within seconds,
 * and may come from many threads. What is refused is an {@code IllegalArgumentException} whose
 * message the page shows.
 */
public interface Controls {

  /** What can be done to events on their way from Firestore to the function. */
  enum EventFault {
    LATE,
    DOUBLED,
    LOST
  }

  /** Host and port of Firestore, which the page talks to as any client does. */
  String emulator();

  /** What the page shows; it is asked for about once a second by each open page. */
  State state();

  /**
   * How many increments a second to make, over all counters.
   *
   * @param perSecond 0 for none
   */
  void setTraffic(double perSecond);

  /** Has that fault happen to some of the events from now on, or to none. */
  void setFault(EventFault fault, boolean happens);

  /** Ends the roller's process, as a crash would; it is started again some seconds later. */
  void killRoller();

  /** Asks for a sweep, which puts right what lost events have left wrong. */
  void sweep();

  /**
   * Puts a value that cannot be summed among the counter's shards, or takes it away. No increment
   * is lost by that.
   */
  void poisonShard(String counter, boolean poisoned);

  /** Makes a counter at zero, as a server would: the rules let no client do so. */
  void createCounter(String id, int shards);

  /**
   * Everything at one moment.
   *
   * @param project what the emulators play
   * @param emulator {@link #emulator}
   * @param names of collections and fields, for the Web SDK
   * @param counters those that are shown, by id
   * @param moreCounters whether there are others
   * @param highest the ten highest totals, the highest first
   * @param operations what the functions have done so far
   * @param traffic increments a second
   * @param faults those that happen now
   * @param rollerRuns whether the roller's process lives
   */
  record State(
      String project,
      String emulator,
      Names names,
      List<Shown> counters,
      boolean moreCounters,
      List<Place> highest,
      Operations operations,
      double traffic,
      Set<EventFault> faults,
      boolean rollerRuns) {}

  /** As the functions' settings have them. */
  record Names(String counters, String shards, String rollups, String count) {}

  /**
   * One counter as its shards have it.
   *
   * @param counts of the shards, null for one that is no number
   * @param exact the sum of those that are
   * @param shards how many of them clients count on: 0 to {@code shards - 1}
   * @param poisoned whether {@link #poisonShard} has been there
   * @param readMillis when Firestore read them, since 1970
   */
  record Shown(
      String id,
      List<@Nullable Long> counts,
      long exact,
      int shards,
      boolean poisoned,
      long readMillis) {}

  /** A total as its roll-up has it. */
  record Place(String id, Number count) {}
}
