package dev.tallyroll.local;

import io.grpc.Status.Code;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Draws what happens to each call; the same seed and calls draw the same. Thread-safe. */
final class CallFaultPlan {
  private static final String SERVICE = "google.firestore.v1.Firestore/";
  private static final String LISTEN = SERVICE + "Listen";
  private static final Set<String> STREAMS =
      Set.of(SERVICE + "BatchGetDocuments", SERVICE + "RunQuery", SERVICE + "RunAggregationQuery");

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
   * Half of the delays are shorter than a 256th of the longest, one in twelve is longer than half.
   */
  private static final int STEEPNESS = 8;

  private final CallFaults faults;
  private final Random random;

  CallFaultPlan(CallFaults faults) {
    this.faults = faults;
    this.random = new Random(faults.seed());
  }

  /**
   * The fate of the next call.
   *
   * @param method its full name
   */
  synchronized CallFate next(String method) {
    double draw = random.nextDouble();
    if (method.equals(LISTEN)) {
      return draw < faults.brokenListens() ? brokenListen() : CallFate.UNDISTURBED;
    }
    if (draw < faults.delayed()) {
      double share = Math.pow(random.nextDouble(), STEEPNESS);
      return fate(CallFault.DELAYED, part(faults.latest(), share), Code.OK);
    }
    draw -= faults.delayed();
    if (draw < faults.refused()) {
      return fate(CallFault.REFUSED, Duration.ZERO, oneOf(REFUSALS));
    }
    draw -= faults.refused();
    if (draw < faults.replyLost()) {
      return fate(CallFault.REPLY_LOST, Duration.ZERO, oneOf(UNKNOWN_OUTCOMES));
    }
    draw -= faults.replyLost();
    return draw < faults.broken() && STREAMS.contains(method)
        ? fate(CallFault.BROKEN, Duration.ZERO, oneOf(UNKNOWN_OUTCOMES))
        : CallFate.UNDISTURBED;
  }

  private CallFate brokenListen() {
    var after = part(faults.listensLast(), random.nextDouble());
    return fate(CallFault.BROKEN, after, oneOf(UNKNOWN_OUTCOMES));
  }

  private static CallFate fate(CallFault fault, Duration after, Code code) {
    return new CallFate(Optional.of(fault), after, code);
  }

  private static Duration part(Duration whole, double share) {
    return Duration.ofNanos((long) (whole.toNanos() * share));
  }

  private Code oneOf(List<Code> codes) {
    return codes.get(random.nextInt(codes.size()));
  }
}
