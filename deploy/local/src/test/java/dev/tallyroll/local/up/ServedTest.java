package dev.tallyroll.local.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.operator.RulesOptions.Kind;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ServedTest {
  private static Served served(String settings) {
    return Served.by(
        Stream.of(settings.split(" ", -1))
            .map(word -> word.split("=", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1])));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          COUNTERS=rooms/{room}/counters       | PLAIN  | match /rooms/{room_id}/counters/{counter}/shards/{shard} {
          COUNTERS={parent=**}/counters        | PLAIN  | match /counters/{counter}/shards/{shard} {
          COUNTERS={parent=**}/counters        | STRICT | match /passes/{uid} {
          NAME=a-b                             | STRICT | function rested_a_b()
          COUNT_FIELD=stars                    | OWN    | && value <= 5
          COUNTERS=posts COUNT_FIELD=          | OWN    | match /posts/{counter}/shards/{uid} {
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page} | OWN   | step_tallyroll(before, after, ['visits'])
          """)
  void rules_areThoseOfTheSettings(String settings, Kind kind, String text) {
    assertThat(served(settings).rules(kind)).contains(text);
  }

  @Test
  void kindsThatSettingsHaveNoRulesOf_areRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> served("FOLD=PT1S FOLD_DOCUMENTS=pages/{page}").rules(Kind.STRICT))
        .withMessage("--kind: expected plain with FOLD; found 'strict'");
  }
}
