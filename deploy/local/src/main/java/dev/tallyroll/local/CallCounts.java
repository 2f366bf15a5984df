package dev.tallyroll.local;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a {@link FaultyFirestore} has seen and done since its start. Immutable.
 *
 * @param calls that came in
 * @param commits that came in, whatever came of them
 * @param faults how often each fault took effect
 */
public record CallCounts(long calls, long commits, Map<CallFault, Long> faults) {
  public CallCounts {
    faults = Map.copyOf(faults);
  }

  /** How often that fault took effect. */
  public long of(CallFault fault) {
    return faults.getOrDefault(fault, 0L);
  }

  /** Counts up. Thread-safe. */
  static final class Counter {
    final LongAdder calls = new LongAdder();
    final LongAdder commits = new LongAdder();
    private final Map<CallFault, LongAdder> faults = new EnumMap<>(CallFault.class);

    Counter() {
      for (var fault : CallFault.values()) {
        faults.put(fault, new LongAdder());
      }
    }

    void fired(CallFault fault) {
      faults.computeIfAbsent(fault, unused -> new LongAdder()).increment();
    }

    CallCounts snapshot() {
      var fired = new EnumMap<CallFault, Long>(CallFault.class);
      faults.forEach((fault, count) -> fired.put(fault, count.sum()));
      return new CallCounts(calls.sum(), commits.sum(), fired);
    }
  }
}
