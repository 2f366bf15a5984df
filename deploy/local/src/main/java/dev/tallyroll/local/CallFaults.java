package dev.tallyroll.local;

import java.time.Duration;

/**
 * How often a {@link FaultyFirestore} disturbs calls, as shares from 0 to 1; a call is disturbed in
 * one way at most. Immutable.
 *
 * @param delayed share of calls that arrive late
 * @param latest a delay is shorter than this, most of them far shorter
 * @param refused share of calls that never arrive
 * @param replyLost share of calls that are carried out and yet fail
 * @param broken share of streams that end after their first answer
 * @param brokenListens share of listens that end in the middle
 * @param listensLast a listen that breaks does so within this
 * @param seed of the random choices
 */
public record CallFaults(
    double delayed,
    Duration latest,
    double refused,
    double replyLost,
    double broken,
    double brokenListens,
    Duration listensLast,
    long seed) {
  public static final CallFaults NONE =
      new CallFaults(0, Duration.ZERO, 0, 0, 0, 0, Duration.ZERO, 0);

  public CallFaults {
    double all = delayed + refused + replyLost + broken;
    if (!(delayed >= 0 && refused >= 0 && replyLost >= 0 && broken >= 0 && all <= 1)) {
      throw new IllegalArgumentException(
          "expected shares of at least 0 that add up to at most 1, found %s, %s, %s and %s"
              .formatted(delayed, refused, replyLost, broken));
    }
    if (!(brokenListens >= 0 && brokenListens <= 1)) {
      throw new IllegalArgumentException(
          "expected a share of broken listens from 0 to 1, found " + brokenListens);
    }
    if (latest.isNegative() || listensLast.isNegative()) {
      throw new IllegalArgumentException(
          "expected durations of at least 0, found " + latest + " and " + listensLast);
    }
  }

  /** Some of everything; delays go beyond the time that the functions wait for an answer. */
  public static CallFaults everyKind(long seed) {
    return new CallFaults(
        0.06, Duration.ofSeconds(20), 0.05, 0.05, 0.03, 0.7, Duration.ofSeconds(8), seed);
  }

  /** The same shares, drawn differently. */
  public CallFaults withSeed(long other) {
    return new CallFaults(
        delayed, latest, refused, replyLost, broken, brokenListens, listensLast, other);
  }

  /** Every call is refused, as in an outage. */
  public static CallFaults outage(long seed) {
    return new CallFaults(0, Duration.ZERO, 1, 0, 0, 1, Duration.ZERO, seed);
  }

  /** This share of calls is carried out and yet fails. */
  public static CallFaults losingReplies(double share, long seed) {
    return new CallFaults(0, Duration.ZERO, 0, share, 0, 0, Duration.ZERO, seed);
  }
}
