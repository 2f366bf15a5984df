package dev.tallyroll.local;

import static dev.tallyroll.local.Occurrence.CALL_LATE;
import static dev.tallyroll.local.Occurrence.CALL_REFUSED;
import static dev.tallyroll.local.Occurrence.REPLY_LOST;
import static dev.tallyroll.local.Occurrence.STREAM_BROKEN;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import dev.tallyroll.local.Operations.Meter;
import io.grpc.Status;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * How often a {@link FaultyFirestore} disturbs calls; a call is disturbed in one way at most.
 * Immutable.
 *
 * @param shares of calls that are late, refused, carried out and yet fail, and of streams that end
 *     after their first answer; each 0 to 1, and so is their sum
 * @param latest a delay is shorter than this, most of them far shorter
 * @param seed of the random choices
 */
public record CallFaults(
    Map<Occurrence, Double> shares, Duration latest, Listens listens, long seed) {
  public static final CallFaults NONE =
      new CallFaults(Map.of(), Duration.ZERO, Listens.UNDISTURBED, 0);

  /**
   * The faults of calls that listen.
   *
   * @param broken share of those that end in the middle, 0 to 1
   * @param last one that breaks does so within this
   */
  public record Listens(double broken, Duration last) {
    public static final Listens UNDISTURBED = new Listens(0, Duration.ZERO);

    public Listens {
      if (!(broken >= 0 && broken <= 1) || last.isNegative()) {
        throw new IllegalArgumentException(
            "expected a share of listens from 0 to 1 and at least 0 s, found " + this);
      }
    }
  }

  public CallFaults {
    // In the order in which they are drawn.
    shares = ImmutableSortedMap.copyOf(shares);
    double all = shares.values().stream().mapToDouble(Double::doubleValue).sum();
    if (!(all <= 1) || shares.values().stream().anyMatch(share -> share < 0)) {
      throw new IllegalArgumentException(
          "expected shares of at least 0 that add up to at most 1, found " + shares);
    }
    if (latest.isNegative()) {
      throw new IllegalArgumentException("expected a delay of at least 0, found " + latest);
    }
  }

  /** Some of everything; delays go beyond the time that the functions wait for an answer. */
  public static CallFaults everyKind(long seed) {
    return new CallFaults(
        Map.of(CALL_LATE, 0.06, CALL_REFUSED, 0.05, REPLY_LOST, 0.05, STREAM_BROKEN, 0.03),
        Duration.ofSeconds(20),
        new Listens(0.7, Duration.ofSeconds(8)),
        seed);
  }

  /** Every call is refused, as in an outage. */
  public static CallFaults outage(long seed) {
    return new CallFaults(
        Map.of(CALL_REFUSED, 1.0), Duration.ZERO, new Listens(1, Duration.ZERO), seed);
  }

  /** This share of calls is carried out and yet fails. */
  public static CallFaults losingReplies(double share, long seed) {
    return new CallFaults(Map.of(REPLY_LOST, share), Duration.ZERO, Listens.UNDISTURBED, seed);
  }

  /** The same shares, drawn differently. */
  public CallFaults withSeed(long other) {
    return new CallFaults(shares, latest, listens, other);
  }

  /**
   * The faults that one call will meet. Immutable.
   *
   * @param fault empty for a call that is left alone
   * @param after how long a delay lasts, or until a listen breaks
   * @param code that the caller gets instead of what Firestore says
   */
  record Fate(Optional<Occurrence> fault, Duration after, Code code) {
    static final Fate UNDISTURBED = new Fate(Optional.empty(), Duration.ZERO, Code.UNAVAILABLE);

    boolean is(Occurrence kind) {
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

    /** Without ABORTED, by which Firestore says for sure that nothing was written. */
    private static final List<Code> UNKNOWN_OUTCOMES =
        List.of(Code.UNAVAILABLE, Code.RESOURCE_EXHAUSTED, Code.DEADLINE_EXCEEDED, Code.INTERNAL);

    private static final List<Code> REFUSALS =
        ImmutableList.<Code>builder().addAll(UNKNOWN_OUTCOMES).add(Code.ABORTED).build();

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
        return draw < faults.listens.broken
            ? fate(STREAM_BROKEN, part(faults.listens.last, 1))
            : Fate.UNDISTURBED;
      }
      for (var share : faults.shares.entrySet()) {
        if (draw < share.getValue()) {
          return share.getKey() == STREAM_BROKEN && !STREAMS.contains(method)
              ? Fate.UNDISTURBED
              : fate(share.getKey(), delay(share.getKey()));
        }
        draw -= share.getValue();
      }
      return Fate.UNDISTURBED;
    }

    private Duration delay(Occurrence fault) {
      return fault == CALL_LATE ? part(faults.latest, STEEPNESS) : Duration.ZERO;
    }

    private Fate fate(Occurrence fault, Duration after) {
      var codes = fault == CALL_REFUSED ? REFUSALS : UNKNOWN_OUTCOMES;
      return new Fate(Optional.of(fault), after, codes.get(random.nextInt(codes.size())));
    }

    private Duration part(Duration whole, int steepness) {
      double share = Math.pow(random.nextDouble(), steepness);
      return Duration.ofNanos((long) (whole.toNanos() * share));
    }
  }
}
