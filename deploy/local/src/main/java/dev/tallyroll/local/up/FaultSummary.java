package dev.tallyroll.local.up;

import dev.tallyroll.local.FunctionServer.Drift;
import dev.tallyroll.local.Occurrence;
import java.time.Duration;
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
    Duration lasted, Map<Occurrence, Long> happened, long lostMessages, List<Drift> drift) {
  /** In a shorter time, a kind may be missing by chance. */
  private static final Duration LONG_ENOUGH_FOR_EACH = Duration.ofSeconds(60);

  /** Whether each kind of fault has happened, so that right totals prove something. */
  boolean isTelling() {
    return lasted.compareTo(LONG_ENOUGH_FOR_EACH) < 0
        || Occurrence.neverHappened(happened).isEmpty();
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
        faults for %d s
        %skinds that never happened        %s
        deliveries tried again           %d (of %d events)
        messages that RollUp lost        %d
        drift corrected by the sweep     %d
        """
        .formatted(
            lasted.toSeconds(),
            faults,
            missing.isEmpty() ? "none" : missing,
            count(Occurrence.RETRIED),
            count(Occurrence.EVENT),
            lostMessages,
            drift.size());
  }
}
