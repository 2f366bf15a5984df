package dev.tallyroll;

import java.time.Instant;

/**
 * A counter's roll-up document, as readers see it.
 *
 * @param total exact for what was committed by {@code asOf}; not {@linkplain Total#isUsable usable}
 *     if somebody else than the functions changed it
 * @param asOf Firestore's time of the sum; {@link Instant#EPOCH} if the document has none
 * @param isLive whether the counter is busy: its total is then renewed about once a second
 */
public record RolledUpTotal(Total total, Instant asOf, boolean isLive) {
  /** Where there is no roll-up: 0, as of {@link Instant#EPOCH}. */
  public static final RolledUpTotal NONE =
      new RolledUpTotal(new Total.Whole(0), Instant.EPOCH, false);

  /** As {@link Total#longValue}. */
  public long longValue() {
    return total.longValue();
  }

  /** As {@link Total#doubleValue}. */
  public double doubleValue() {
    return total.doubleValue();
  }

  /** Such as {@code 42 as of 2026-05-01T12:00:00Z, live}. */
  @Override
  public String toString() {
    return total + " as of " + asOf + (isLive ? ", live" : "");
  }
}
