package dev.tallyroll.local;

import dev.tallyroll.local.Operations.Meter;
import io.grpc.Status;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

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
  /** What can happen to one call on its way between a client and Firestore. */
  public enum Kind {
    /** Its request arrives late, now and then after the caller has stopped waiting. */
    DELAYED,
    /** It never arrives, and the caller gets an error. */
    REFUSED,
    /** It was carried out, but the caller gets an error. */
    REPLY_LOST,
    /** Its stream of answers ends in an error, half-way. */
    BROKEN
  }

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

  /**
   * What is going to happen to one call. Immutable.
   *
   * @param fault empty for a call that is left alone
   * @param after how long a delay lasts, or until a listen breaks
   * @param code that the caller gets instead of what Firestore says
   */
  record Fate(Optional<Kind> fault, Duration after, Code code) {
    static final Fate UNDISTURBED = new Fate(Optional.empty(), Duration.ZERO, Code.UNAVAILABLE);

    boolean is(Kind kind) {
      return fault.filter(kind::equals).isPresent();
    }

    /** The error that the caller gets; its text tells it apart from Firestore's own. */
    Status error() {
      return code.toStatus().withDescription("injected: " + fault.map(Enum::name).orElse("none"));
    }
  }

  /** Draws what happens to each call; the same seed and calls draw the same. Thread-safe. */
  static final class Draw {
    private static final Set<String> STREAMS = Set.of(Meter.BATCH_GET, Meter.QUERY, Meter.SUM);

    private static final List<Code> REFUSALS =
        List.of(
            Code.UNAVAILABLE,
            Code.ABORTED,
            Code.RESOURCE_EXHAUSTED,
            Code.DEADLINE_EXCEEDED,
            Code.INTERNAL);

    /** Without ABORTED, by which Firestore says for sure that nothing was written. */
    private static final List<Code> UNKNOWN_OUTCOMES =
        List.of(Code.UNAVAILABLE, Code.RESOURCE_EXHAUSTED, Code.DEADLINE_EXCEEDED, Code.INTERNAL);

    /**
     * Half of the delays are shorter than a 256th of the longest, one in twelve is longer than
     * half.
     */
    private static final int STEEPNESS = 8;

    private final CallFaults faults;
    private final Random random;

    Draw(CallFaults faults) {
      this.faults = faults;
      this.random = new Random(faults.seed());
    }

    /**
     * The fate of the next call.
     *
     * @param method its full name
     */
    synchronized Fate next(String method) {
      double draw = random.nextDouble();
      if (method.equals(Meter.LISTEN)) {
        return draw < faults.brokenListens
            ? fate(Kind.BROKEN, part(faults.listensLast, 1), UNKNOWN_OUTCOMES)
            : Fate.UNDISTURBED;
      }
      if (draw < faults.delayed) {
        return fate(Kind.DELAYED, part(faults.latest, STEEPNESS), UNKNOWN_OUTCOMES);
      }
      draw -= faults.delayed;
      if (draw < faults.refused) {
        return fate(Kind.REFUSED, Duration.ZERO, REFUSALS);
      }
      draw -= faults.refused;
      if (draw < faults.replyLost) {
        return fate(Kind.REPLY_LOST, Duration.ZERO, UNKNOWN_OUTCOMES);
      }
      draw -= faults.replyLost;
      return draw < faults.broken && STREAMS.contains(method)
          ? fate(Kind.BROKEN, Duration.ZERO, UNKNOWN_OUTCOMES)
          : Fate.UNDISTURBED;
    }

    private Fate fate(Kind fault, Duration after, List<Code> codes) {
      return new Fate(Optional.of(fault), after, codes.get(random.nextInt(codes.size())));
    }

    private Duration part(Duration whole, int steepness) {
      double share = Math.pow(random.nextDouble(), steepness);
      return Duration.ofNanos((long) (whole.toNanos() * share));
    }
  }
}
