package dev.tallyroll.protocol;

import java.time.Instant;
import java.util.Optional;

/**
 * A write of a shard, as its event tells.
 *
 * @param shard its id
 * @param committed when, by Firestore's clock; empty for a delete
 * @param delete only of a delete
 */
public record ShardWrite(
    CounterId counter, String shard, Optional<Instant> committed, Optional<Delete> delete) {
  /**
   * The event of a delete, which is no proof of when it was committed.
   *
   * @param event its id
   * @param at its time
   */
  public record Delete(String event, Instant at) {}
}
