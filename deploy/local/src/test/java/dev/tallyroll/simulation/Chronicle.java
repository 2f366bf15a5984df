package dev.tallyroll.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One side's times, told by what they are the times of, so that two sides can be compared: versions
 * by their number in their document, sums by their number, leases by their distance from a common
 * start. Also checks what Firestore promises about their order.
 */
final class Chronicle {
  private final Map<String, List<Instant>> versions = new HashMap<>();
  private final Map<String, Instant> commits = new HashMap<>();
  private final List<Instant> sums = new ArrayList<>();
  private Instant start = Instant.EPOCH;
  private Instant lastCommit = Instant.EPOCH;

  void startAt(Instant time) {
    start = time;
  }

  Instant time(Duration afterStart) {
    return start.plus(afterStart);
  }

  String distance(Instant time) {
    return Duration.between(start, time).toString();
  }

  /** A version that was known before keeps its number; a new one must be the latest. */
  String version(String document, Instant time) {
    List<Instant> known = versions(document);
    if (!known.contains(time)) {
      commit(document, time);
      known.add(time);
    }
    return "v" + known.indexOf(time);
  }

  /**
   * The time of a delete is no version, although the emulator would take it for that of the absent
   * document: nobody can read it.
   */
  String deleted(String document, Instant time) {
    commit(document, time);
    return "deleted";
  }

  private void commit(String document, Instant time) {
    Instant before = commits.getOrDefault(document, Instant.MIN);
    if (!time.isAfter(before)) {
      throw new AssertionError(
          "%s: expected an update time after %s; found %s".formatted(document, before, time));
    }
    commits.put(document, time);
    lastCommit = time.isAfter(lastCommit) ? time : lastCommit;
  }

  List<Instant> versions(String document) {
    return versions.computeIfAbsent(document, unused -> new ArrayList<>());
  }

  /** A read sees all that was acknowledged before it began, so its time cannot be earlier. */
  void read(Instant time) {
    if (time.isBefore(lastCommit)) {
      throw new AssertionError("expected a read time from " + lastCommit + " on; found " + time);
    }
  }

  void summed(Instant time) {
    read(time);
    sums.add(time);
  }

  String sum(Instant time) {
    int at = sums.indexOf(time);
    return at < 0 ? "unknown " + time : "s" + at;
  }
}
