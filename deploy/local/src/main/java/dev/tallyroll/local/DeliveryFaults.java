package dev.tallyroll.local;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Faults in the delivery of events. The platform's promises allow that events come twice, late and
 * in any order, and that the answer to a delivery gets lost. They do not allow that events get
 * lost, as happens when a trigger is deployed anew. Immutable.
 *
 * @param duplicates the share of events that are delivered twice, 0 to 1
 * @param latest the limit of each copy's random wait, by which events overtake each other
 * @param lostAnswers the share of deliveries whose answers get lost; these deliveries are repeated
 * @param lostEvents the share of events that are lost for good
 * @param seed of the random choices
 */
public record DeliveryFaults(
    double duplicates, Duration latest, double lostAnswers, double lostEvents, long seed) {
  public static final DeliveryFaults NONE = new DeliveryFaults(0, Duration.ZERO, 0, 0, 0);

  /** This share of events is delivered twice. */
  public static DeliveryFaults duplicating(double share, long seed) {
    return new DeliveryFaults(share, Duration.ZERO, 0, 0, seed);
  }

  /** Every event waits for a random time of up to this. */
  public static DeliveryFaults reordering(Duration latest, long seed) {
    return new DeliveryFaults(0, latest, 0, 0, seed);
  }

  /** This share of deliveries reaches the function, but is repeated. */
  public static DeliveryFaults losingAnswers(double share, long seed) {
    return new DeliveryFaults(0, Duration.ZERO, share, 0, seed);
  }

  /** No event is delivered. */
  public static DeliveryFaults losingAllEvents() {
    return new DeliveryFaults(0, Duration.ZERO, 0, 1, 0);
  }

  /** The faults of both at once. */
  public DeliveryFaults and(DeliveryFaults other) {
    return new DeliveryFaults(
        Math.max(duplicates, other.duplicates),
        latest.compareTo(other.latest) > 0 ? latest : other.latest,
        Math.max(lostAnswers, other.lostAnswers),
        Math.max(lostEvents, other.lostEvents),
        seed);
  }

  /** Draws the faults of each event. The same seed gives the same faults. Thread-safe. */
  static final class Draw {
    private final DeliveryFaults faults;
    private final Random random;

    Draw(DeliveryFaults faults) {
      this.faults = faults;
      this.random = new Random(faults.seed());
    }

    /** The wait before each copy of the next event; empty if the event is lost. */
    synchronized List<Duration> next() {
      if (random.nextDouble() < faults.lostEvents) {
        return List.of();
      }
      int copies = random.nextDouble() < faults.duplicates ? 2 : 1;
      if (faults.latest.isZero()) {
        return Collections.nCopies(copies, Duration.ZERO);
      }
      return IntStream.range(0, copies).mapToObj(copy -> delay()).toList();
    }

    /** Whether the answer to the next delivery gets lost. */
    synchronized boolean losesAnswer() {
      return random.nextDouble() < faults.lostAnswers;
    }

    private Duration delay() {
      return Duration.ofNanos((long) (random.nextDouble() * faults.latest.toNanos()));
    }
  }
}
