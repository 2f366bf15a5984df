package dev.tallyroll.local.chaos;

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
