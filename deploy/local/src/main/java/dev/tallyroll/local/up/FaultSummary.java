package dev.tallyroll.local.up;

import dev.tallyroll.local.FunctionServer.Drift;
import dev.tallyroll.local.Occurrence;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The faults of a run, counted.
 *
 * @param lasted how long faults were injected
 */
record FaultSummary(
    long seed,
    Duration lasted,
    Map<Occurrence, Long> happened,
    long lostMessages,
    List<Drift> drift) {
  /** Shorter, and it may be chance that a kind has not happened. */
  private static final Duration LONG_ENOUGH_FOR_EACH = Duration.ofSeconds(60);

  /** Whether a right total means something: what has not happened has not been survived. */
  boolean isTelling() {
    return lasted.compareTo(LONG_ENOUGH_FOR_EACH) < 0
        || Occurrence.neverHappened(happened).isEmpty();
  }

  /** All of it, by name. */
  Map<String, Long> counts() {
    Map<String, Long> counts = new LinkedHashMap<>();
    Occurrence.FAULTS.forEach(fault -> counts.put(fault.toString(), count(fault)));
    counts.put(Occurrence.RETRIED.toString(), count(Occurrence.RETRIED));
    counts.put("messages that RollUp lost", lostMessages);
    counts.put("drift corrected by the sweep", (long) drift.size());
    return counts;
  }

  private long count(Occurrence what) {
    return Objects.requireNonNullElse(happened.get(what), 0L);
  }

  @Override
  public String toString() {
    var missing = Occurrence.neverHappened(happened);
    var faults =
        Occurrence.FAULTS.stream()
            .map(fault -> "%-32s %d%n".formatted(fault, count(fault)))
            .collect(Collectors.joining());
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
            missing.isEmpty() ? "none" : missing,
            count(Occurrence.RETRIED),
            count(Occurrence.EVENT),
            lostMessages,
            drift.size());
  }
}
