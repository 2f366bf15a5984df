package dev.tallyroll.firestore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FirestoreCounterTest {

  @Test
  void names_areSpreadEvenly() {
    int[] names = new int[10];
    for (int i = 0; i < 10_000; i++) {
      names[FirestoreCounter.shardOf("order-" + i, 10)]++;
    }

    assertThat(Arrays.stream(names)).allMatch(count -> count > 850 && count < 1_150);
  }

  @Test
  void shard_isAlwaysOneOfThem() {
    assertThat(FirestoreCounter.shardOf("", 7)).isZero();
    assertThat(FirestoreCounter.shardOf("order-1", 1)).isZero();
    assertThat(IntStream.range(0, 1_000).map(i -> FirestoreCounter.shardOf("order-" + i, 7)))
        .allMatch(shard -> shard >= 0 && shard < 7);
  }
}
