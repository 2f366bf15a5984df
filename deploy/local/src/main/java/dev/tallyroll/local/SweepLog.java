package dev.tallyroll.local;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Collects what the sweeps of a function log, over all its processes. Thread-safe. */
final class SweepLog implements Consumer<LogLine> {
  private static final String ENDED = "sweep";
  private static final String DRIFT = "drift corrected";

  private final List<Drift> drift = new ArrayList<>();
  private long parts;
  private long checked;

  @Override
  public synchronized void accept(LogLine line) {
    if (line.message().equals(ENDED)) {
      parts++;
      checked += line.number("checked");
    } else if (line.message().startsWith(DRIFT)) {
      drift.add(new Drift(line.text("counter"), line.text("was"), line.text("is")));
    }
  }

  synchronized Sweeps soFar() {
    return new Sweeps(parts, checked, drift);
  }
}
