package dev.tallyroll.local;

import com.google.common.collect.Sets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A kind of fault that a test causes, with its name in the summary. */
public enum Occurrence {
  EVENT("events"),
  DELIVERED("deliveries acknowledged"),
  RETRIED("deliveries tried again"),
  GIVEN_UP("deliveries given up"),
  EVENT_LOST("events lost for good"),
  COMMIT("commits"),
  COMMIT_REFUSED("commits refused by Firestore"),
  EVENT_DOUBLED("events doubled"),
  EVENT_LATE("events late, so out of order"),
  ANSWER_LOST("events sent again, answer lost"),
  HANDLER_KILLED("OnShardWritten killed"),
  ROLLUP_KILLED("RollUp killed"),
  OUTAGE("outages of Firestore"),
  CALL_LATE("calls late"),
  CALL_REFUSED("calls refused"),
  REPLY_LOST("calls carried out, reply lost"),
  STREAM_BROKEN("streams broken");

  /** The faults that keep the platform's promises. */
  public static final Set<Occurrence> FAULTS =
      Sets.immutableEnumSet(EnumSet.range(EVENT_DOUBLED, STREAM_BROKEN));

  private final String text;

  Occurrence(String text) {
    this.text = text;
  }

  /** The faults that have not happened. A trial without them proves nothing about them. */
  public static List<Occurrence> neverHappened(Map<Occurrence, Long> counts) {
    return FAULTS.stream().filter(fault -> counts.getOrDefault(fault, 0L) == 0).toList();
  }

  @Override
  public String toString() {
    return text;
  }
}
