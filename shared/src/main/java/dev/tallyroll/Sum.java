package dev.tallyroll;

import java.time.Instant;

/**
 * One consistent sum of a counter's shards.
 *
 * @param total the sum of the count field over all shards that have a number in it
 * @param shards how many shards have the field
 * @param readTime Firestore's time of the snapshot that was summed
 */
public record Sum(Total total, long shards, Instant readTime) {

  public boolean differsFrom(Rollup rollup) {
    return !total.equals(rollup.total()) || shards != rollup.shards();
  }
}
