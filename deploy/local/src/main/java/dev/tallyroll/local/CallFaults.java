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
 * How often a {@link FaultyFirestore} disturbs calls. A call meets one fault at most. Immutable.
 *
 * @param shares of calls that are late, of calls that are refused, of calls that take effect and
 *     yet fail, and of streams that end after their first answer; each 0 to 1, and so is their sum
 * @param latest the limit of a delay; most delays are far shorter
 * @param seed of the random choices
 */
public record CallFaults(
    Map<Occurrence, Double> shares, Duration latest, Listens listens, long seed) {
  public static final CallFaults NONE =
      new CallFaults(Map.of(), Duration.ZERO, Listens.UNDISTURBED, 0);

  /**
   * The faults of calls that listen.
   *
   * @param broken the share of listens that break, 0 to 1
   * @param last the time within which such a listen breaks
   */
  public record Listens(double broken, Duration last) {
    public static final Listens UNDISTURBED = new Listens(0, Duration.ZERO);
  }

  public CallFaults {
    // The faults are drawn in this order.
    shares = ImmutableSortedMap.copyOf(shares);
  }

  /** Some of everything; delays go beyond the time that the functions wait for an answer. */
  public static CallFaults everyKind(long seed) {
    return new CallFaults(
        Map.of(CALL_LATE, 0.06, CALL_REFUSED, 0.05, REPLY_LOST, 0.05, STREAM_BROKEN, 0.03),
        Duration.ofSeconds(20),
        new Listens(0.7, Duration.ofSeconds(8)),
        seed);
  }

  /** Refuses every call, as in an outage. */
  public static CallFaults outage(long seed) {
    return new CallFaults(
        Map.of(CALL_REFUSED, 1.0), Duration.ZERO, new Listens(1, Duration.ZERO), seed);
  }

  /** This share of calls takes effect, but their callers get an error. */
  public static CallFaults losingReplies(double share, long seed) {
    return new CallFaults(Map.of(REPLY_LOST, share), Duration.ZERO, Listens.UNDISTURBED, seed);
  }

  /** The same shares with another seed. */
  public CallFaults withSeed(long other) {
    return new CallFaults(shares, latest, listens, other);
  }

  /**
   * The fate of one call. Immutable.
   *
   * @param fault empty for a call that is left alone
   * @param after the length of a delay, or the time until a listen breaks
   * @param code that the caller gets in place of Firestore's answer
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

  /** Draws a fate for each call. The same seed and calls give the same fates. Thread-safe. */
  static final class Draw {
    private static final Set<String> STREAMS = Set.of(Meter.BATCH_GET, Meter.QUERY, Meter.SUM);

    /** Without ABORTED: after that code, a caller knows for sure that nothing was written. */
    private static final List<Code> UNKNOWN_OUTCOMES =
        List.of(Code.UNAVAILABLE, Code.RESOURCE_EXHAUSTED, Code.DEADLINE_EXCEEDED, Code.INTERNAL);

    private static final List<Code> REFUSALS =
        ImmutableList.<Code>builder().addAll(UNKNOWN_OUTCOMES).add(Code.ABORTED).build();

    /**
     * Half of the delays are shorter than a 256th of the limit; one in twelve is longer than half
     * of it.
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
