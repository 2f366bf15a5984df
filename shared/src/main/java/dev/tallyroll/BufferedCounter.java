package dev.tallyroll;

import com.google.api.core.ApiFuture;
import java.time.Instant;

/**
 * A handle of one counter of {@link BufferedCounters}: it holds no state, and costs nothing to
 * make. Safe for use by many threads.
 *
 * <p>Minor releases add methods: so only fakes for tests should implement it.
 */
public interface BufferedCounter {
  /** Where the counter is. */
  CounterPath path();

  /**
   * Returns at once, and adds later: one commit carries all adds of this counter since the commit
   * before. Adds of one commit share a future, which nobody can cancel.
   *
   * <p>Cost: that of one {@link Counter#add}, or {@link Counter#addOnce(long)} if the options say
   * exactly once, for all adds of the commit. Nothing if their sum is 0.
   *
   * @param delta {@link Counter#MOST_DELTA -2^40 to 2^40}
   * @return when it was committed, as of {@link Counter#add}; {@link Instant#EPOCH} if the sum of
   *     the commit was 0, since nothing was written. Fails with {@link CounterException.Refused} if
   *     it was not taken, with {@link CounterException.Unsure} if it may have counted, and
   *     otherwise as {@link Counter#add}, with nothing counted
   */
  ApiFuture<Instant> add(long delta);
}
