package dev.tallyroll.local.chaos;

import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.DeliveryCounts;
import dev.tallyroll.local.FaultyFirestore;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** How often each kind of fault has happened. Immutable. */
public record FaultCounts(Map<Fault, Long> counts) {
  public FaultCounts {
    counts = Map.copyOf(counts);
  }

  /** A kind of fault, and how a summary names it. */
  public enum Fault {
    EVENT_DOUBLED("events doubled"),
    EVENT_LATE("events late, so out of order"),
    ANSWER_LOST("events sent again, answer lost"),
    HANDLER_KILLED("OnShardWritten killed"),
    ROLLER_KILLED("RollUp killed"),
    OUTAGE("outages of Firestore"),
    CALL_LATE("calls late"),
    CALL_REFUSED("calls refused"),
    REPLY_LOST("calls carried out, reply lost"),
    STREAM_BROKEN("streams broken");

    private final String text;

    Fault(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  static FaultCounts of(DeliveryCounts events, FaultyFirestore calls, Map<Fault, Long> strikes) {
    Map<Fault, Long> counts = new EnumMap<>(Fault.class);
    counts.putAll(strikes);
    counts.put(Fault.EVENT_DOUBLED, events.duplicated());
    counts.put(Fault.EVENT_LATE, events.delayed());
    counts.put(Fault.ANSWER_LOST, events.lostAnswers());
    counts.put(Fault.CALL_LATE, calls.count(CallFaults.Kind.DELAYED));
    counts.put(Fault.CALL_REFUSED, calls.count(CallFaults.Kind.REFUSED));
    counts.put(Fault.REPLY_LOST, calls.count(CallFaults.Kind.REPLY_LOST));
    counts.put(Fault.STREAM_BROKEN, calls.count(CallFaults.Kind.BROKEN));
    return new FaultCounts(counts);
  }

  public long of(Fault fault) {
    return counts.getOrDefault(fault, 0L);
  }

  /** A run in which a kind is missing has proved less than it says. */
  public List<Fault> neverHappened() {
    return Arrays.stream(Fault.values()).filter(fault -> of(fault) == 0).toList();
  }

  /** One line a kind. */
  @Override
  public String toString() {
    return Arrays.stream(Fault.values())
        .map(fault -> String.format("%-32s %d%n", fault, of(fault)))
        .collect(Collectors.joining());
  }
}
