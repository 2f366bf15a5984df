package dev.tallyroll.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.common.base.Splitter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What they allow, the emulator's tests show. */
class ClientRulesTest {
  private static String rules(String words) {
    List<String> settings = new ArrayList<>();
    Map<String, String> options = new HashMap<>();
    for (String word : Splitter.on(' ').omitEmptyStrings().split(words)) {
      if (word.startsWith("--")) {
        String[] pair = word.split("=", 2);
        options.put(pair[0], pair[1].replace('+', ' '));
      } else {
        settings.add(word);
      }
    }
    return ClientRules.of(
        Given.settings(settings.toArray(String[]::new)), RulesOptions.parse(options));
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
          --num-shards=n.s                               | --num-shards: expected a field's name such as num_shards, but not reset_id or __.*__; found 'n.s'
          --num-shards=                                  | --num-shards: expected a field's name such as num_shards
          --num-shards=reset_id                          | --num-shards: expected a field's name such as num_shards, but not reset_id
          --num-shards=__x__                             | --num-shards: expected a field's name such as num_shards, but not reset_id
          --num-shards=n counters.into={'sum':'n.x'}     | --num-shards: expected a field other than n.x, and none on the way to it; found 'n'
          --num-shards=n counters.into={'average':'n'}   | --num-shards: expected a field other than n, and none on the way to it; found 'n'
          --variants=often                               | --variants: expected some of once, down, list and more, or with FOLD make, with commas between; found 'often'
          --variants=list+down                           | --variants: expected some of once, down, list and more, or with FOLD make, with commas between; found 'list down'
          --variants=list,                               | --variants: expected some of once, down, list and more
          --variants=once                                | --variants: expected some of down, list and more with the rules plain, as once needs strict; found 'once'
          --variants=make                                | --variants: expected some of down, list and more with the rules plain, as once needs strict; found 'make'
          counters.rules=strict --variants=down,make     | --variants: expected some of once, down, list and more with the rules strict; found 'down,make'
          counters.rules={'kind':'own','values':[1,5]} --variants=once      | --variants: expected list or nothing with the rules own; found 'once'
          counters.rules={'kind':'own','values':[1,5]} --variants=down,list | --variants: expected list or nothing with the rules own; found 'down,list'
          counters.rules={'kind':'own','values':[1,5]} --variants=more      | --variants: expected list or nothing with the rules own; found 'more'
          counters.rules=strict counters.sum=review.stars                   | counters.sum: expected a field's name, as these rules are for shards that clients increment (for documents that are counted as they are, take the rules own); found 'review.stars'
          likes.of={parent=**}/posts/{p}/likes likes.rules=own              | likes.rules: expected plain for counters under any parent; users make these documents, so name in "of" whose, such as posts/{post}/likes; found 'own'
          counters.rules=strict counters.of={parent=**}/counters/{c}/shards | counters.rules: expected plain for counters under any parent, since a pass names the path of its shard; found 'strict'
          --variants=list counters.of={parent=**}/counters/{c}/shards       | --variants: expected down or more for counters under any parent, as list makes every document in a collection of roll-ups public; found 'list'
          likes.of=posts/{post}/likes                                       | likes.rules: expected which rules to print, in the file of totals: "rules": "own"; found nothing
          stars.of=posts/{post}/reviews stars.sum=stars                     | stars.rules: expected which rules to print, in the file of totals: "rules": {"kind": "own", "values": [1, 5]}, "plain" or "strict"; found nothing
          likes.of=posts/{post}/likes counters.rules=plain --entry=votes    | --entry: expected the entry, one of [likes, counters]; found 'votes'
          --entry=likes                                                     | --entry: expected the entry, one of [counters]; found 'likes'
          likes.of=my+posts/{post}/likes likes.rules=own                    | likes.of: expected for rules a name of letters, digits, _ and -; found 'my posts'
          likes.of=posts/{post}/my+likes likes.rules=own                    | likes.of: expected for rules a name of letters, digits, _ and -; found 'my likes'
          likes.of=posts/{post}/likes likes.rules=own likes.rollups=my+sums | likes.rollups: expected for rules a name of letters, digits, _ and -; found 'my sums'
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
          FOLD_FIELDS=visits --entry=likes     | --entry: expected none with FOLD; found 'likes'
          FOLD_FIELDS=visits --variants=once   | --variants: expected make or nothing with FOLD; found 'once'
          FOLD_FIELDS=                         | FOLD_FIELDS: expected the fields that clients may count, such as visits stats.likes; found ''
          """)
  void otherOptionsForAFold_areRefused(String words, String message) {
    otherOptions_areRefused("FOLD=PT1S FOLD_DOCUMENTS=pages/{page} " + words, message);
  }

  @Test
  void entryOfSeveral_hasItsOwn() {
    String two = "likes.of=posts/{post}/likes likes.rules=own counters.into={'sum':'likes'} ";

    assertThat(rules(two + "--entry=counters")).isEqualTo(rules("counters.into={'sum':'likes'}"));
    assertThat(rules(two + "--entry=likes"))
        .isEqualTo(rules("likes.of=posts/{post}/likes likes.rules=own"));
  }

  /** Heads that say the same are there once, and each entry has its own functions. */
  @Test
  void allEntries_areInOneFile() {
    String all =
        rules("likes.of=posts/{post}/likes likes.rules=own fans.of=users/{u}/fans fans.rules=own");

    assertThat(all)
        .startsWith("rules_version = '2';\n\n// Rules for documents")
        .containsOnlyOnce("// Rules for documents that are counted as they are")
        .containsOnlyOnce("service cloud.firestore {")
        .containsOnlyOnce("function mayWrite_likes(uid) {")
        .containsOnlyOnce("function mayWrite_fans(uid) {")
        .endsWith("\n  }\n}\n");
  }

  @Test
  void totalsOfDocumentsElsewhere_areReadThere() {
    assertThat(
            rules(
                "fans.of=users/{user}/followers fans.document=profiles/{user} fans.rules=own"
                    + " fans.rollups=fans"))
        .contains(
            "match /users/{user_id}/followers/{uid} {",
            "match /fans/{counter} {",
            "resource.data.counter == 'profiles/' + counter");
  }

  /** Fields are in the order of the settings, so the text is the same each time. */
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
  void countersWithoutEvents_haveTheRulesOfOthers() {
    assertThat(rules("counters.events=false counters.every=PT1M")).isEqualTo(rules(""));
  }
}
