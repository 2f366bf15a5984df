package dev.tallyroll.local.up;

import dev.tallyroll.local.DeliveryCounts;
import dev.tallyroll.local.Sweeps.Drift;
import dev.tallyroll.local.chaos.FaultCounts;
import dev.tallyroll.local.chaos.FaultCounts.Fault;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What was done to a run with faults.
 *
 * @param lasted how long faults were injected
 */
record FaultSummary(
    long seed,
    Duration lasted,
    FaultCounts faults,
    DeliveryCounts deliveries,
    long lostMessages,
    List<Drift> drift) {
  /** Shorter, and it may be chance that a kind has not happened. */
  static final Duration LONG_ENOUGH_FOR_EACH = Duration.ofSeconds(60);

  /** Whether a right total means something: what has not happened has not been survived. */
  boolean isTelling() {
    return lasted.compareTo(LONG_ENOUGH_FOR_EACH) < 0 || faults.neverHappened().isEmpty();
  }

  /** All of it, by name. */
  Map<String, Long> counts() {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (Fault fault : Fault.values()) {
      counts.put(fault.toString(), faults.of(fault));
    }
    counts.put("deliveries tried again", deliveries.retries());
    counts.put("messages that RollUp lost", lostMessages);
    counts.put("drift corrected by the sweep", (long) drift.size());
    return counts;
  }

  @Override
  public String toString() {
    String missing = faults.neverHappened().isEmpty() ? "none" : faults.neverHappened().toString();
    return """
        faults, seed %d, %d s
        %skinds that never happened        %s
        deliveries tried again           %d (of %d events)
        messages that RollUp lost        %d
        drift corrected by the sweep     %d
        """
        .formatted(
            seed,
            lasted.toSeconds(),
            faults,
            missing,
            deliveries.retries(),
            deliveries.submitted(),
            lostMessages,
            drift.size());
  }
}
