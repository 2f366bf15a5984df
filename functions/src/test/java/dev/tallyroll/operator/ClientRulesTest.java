package dev.tallyroll.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.common.base.Splitter;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.settings.OperatorSettings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What they allow, the emulator's tests show. */
class ClientRulesTest {
  private static String rules(String words) {
    Map<String, String> settings = new HashMap<>(Map.of("PROJECT", "p", "REGION", "us-central1"));
    Map<String, String> options = new HashMap<>();
    for (String word : Splitter.on(' ').omitEmptyStrings().split(words)) {
      String[] pair = word.split("=", 2);
      (pair[0].startsWith("--") ? options : settings).put(pair[0], pair[1].replace('+', ' '));
    }
    return ClientRules.of(OperatorSettings.of(settings), RulesOptions.parse(options));
  }

  /** The Firebase CLI, and whoever reads before anything is built, takes this file. */
  @Test
  void fileOfRules_isWhatIsPrintedWithoutOptions() throws Exception {
    assertThat(Path.of("../deploy/firestore/firestore.rules")).content().isEqualTo(rules(""));
  }

  /** An option that means nothing would be a mistake of whoever gives it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          --kind=open                                    | --kind: expected plain, strict or own; found 'open'
          --num-shards=n.s                               | --num-shards: expected a field's name such as num_shards, but not reset_id or __.*__; found 'n.s'
          --num-shards=                                  | --num-shards: expected a field's name such as num_shards
          --num-shards=reset_id                          | --num-shards: expected a field's name such as num_shards, but not reset_id
          --num-shards=__x__                             | --num-shards: expected a field's name such as num_shards, but not reset_id
          --num-shards=n TOTAL_FIELD=n.x                 | --num-shards: expected a field other than n.x, and none on the way to it; found 'n'
          --num-shards=n AVERAGE_FIELD=n                 | --num-shards: expected a field other than n, and none on the way to it; found 'n'
          --kind=own --values=1-5                        | --values: expected two integers of at most 15 digits, such as 1..5; found '1-5'
          --kind=own --values=01..5                      | --values: expected two integers of at most 15 digits
          --kind=own --values=                           | --values: expected two integers of at most 15 digits, such as 1..5; found ''
          --kind=own --values=1..1234567890123456        | --values: expected two integers of at most 15 digits
          --kind=own --values=5..-1                      | --values: expected the least before the most; found '5..-1'
          --kind=own                                     | --values: expected with --kind own the least and the most of count, such as 1..5; found ''
          --kind=own --values=1..5 COUNT_FIELD=          | --values: expected none without --kind own and a COUNT_FIELD; found '1..5'
          --values=1..5                                  | --values: expected none without --kind own and a COUNT_FIELD; found '1..5'
          --kind=strict --values=1..5                    | --values: expected none without --kind own and a COUNT_FIELD; found '1..5'
          --variants=often                               | --variants: expected some of once, down, list and more, or with FOLD make, with commas between; found 'often'
          --variants=list+down                           | --variants: expected some of once, down, list and more, or with FOLD make, with commas between; found 'list down'
          --variants=list,                               | --variants: expected some of once, down, list and more
          --variants=once                                | --variants: expected some of down, list and more with --kind plain, as once needs strict; found 'once'
          --variants=make                                | --variants: expected some of down, list and more with --kind plain, as once needs strict; found 'make'
          --kind=strict --variants=down,make             | --variants: expected some of once, down, list and more with --kind strict; found 'down,make'
          --kind=own --values=1..5 --variants=once       | --variants: expected list or nothing with --kind own; found 'once'
          --kind=own --values=1..5 --variants=down,list  | --variants: expected list or nothing with --kind own; found 'down,list'
          --kind=own --values=1..5 --variants=more       | --variants: expected list or nothing with --kind own; found 'more'
          COUNT_FIELD=                                   | COUNT_FIELD: expected a field's name, as these rules are for shards that clients increment (for documents that are counted as they are, take --kind own); found ''
          --kind=strict COUNT_FIELD=review.stars         | COUNT_FIELD: expected a field's name, as these rules are for shards
          --kind=own COUNT_FIELD= COUNTERS={parent=**}/p | --kind: expected plain for counters under any parent; users make these documents, so name in COUNTERS whose, such as posts or rooms/{room}/posts; found 'own'
          --kind=strict COUNTERS={parent=**}/counters    | --kind: expected plain for counters under any parent, since a pass names the path of its shard; found 'strict'
          --variants=list COUNTERS={parent=**}/counters  | --variants: expected down or more for counters under any parent, as list makes every document in a collection of roll-ups public; found 'list'
          """)
  void otherOptions_areRefused(String words, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rules(words))
        .withMessageStartingWith(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          FOLD_FIELDS=visits --kind=own        | --kind: expected plain with FOLD; found 'own'
          FOLD_FIELDS=visits --kind=strict     | --kind: expected plain with FOLD; found 'strict'
          FOLD_FIELDS=visits --values=1..5     | --values: expected none without --kind own and a COUNT_FIELD; found '1..5'
          FOLD_FIELDS=visits --variants=once   | --variants: expected make or nothing with FOLD; found 'once'
          FOLD_FIELDS=                         | FOLD_FIELDS: expected the fields that clients may count, such as visits stats.likes; found ''
          """)
  void otherOptionsForAFold_areRefused(String words, String message) {
    otherOptions_areRefused("FOLD=PT1S FOLD_DOCUMENTS=pages/{page} " + words, message);
  }

  /** The functions take any name of Firestore's; {@code up} prints rules for them, too. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          it's/{a}/counters | shards | rollups | count | COUNTERS: expected for rules a name of letters, digits, _ and -; found 'it's'
          counters | it's | rollups | count | SHARDS_COLLECTION: expected for rules a name of letters, digits, _ and -; found 'it's'
          counters | shards | a.b | count | ROLLUPS_COLLECTION: expected for rules a name of letters, digits, _ and -; found 'a.b'
          counters | shards | rollups | it's | COUNT_FIELD: expected for rules names of letters, digits and _; found 'it's'
          """)
  void namesThatNeedQuotes_areRefused(
      String counters, String shards, String rollups, String field, String message) {
    Layout layout = new Layout(counters, shards, rollups, "tallyroll", field);
    RulesOptions own = RulesOptions.parse(Map.of("--kind", "own", "--values", "1..5"));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClientRules.of(layout, Map.of(), own))
        .withMessage(message);
  }

  /** As the settings have them, so that the text is the same each time. */
  @Test
  void foldsFields_areNamedInTheirOrder() {
    assertThat(rules("FOLD=PT1S FOLD_DOCUMENTS=a/{b} FOLD_FIELDS=s.y+t+s.x+s.z.a NAME=q-r"))
        .contains(
            """
                  return after.keys().hasOnly(['s', 't'])
                    && after.get(['s'], {}).keys().hasOnly(['y', 'x', 'z'])
                    && after.get(['s', 'z'], {}).keys().hasOnly(['a'])
                    && step_q_r(before, after, ['s', 'y']) + step_q_r(before, after, ['t']) +\
             step_q_r(before, after, ['s', 'x']) + step_q_r(before, after, ['s', 'z', 'a']) == 1;
            """);
  }

  /** How totals are made is not for rules. */
  @Test
  void pollsCounters_haveTheRulesOfOthers() {
    assertThat(rules("POLL=PT1M")).isEqualTo(rules(""));
  }
}
