package dev.tallyroll.timestamps;

import java.util.List;
import java.util.Optional;

/**
 * A part of a collection that {@link ShardedTimestamp#fill} has looked at. Immutable.
 *
 * @param last the last id; empty when there is none left
 * @param left the ids of documents that are in no page, as they stay without a value: null is in
 *     the shard field's place, or something else than a map is on the way to it
 */
public record Filled(Optional<String> last, List<String> left) {
  public Filled {
    left = List.copyOf(left);
  }
}
