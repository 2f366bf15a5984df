package dev.tallyroll.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.SumMode;
import dev.tallyroll.internal.Layout;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CounterOptionsTest {
  private static final CounterOptions OPTIONS = CounterOptions.DEFAULT;

  @Test
  void eachOption_canBeChangedAlone() {
    CounterOptions changed =
        OPTIONS
            .withLayout(new Layout("c", "s", "r", "w", "Cnt"))
            .withShardsField("numShards")
            .withIncrements("ops")
            .withNamesKept(Duration.ofDays(1))
            .withSum(SumMode.DOCUMENTS);

    assertThat(changed)
        .isEqualTo(
            new CounterOptions(
                new Layout("c", "s", "r", "w", "Cnt"),
                "numShards",
                "ops",
                Duration.ofDays(1),
                SumMode.DOCUMENTS));
  }

  @ParameterizedTest
  @ValueSource(strings = {"counters", "shards", "rollups", "rollup_runs", "", "a/b", "__x__"})
  void incrementsInACollectionOfOthers_areRefused(String increments) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OPTIONS.withIncrements(increments))
        .withMessageStartingWith("increments collection: expected ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S", "PT59S", "P3651D"})
  void namesKeptTooShortOrTooLong_areRefused(Duration kept) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OPTIONS.withNamesKept(kept))
        .withMessage("names kept: expected PT1M to PT87600H; found " + kept);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a/b", "__x__"})
  void fieldsThatFirestoreRefuses_areRefused(String field) {
    assertThatIllegalArgumentException().isThrownBy(() -> OPTIONS.withShardsField(field));
  }
}
