package dev.tallyroll.internal;

import com.google.common.util.concurrent.MoreExecutors;
import dev.tallyroll.Counter;
import dev.tallyroll.Counters;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Refuses bad arguments, by name and with what was found. Stateless. */
public final class Arguments {
  /**
   * Firestore's {@code increment} saturates without a word at the ends of the long range; a shard
   * takes eight million of these before it does.
   */
  public static final long MOST_DELTA = 1L << 40;

  private static final Duration LONGEST_WAIT = Duration.ofHours(1);

  private Arguments() {}

  public static <T> T present(String what, @Nullable T value) {
    return Objects.requireNonNull(value, () -> what + ": expected a value; found null");
  }

  public static Number delta(Number delta) {
    // A NaN, which would never leave the shard again, compares as false.
    boolean valid = Math.abs(delta.doubleValue()) <= MOST_DELTA;
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

  public static Set<String> ids(Collection<String> ids) {
    Set<String> distinct = new LinkedHashSet<>(present("ids", ids));
    boolean valid = distinct.size() <= Counters.MOST_TOTALS;
    check(valid, "ids", "at most " + Counters.MOST_TOTALS, distinct.size());
    return distinct;
  }

  public static Duration unwritten(Duration unwritten) {
    boolean valid = !present("unwritten", unwritten).isNegative();
    return check(valid, "unwritten", "a duration of zero or more", unwritten);
  }

  public static Duration atMost(Duration atMost) {
    boolean valid = !present("atMost", atMost).isNegative() && atMost.compareTo(LONGEST_WAIT) <= 0;
    return check(valid, "atMost", "a duration of zero to " + LONGEST_WAIT, atMost);
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
