package dev.tallyroll.internal;

import com.google.common.util.concurrent.MoreExecutors;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterReader;
import dev.tallyroll.Counters;
import dev.tallyroll.internal.ids.Names;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Refuses bad arguments, by name and with what was found. Stateless. */
public final class Arguments {
  private Arguments() {}

  public static <T> T present(String what, @Nullable T value) {
    return Objects.requireNonNull(value, () -> what + ": expected a value; found null");
  }

  public static Number delta(Number delta) {
    // Comparisons with NaN are false; a NaN would stay in the shard for ever.
    boolean valid = Math.abs(delta.doubleValue()) <= Counter.MOST_DELTA;
    return check(valid, "delta", "a finite number from -2^40 to 2^40", delta);
  }

  public static int shards(int shards) {
    return range("shards", shards, Counter.MOST_SHARDS);
  }

  public static int most(int most) {
    return range("most", most, Counters.MOST_TOTALS);
  }

  private static int range(String what, int value, int most) {
    return check(value >= 1 && value <= most, what, "a number from 1 to " + most, value);
  }

  public static List<String> ids(Collection<String> ids) {
    boolean valid = present("ids", ids).size() <= Counters.MOST_TOTALS;
    check(valid, "ids", "at most " + Counters.MOST_TOTALS, ids.size());
    return ids.stream().toList();
  }

  /** The beginning of an id, or an id after which to go on; either may be empty. */
  public static String start(String what, String id) {
    return present(what, id).isEmpty() ? id : Names.requireDocumentId(what, id);
  }

  public static Duration unwritten(Duration unwritten) {
    boolean valid = !present("unwritten", unwritten).isNegative();
    return check(valid, "unwritten", "a duration of zero or more", unwritten);
  }

  public static Duration atMost(Duration atMost) {
    return between("atMost", Duration.ZERO, CounterReader.LONGEST_WAIT, atMost);
  }

  public static <T extends Comparable<T>> T between(String what, T least, T most, T value) {
    boolean valid = present(what, value).compareTo(least) >= 0 && value.compareTo(most) <= 0;
    return check(valid, what, least + " to " + most, value);
  }

  /** An executor that runs tasks one at a time, in their order, on this one. */
  public static Executor inOrder(Executor executor) {
    return MoreExecutors.newSequentialExecutor(present("executor", executor));
  }

  private static <T> T check(boolean valid, String what, String expected, T found) {
    if (!valid) {
      throw new IllegalArgumentException(what + ": expected " + expected + "; found " + found);
    }
    return found;
  }
}
