package dev.tallyroll.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Total;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SumTest {
  private static final Instant T = Instant.parse("2026-01-01T00:00:00Z");

  private static boolean differs(Total now, Total before) {
    return new Sum(now, 100, T)
        .differsFrom(Rollup.of(new Sum(before, 100, T), Optional.empty(), T));
  }

  private static Total of(double value) {
    return new Total.Fraction(value);
  }

  @Test
  void wholeTotals_differByOne() {
    assertThat(differs(new Total.Whole(1L << 60), new Total.Whole((1L << 60) + 1))).isTrue();
    assertThat(differs(new Total.Whole(7), new Total.Whole(7))).isFalse();
    assertThat(differs(new Total.Whole(7), of(7))).isTrue();
  }

  @Test
  void fractions_differByMoreThanTheirLastDigits() {
    assertThat(differs(of(-1.4117928773158065E15), of(-1.4117928773158068E15))).isFalse();
    assertThat(differs(of(0.1), of(0.1 + 1e-9))).isTrue();
    assertThat(differs(of(Double.NaN), of(1))).isTrue();
    assertThat(differs(of(1e15), of(1e15 + 100))).isTrue();
  }

  /** Firestore adds the same shards in another order each time. */
  @Test
  void sumsOfTheSameShards_areTheSame() {
    Random random = new Random(1);
    List<Object> shards = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      shards.add((random.nextDouble() - 0.4) * Math.pow(10, random.nextInt(16)));
    }
    Total first = Total.add(shards);
    int others = 0;
    for (int i = 0; i < 300; i++) {
      Collections.shuffle(shards, random);
      others += Total.add(shards).equals(first) ? 0 : 1;
      assertThat(differs(Total.add(shards), first)).isFalse();
    }
    assertThat(others).as("sums with other last digits").isPositive();
  }
}
