package dev.tallyroll.it;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentSnapshot;
import java.util.Objects;
import java.util.Optional;

/**
 * A roll-up as a reader sees it. Immutable.
 *
 * @param count the total, a {@code Long} or a {@code Double}
 * @param shards how many shards were summed
 * @param asOf when they were
 * @param liveUntil the end of the lease, only while live
 * @param updated when the document was last written
 */
record Shown(
    Number count, long shards, Timestamp asOf, Optional<Timestamp> liveUntil, Timestamp updated) {

  static Optional<Shown> of(DocumentSnapshot document) {
    return document.exists() ? Optional.of(decode(document)) : Optional.empty();
  }

  private static Shown decode(DocumentSnapshot document) {
    return new Shown(
        (Number) Objects.requireNonNull(document.get("count")),
        Objects.requireNonNull(document.getLong("shards")),
        Objects.requireNonNull(document.getTimestamp("as_of")),
        Optional.ofNullable(document.getTimestamp("live_until")),
        Objects.requireNonNull(document.getUpdateTime()));
  }

  boolean isLive() {
    return liveUntil.isPresent();
  }
}
