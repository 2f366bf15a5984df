package dev.tallyroll;

import java.time.Duration;
import java.time.Instant;

/**
 * A promise in Firestore's time: a sum will be read later than {@code until}, and a bit of slack.
 *
 * @param until how far the promise reaches
 * @param lane the part of the live list that the counter is in; {@link #NO_LANE} if it is damaged
 */
public record Lease(Instant until, int lane) {
  /** Stands for a lane that is missing or is not a number. */
  public static final int NO_LANE = -1;

  /** No setting makes a lease longer than this from the read of the sum that it is written with. */
  public static final Duration LONGEST = Duration.ofMinutes(10);
}
