package dev.tallyroll.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.Layout;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CounterOptionsTest {
  private static final CounterPath ANN = new CounterPath("c/c1", "ann");

  private final CounterOptions.Builder builder = CounterOptions.builder();

  @Test
  void options_areThoseThatWereSet() {
    CounterOptions options =
        builder
            .of("rooms/{room}/c/{c}/s")
            .rollupsCollection("r")
            .countField("Cnt")
            .shardsField("numShards")
            .namesCollection("ops")
            .namesKept(Duration.ofDays(1))
            .sum(SumMode.DOCUMENTS)
            .build();

    assertThat(options.layout()).isEqualTo(new Layout("rooms/{room}/c/{c}/s", "r", "Cnt"));
    assertThat(builder.document("c/{c}/d/{room}").build().layout().counterDocument(ANN))
        .isEqualTo("c/c1/d/ann");
    assertThat(options.shardsField()).isEqualTo("numShards");
    assertThat(options.namesCollection()).isEqualTo("ops");
    assertThat(options.namesKept()).isEqualTo(Duration.ofDays(1));
    assertThat(options.sum()).isEqualTo(SumMode.DOCUMENTS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"counters", "shards", "rollups", "rollup_runs", "", "a/b", "__x__"})
  void namesInACollectionOfOthers_areRefused(String names) {
    assertThatIllegalArgumentException()
        .isThrownBy(builder.namesCollection(names)::build)
        .withMessageStartingWith("names collection: expected ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S", "PT59S", "P3651D"})
  void namesKeptTooShortOrTooLong_areRefused(Duration kept) {
    assertThatIllegalArgumentException()
        .isThrownBy(builder.namesKept(kept)::build)
        .withMessage("names kept: expected PT1M to PT87600H; found " + kept);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a/b", "__x__"})
  void fieldsThatFirestoreRefuses_areRefused(String field) {
    assertThatIllegalArgumentException().isThrownBy(builder.shardsField(field)::build);
    assertThatIllegalArgumentException()
        .isThrownBy(CounterOptions.builder().countField(field)::build);
    assertThatIllegalArgumentException()
        .isThrownBy(CounterOptions.builder().countField("stats.count")::build)
        .withMessage("count field: expected a field's name without dots; found 'stats.count'");
  }

  @Test
  void collectionsThatShareAName_areRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(builder.of("counters/{counter}/counters")::build);
  }
}
