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
 * The counts of the faults.
 *
 * @param lasted the time during which faults were injected
 */
record FaultSummary(
    long seed,
    Duration lasted,
    Map<Occurrence, Long> happened,
    long lostMessages,
    List<Drift> drift) {
  /** In a shorter time, a kind may be missing by chance. */
  private static final Duration LONG_ENOUGH_FOR_EACH = Duration.ofSeconds(60);

  /** Whether each kind of fault has happened, so that right totals prove something. */
  boolean isTelling() {
    return lasted.compareTo(LONG_ENOUGH_FOR_EACH) < 0
        || Occurrence.neverHappened(happened).isEmpty();
  }

  /** All counts by their names. */
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
