package dev.tallyroll.timestamps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShardValuesTest {

  private static ShardValues ints(int count) {
    return new ShardValues(IntStream.range(0, count).<Object>mapToObj(i -> i).toList());
  }

  @Test
  void rate_takesAValuePer500WritesRoundedUp() {
    assertThat(ShardValues.forRate(1).values()).containsExactly(0L);
    assertThat(ShardValues.forRate(500).values()).hasSize(1);
    assertThat(ShardValues.forRate(501).values()).hasSize(2);
    assertThat(ShardValues.forRate(1_500).values()).containsExactly(0L, 1L, 2L);
    assertThat(ShardValues.forRate(500_000).values()).hasSize(1_000);
  }

  @Test
  void rateOutOfRange_isRefused() {
    for (long rate : new long[] {Long.MIN_VALUE, -1, 0, 500_001, Long.MAX_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ShardValues.forRate(rate))
          .withMessageContaining("found " + rate);
    }
  }

  @Test
  void badValues_areRefused() {
    for (List<Object> bad :
        List.<List<Object>>of(List.of(), List.of(1, 1L), List.of(1.5), List.of(List.of()))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new ShardValues(bad))
          .withMessageStartingWith("shard values: expected ");
    }
    assertThatIllegalArgumentException().isThrownBy(() -> ints(1_001));
  }

  @Test
  void chunks_areFewestAndEven() {
    for (int count = 1; count <= 200; count++) {
      for (int most : new int[] {1, 7, 10, 30}) {
        ShardValues values = ints(count);

        List<List<Object>> chunks = values.chunks(most);

        List<Object> joined = new ArrayList<>();
        chunks.forEach(joined::addAll);
        assertThat(joined).isEqualTo(values.values());
        assertThat(chunks).hasSize((count + most - 1) / most);
        int even = count / chunks.size();
        assertThat(chunks).allSatisfy(chunk -> assertThat(chunk.size()).isBetween(even, even + 1));
      }
    }
  }

  @Test
  void version_isOfTheSetOfValues() {
    assertThat(new ShardValues(List.of("x", "y")).version())
        .isEqualTo(new ShardValues(List.of("y", "x")).version())
        .isNotEqualTo(new ShardValues(List.of("x", "y", "z")).version());
    assertThat(new ShardValues(List.of("1")).version())
        .isNotEqualTo(new ShardValues(List.of(1)).version());
  }

  @Test
  void randomShard_isEvenlyOneOfTheValues() {
    ShardedTimestamp timestamp = ShardedTimestamp.of(List.of("x", "y", "z"));
    Random random = new Random(7);

    List<Object> drawn =
        IntStream.range(0, 3_000).mapToObj(i -> timestamp.randomShard(random)).toList();

    for (String value : List.of("x", "y", "z")) {
      assertThat(drawn.stream().filter(value::equals).count()).isBetween(900L, 1_100L);
    }
    assertThat(drawn).containsOnly("x", "y", "z");
  }

  @Test
  void transition_writesOldThenNew() {
    ShardedTimestamp old = ShardedTimestamp.of(List.of("a"));
    ShardedTimestamp next = ShardedTimestamp.of(List.of("b"));

    assertThat(ShardedTimestamp.beforeTransition(old, next).randomShard()).isEqualTo("a");
    assertThat(ShardedTimestamp.transition(old, next).randomShard()).isEqualTo("b");
  }

  @Test
  void transitionOfOtherFields_isRefused() {
    ShardedTimestamp old = ShardedTimestamp.forRate(1);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> ShardedTimestamp.transition(old, old.withFields("lane", "until")));
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
