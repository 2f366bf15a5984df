package dev.tallyroll.runs;

/**
 * The part of the live list that one worker owns: a range of the entries' ids, which are hashes.
 *
 * @param from the first id of the range, or what all of them begin above
 * @param to what all ids of the range are below
 */
public record WorkerRange(String from, String to) {
  /** How many values the first four hexadecimal digits of an id have. */
  private static final int SLOTS = 1 << 16;

  /** Sorts after every hexadecimal digit. */
  private static final String END = "g";

  /** The part of one of these workers. */
  public static WorkerRange of(int worker, int workers) {
    return new WorkerRange(bound(worker, workers), bound(worker + 1, workers));
  }

  private static String bound(int worker, int workers) {
    int slot = (worker * SLOTS + workers - 1) / workers;
    return worker == workers ? END : Integer.toHexString(SLOTS + slot).substring(1); // 4 digits
  }

  /** The worker whose part holds an id. */
  public static int workerOf(String id, int workers) {
    return Integer.parseInt(id, 0, 4, 16) * workers / SLOTS;
  }

  /** Whether an entry's id is in this range. */
  public boolean holds(String id) {
    return id.compareTo(from) >= 0 && id.compareTo(to) < 0;
  }
}
