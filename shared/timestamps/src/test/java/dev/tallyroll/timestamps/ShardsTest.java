package dev.tallyroll.timestamps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import com.google.cloud.firestore.Query.Direction;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ShardsTest {

  private static Shards ints(int count) {
    return Shards.of(IntStream.range(0, count).boxed().toList());
  }

  @Test
  void rate_takesAValuePer500WritesRoundedUp() {
    assertThat(Shards.forRate(1).values()).containsExactly(0L);
    assertThat(Shards.forRate(500).values()).hasSize(1);
    assertThat(Shards.forRate(501).values()).hasSize(2);
    assertThat(Shards.forRate(1_500).values()).containsExactly(0L, 1L, 2L);
    assertThat(Shards.forRate(500_000).values()).hasSize(1_000);
  }

  @Test
  void rateOutOfRange_isRefused() {
    for (long rate : new long[] {Long.MIN_VALUE, -1, 0, 500_001, Long.MAX_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ShardedTimestamp.forRate(rate))
          .withMessageContaining("found " + rate);
    }
  }

  @Test
  void badValues_areRefused() {
    for (List<?> bad : List.of(List.of(), List.of(1, 1L), List.of(1.5), List.of(List.of()))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ShardedTimestamp.of(bad))
          .withMessageStartingWith("shard values: expected ");
    }
    assertThatIllegalArgumentException().isThrownBy(() -> ints(1_001));
  }

  @Test
  @SuppressWarnings("NullAway") // A caller's compiler may allow null.
  void null_isRefusedByName() {
    ShardedTimestamp timestamp = ShardedTimestamp.forRate(1);

    assertNamed("values", () -> ShardedTimestamp.of(null));
    assertNamed("shard field", () -> timestamp.withFields(null, "at"));
    assertNamed("timestamp field", () -> timestamp.withFields("lane", null));
    assertNamed("query", () -> timestamp.query(null, Direction.ASCENDING));
    assertNamed("query", () -> TimestampIndexes.of(timestamp).withBothDirections(null));
    assertNamed("next", () -> ShardedTimestamp.transition(timestamp, null));
    assertNamed("old", () -> ShardedTimestamp.beforeTransition(null, timestamp));
  }

  private static void assertNamed(String name, ThrowingCallable call) {
    assertThatNullPointerException().isThrownBy(call).withMessage(name);
  }

  @Test
  void chunks_areFewestAndEven() {
    for (int count = 1; count <= 200; count++) {
      for (int most : new int[] {1, 7, 10, 30}) {
        List<List<Object>> chunks = ints(count).chunks(most);

        assertThat(chunks.stream().flatMap(List::stream)).isEqualTo(ints(count).values());
        assertThat(chunks).hasSize((count + most - 1) / most);
        int even = count / chunks.size();
        assertThat(chunks).allSatisfy(chunk -> assertThat(chunk.size()).isBetween(even, even + 1));
      }
    }
  }

  @Test
  void randomShard_isEvenlyOneOfTheValues() {
    ShardedTimestamp timestamp = ShardedTimestamp.of(List.of("x", "y", "z"));
    Random random = new Random(7);

    List<Object> drawn = Stream.generate(() -> timestamp.randomShard(random)).limit(3_000).toList();

    assertThat(drawn).containsOnly("x", "y", "z");
    for (String value : List.of("x", "y", "z")) {
      assertThat(Collections.frequency(drawn, value)).isBetween(900, 1_100);
    }
  }

  @Test
  void transition_writesOldThenNew() {
    ShardedTimestamp old = ShardedTimestamp.of(List.of("a"));
    ShardedTimestamp next = ShardedTimestamp.of(List.of("b"));

    assertThat(ShardedTimestamp.beforeTransition(old, next).randomShard()).isEqualTo("a");
    assertThat(ShardedTimestamp.transition(old, next).randomShard()).isEqualTo("b");
    assertThat(ShardedTimestamp.transition(old, next))
        .hasToString("sharded timestamp: 'shard' before 'timestamp', reads [a, b], writes [b]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ShardedTimestamp.transition(old, next.withFields("lane", "until")));
  }

  @Test
  void fieldNames_areChecked() {
    ShardedTimestamp timestamp = ShardedTimestamp.forRate(1);

    for (String bad : List.of("", "a b", "a..b", ".a", "`a`", "1a", "timestamp")) {
      assertThatIllegalArgumentException().isThrownBy(() -> timestamp.withFields(bad, "timestamp"));
    }
    assertThat(timestamp.withFields("meta.shard", "meta.at").shardField()).isEqualTo("meta.shard");
  }
}
