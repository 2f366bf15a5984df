package dev.tallyroll.local.up;

import dev.tallyroll.local.LocalCloudException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All counters in the database, or all folded fields, and whether each total is right. The terminal
 * and all open pages share one look a second. Thread-safe.
 */
abstract class Totals {
  /** A crash of RollUp is over within a minute: a total that differs for longer is wrong. */
  static final Duration SOON = Duration.ofSeconds(75);

  /** The age up to which a look is shared: each open page asks once a second. */
  private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  /** On a busy machine, the emulator now and then answers UNKNOWN. */
  private static final int MOST_FAILURES = 10;

  private static final long AGAIN_MILLIS = 100;

  private List<State> looked = List.of();
  private long lookedNanos;
  private boolean changed = true;
  private int failures;

  /** Whether a total is right, wrong, or not yet rolled up. */
  enum Verdict {
    YES,
    NOT_YET,
    NO
  }

  /**
   * A counter at the last look.
   *
   * @param total the total in its roll-up; null without a roll-up
   * @param exact the sum of its shards; null without shards
   * @param rate the rise of this sum in a second
   * @param pace the same, smoothed over half a minute
   * @param lag seconds since its total was last right; 0 if it is right now
   * @param live whether its roll-up holds a lease
   * @param polled whether no event tells of it
   * @param held whether HOLD lets its total be as it is
   */
  record State(
      String counter,
      @Nullable Number total,
      @Nullable Number exact,
      double rate,
      double pace,
      double lag,
      boolean live,
      boolean polled,
      boolean held,
      Verdict right) {}

  /**
   * Asks Firestore.
   *
   * @param all whether no sum may be from an earlier look
   */
  abstract List<State> ask(boolean all) throws ExecutionException, InterruptedException;

  /**
   * The advice for somebody who misses a counter; empty if there is no reason.
   *
   * @param nothingFound the advice where there is no counter at all
   */
  abstract String advice(String nothingFound);

  /**
   * The counters now, or at a look less than a second ago. If there are many, some sums are from an
   * earlier look; if a look fails, all are.
   *
   * @throws LocalCloudException if {@value #MOST_FAILURES} looks one after another have failed
   */
  final synchronized List<State> look() throws InterruptedException {
    if (changed || System.nanoTime() - lookedNanos > FRESH_NANOS) {
      attempt(/* all= */ false);
      lookedNanos = System.nanoTime();
      changed = false;
    }
    return looked;
  }

  /**
   * Compares all counters now, and returns them.
   *
   * @throws LocalCloudException as {@link #look} does
   */
  final synchronized List<State> lookAtAll() throws InterruptedException {
    while (!attempt(/* all= */ true)) {
      Thread.sleep(AGAIN_MILLIS);
    }
    return looked;
  }

  /** Makes the next look ask again, because something was changed. */
  final synchronized void changed() {
    changed = true;
  }

  /** Returns whether the look has succeeded. */
  private boolean attempt(boolean all) throws InterruptedException {
    try {
      looked = ask(all);
      failures = 0;
      return true;
    } catch (ExecutionException e) {
      if (++failures == MOST_FAILURES) {
        throw new LocalCloudException(
            "expected Firestore to list the counters, found " + e.getCause(), e);
      }
      return false;
    }
  }
}
