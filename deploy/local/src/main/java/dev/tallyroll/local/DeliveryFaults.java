package dev.tallyroll.local;

import java.time.Duration;

/**
 * What the delivery of events may do to them within the platform's promises: events may come twice,
 * late, and in any order. Nothing is ever lost. Immutable.
 *
 * @param duplicates the share of events that are delivered twice, 0 to 1
 * @param latest each copy waits a random time of up to this, so that events overtake each other
 * @param seed of the random choices
 */
public record DeliveryFaults(double duplicates, Duration latest, long seed) {
  public static final DeliveryFaults NONE = new DeliveryFaults(0, Duration.ZERO, 0);

  public DeliveryFaults {
    if (!(duplicates >= 0 && duplicates <= 1)) {
      throw new IllegalArgumentException(
          "expected a share of duplicates from 0 to 1, found " + duplicates);
    }
    if (latest.isNegative()) {
      throw new IllegalArgumentException("expected a delay of at least 0, found " + latest);
    }
  }

  /** This share of events is delivered twice. */
  public static DeliveryFaults duplicating(double share, long seed) {
    return new DeliveryFaults(share, Duration.ZERO, seed);
  }

  /** Every event is late by a random time of up to this. */
  public static DeliveryFaults reordering(Duration latest, long seed) {
    return new DeliveryFaults(0, latest, seed);
  }

  /** Both kinds at once. */
  public DeliveryFaults and(DeliveryFaults other) {
    return new DeliveryFaults(
        Math.max(duplicates, other.duplicates),
        latest.compareTo(other.latest) > 0 ? latest : other.latest,
        seed);
  }
}
