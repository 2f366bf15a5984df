package dev.tallyroll.local;

/**
 * Firestore operations that the functions did. Immutable.
 *
 * @param reads documents read, and queries that found none
 * @param sums aggregation queries
 * @param writes documents written
 * @param deletes documents deleted
 */
public record Operations(long reads, long sums, long writes, long deletes) {
  public static final Operations NONE = new Operations(0, 0, 0, 0);

  public Operations plus(Operations other) {
    return new Operations(
        Math.addExact(reads, other.reads),
        Math.addExact(sums, other.sums),
        Math.addExact(writes, other.writes),
        Math.addExact(deletes, other.deletes));
  }

  public Operations minus(Operations other) {
    return new Operations(
        Math.subtractExact(reads, other.reads),
        Math.subtractExact(sums, other.sums),
        Math.subtractExact(writes, other.writes),
        Math.subtractExact(deletes, other.deletes));
  }
}
