package dev.tallyroll;

import dev.tallyroll.ShardList.Shard;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which retired shards are to be folded, and what they come to. Pure.
 *
 * @param shards to be deleted
 * @param total of their counts
 * @param left how many retired shards stay
 */
record Fold(List<Shard> shards, Total total, int left) {
  private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,8}");

  /**
   * @param inUse the number of shards; those with a number from there on are retired
   */
  static Fold of(ShardList list, int inUse, Duration unwritten) {
    List<Shard> retired =
        list.shards().stream()
            .filter(shard -> number(shard).filter(number -> number >= inUse).isPresent())
            .toList();
    Instant latest = list.readTime().minus(unwritten);
    List<Shard> quiet =
        retired.stream()
            .filter(shard -> !Times.instant(shard.version()).isAfter(latest))
            .filter(shard -> !(shard.count() instanceof Double count && !Double.isFinite(count)))
            .toList();
    Total total = Addition.of(quiet.stream().map(Shard::count).toList());
    return total.isUsable()
        ? new Fold(quiet, total, retired.size() - quiet.size())
        : new Fold(List.of(), new Total.Whole(0), retired.size());
  }

  private static Optional<Integer> number(Shard shard) {
    String id = shard.id();
    return NUMBER.matcher(id).matches() ? Optional.of(Integer.valueOf(id)) : Optional.empty();
  }
}
