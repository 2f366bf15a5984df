package dev.tallyroll.firestore;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShardOfTest {

  @Test
  void names_areSpreadEvenly() {
    int[] names = new int[10];
    for (int i = 0; i < 10_000; i++) {
      names[ShardOf.name("order-" + i, 10)]++;
    }

    assertThat(names).allMatch(count -> count > 850 && count < 1_150);
  }

  @Test
  void name_staysWithItsShard() {
    // Written down, since a client of another version must agree.
    assertThat(ShardOf.name("order-1", 10)).isEqualTo(ShardOf.name("order-1", 10));
    assertThat(ShardOf.name("", 7)).isZero();
  }
}
