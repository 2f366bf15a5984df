package dev.tallyroll.firestore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Total;
import dev.tallyroll.firestore.ShardList.Compaction;
import dev.tallyroll.firestore.ShardList.Shard;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CompactionTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_000);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static Shard shard(String id, @Nullable Object count, int secondsAgo) {
    long written = NOW.getEpochSecond() - secondsAgo;
    return new Shard(id, count, Instant.ofEpochSecond(written));
  }

  private static Compaction compact(int inUse, Shard... shards) {
    return new ShardList(List.of(shards), NOW).compaction(inUse, MINUTE);
  }

  @Test
  void quietRetiredShards_areCompacted() {
    Shard retired = shard("2", 5L, 60);
    Shard another = shard("10", -2L, 900);

    Compaction compaction = compact(2, shard("0", 7L, 900), shard("1", 8L, 900), retired, another);

    assertThat(compaction)
        .isEqualTo(new Compaction(List.of(retired, another), new Total.Whole(3), 0));
  }

  @Test
  void shardsWrittenLately_areLeft() {
    assertThat(compact(2, shard("2", 5L, 59)))
        .isEqualTo(new Compaction(List.of(), new Total.Whole(0), 1));
  }

  @Test
  void documentsThatAreNoNumberedShards_areNotRetired() {
    assertThat(compact(1, shard("07", 1L, 900), shard("x", 1L, 900), shard("-1", 1L, 900)))
        .isEqualTo(new Compaction(List.of(), new Total.Whole(0), 0));
    assertThat(compact(1, shard("9999999999", 1L, 900)).left()).isZero();
  }

  @Test
  void unusableCounts_areLeft() {
    Shard good = shard("1", 1L, 900);

    assertThat(compact(1, good, shard("2", Double.NaN, 900), shard("3", 1 / 0.0, 900)))
        .isEqualTo(new Compaction(List.of(good), new Total.Whole(1), 2));
  }

  @Test
  void countsThatDoNotFitOneShard_areLeft() {
    assertThat(compact(1, shard("1", Long.MAX_VALUE, 900), shard("2", 1L, 900)))
        .isEqualTo(new Compaction(List.of(), new Total.Whole(0), 2));
  }

  @Test
  void whatIsNoNumber_goesForNothing() {
    Shard text = shard("1", "7", 900);
    Shard empty = shard("2", null, 900);

    assertThat(compact(1, text, empty))
        .isEqualTo(new Compaction(List.of(text, empty), new Total.Whole(0), 0));
  }

  /** A shard that gets a double is one for good. */
  @Test
  void doubles_areMovedAsAnIntegerIfTheyMakeOne() {
    assertThat(totalOf(4.0, 3L)).isEqualTo(new Total.Whole(7));
    assertThat(totalOf(0.5, -2.5)).isEqualTo(new Total.Whole(-2));
    assertThat(totalOf(-0.0, 0L)).isEqualTo(new Total.Whole(0));
    assertThat(totalOf(0.5, 3L)).isEqualTo(new Total.Fraction(3.5));
    assertThat(totalOf(0x1p54, 1L)).isEqualTo(new Total.Fraction(0x1p54));
    assertThat(totalOf(Long.MAX_VALUE - 1, 1L)).isEqualTo(new Total.Whole(Long.MAX_VALUE));
  }

  private static Total totalOf(Object one, Object other) {
    return compact(1, shard("1", one, 900), shard("2", other, 900)).total();
  }
}
