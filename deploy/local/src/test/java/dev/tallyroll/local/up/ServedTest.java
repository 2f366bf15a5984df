package dev.tallyroll.local.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.local.up.Served.Documents;
import dev.tallyroll.settings.EntryRules.RulesKind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ServedTest {
  private static Served served(String settings) {
    return Served.by(
        Stream.of(settings.split(";", -1))
            .map(word -> word.split("=", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1])));
  }

  private static final String COUNTERS =
      "TOTALS={\"counters\": {\"of\": \"%s/{counter}/shards\", \"sum\": \"count\"}}";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rooms/{room}/counters     | PLAIN  | match /rooms/{room_id}/counters/{counter}/shards/{shard} {
          {parent=**}/counters      | PLAIN  | match /counters/{counter}/shards/{shard} {
          {parent=**}/counters      | STRICT | match /passes/{uid} {
          """)
  void rules_areOfTheKindThatIsAskedFor(String counters, RulesKind kind, String text) {
    assertThat(served(COUNTERS.formatted(counters)).rules(Optional.of(kind)))
        .singleElement(STRING)
        .contains(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"of": "counters/{counter}/shards", "sum": "count", "rules": "strict"} | function rested_counters()
          {"of": "posts/{post}/ratings", "sum": "stars", "rules": {"kind": "own", "values": [1, 9]}} | && value <= 9
          {"of": "posts/{post}/likes", "rules": "own"} | match /posts/{post_id}/likes/{uid} {
          {"of": "{parent=**}/posts/{post}/likes", "rules": "own"} | match /posts/{post_id}/likes/{uid} {
          """)
  void rules_areThoseOfTheEntry(String entry, String text) {
    assertThat(served("TOTALS={\"counters\": " + entry + "}").rules(Optional.empty()))
        .singleElement(STRING)
        .contains(text);
  }

  /** deploy/gcloud/rules does the same; `up` then runs without any. */
  @Test
  void entriesWithoutRules_haveNoneUnlessAsked() {
    Served served =
        served(
            """
            TOTALS={
              "likes": {"of": "posts/{post}/likes", "into": {"count": "likes"}},
              "ratings": {"of": "posts/{post}/ratings", "sum": "stars", "into": {"count": "n"}}
            }""");

    assertThat(served.rules(Optional.empty())).isEmpty();
    assertThat(served.rules(Optional.of(RulesKind.OWN)))
        .hasSize(2)
        .anyMatch(text -> text.contains("&& value <= 5"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> served.rules(Optional.of(RulesKind.STRICT)))
        .withMessage("--rules: expected a kind that an entry can have; found 'strict'");
  }

  /** Their functions are named by the entries, so that none meets another's. */
  @Test
  void rulesOfSeveralEntries_areOfTheirKinds() {
    Served served =
        served(
            """
            TOTALS={
              "likes": {"of": "posts/{post}/likes", "into": {"count": "likes"}, "rules": "own"},
              "counters": {"of": "counters/{counter}/shards", "sum": "count", "rules": "strict"}
            }""");

    List<String> own = served.rules(Optional.empty());
    assertThat(own.get(0)).contains("function keepsTotal_likes()");
    assertThat(own.get(1)).contains("match /passes/{uid}", "_counters()");
    List<String> plain = served.rules(Optional.of(RulesKind.PLAIN));
    assertThat(plain.get(0)).isEqualTo(own.get(0));
    assertThat(plain.get(1)).doesNotContain("passes");
    assertThat(served.isStrict()).isTrue();
  }

  @Test
  void rulesOfFolds_areOfTheFields() {
    Served fold = served("FOLD=PT1S;FOLD_DOCUMENTS=pages/{page}");

    assertThat(fold.rules(Optional.of(RulesKind.OWN)))
        .isEqualTo(fold.rules(Optional.empty()))
        .singleElement(STRING)
        .contains("step_tallyroll(before, after, ['visits'])");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fold.rules(Optional.of(RulesKind.STRICT)))
        .withMessage("--rules: expected plain with FOLD; found 'strict'");
  }

  /** One document of the demo's serves all entries that count it. */
  @Test
  void writtenFields_areThoseOfAllEntriesOfTheDocuments() {
    Served served =
        served(
            """
            TOTALS={
              "reviews": {"of": "posts/{post}/reviews", "into": {"count": "reviews"}},
              "stars": {"of": "posts/{p}/reviews", "sum": "stars", "into": {"average": "stars"}},
              "likes": {"of": "posts/{post}/likes", "into": {"count": "likes"}}
            }""");

    Map<FieldName, Documents> stars = Map.of(FieldName.of("stars"), new Documents(1, 5));
    assertThat(served.entries())
        .extracting(served::written)
        .containsExactly(stars, stars, Map.of());
  }

  @Test
  void names_tellTotalsApart() {
    Served counters = served(COUNTERS.formatted("rooms/{room}/counters"));
    Served likes = served("TOTALS={\"likes\": {\"of\": \"rooms/{room}/posts/{post}/likes\"}}");
    Served two =
        served(
            "TOTALS={\"likes\": {\"of\": \"posts/{post}/likes\"}, \"members\": {\"of\":"
                + " \"groups/{group}/members\"}}");

    assertThat(name(counters, 0, new CounterPath("rooms/r", "c"))).isEqualTo("rooms/r/c");
    assertThat(name(likes, 0, new CounterPath("rooms/r", "p"))).isEqualTo("rooms/r/posts/p");
    assertThat(name(two, 1, CounterPath.of("g"))).isEqualTo("members of groups/g");
  }

  private static String name(Served served, int entry, CounterPath path) {
    return served.name(served.entries().get(entry).counter(path));
  }
}
