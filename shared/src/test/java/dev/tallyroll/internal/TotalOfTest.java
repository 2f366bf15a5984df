package dev.tallyroll.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TotalOfTest {
  private static String where(String field, @Nullable Object value) {
    return new TotalOf(
            "tickets",
            Optional.empty(),
            Map.of(FieldName.of(field), Optional.ofNullable(value)),
            Optional.empty())
        .toString();
  }

  @ParameterizedTest
  @CsvSource({
    "posts/{post}/likes, '', number of posts/{1}/likes",
    "posts/{p}/likes, '', number of posts/{1}/likes",
    "rooms/{a}/posts/{b}/likes, stars, sum of stars in rooms/{1}/posts/{2}/likes",
    "{parent=**}/counters/{counter}/shards, count, sum of count in {**}/counters/{1}/shards",
    "users, '', number of users",
    "a/b/c, stats.likes, sum of stats.likes in a/b/c",
    "beiträge/{x}/größe, '', number of beiträge/{1}/größe",
    "my posts/{x}/likes, a b.c, 'sum of \"a b\".c in \"my posts\"/{1}/likes'",
    "posts where x = 1, '', 'number of \"posts where x = 1\"'"
  })
  void pattern_hasItsVariablesByPosition(String of, String sum, String text) {
    Optional<FieldName> field =
        sum.isEmpty() ? Optional.empty() : Optional.of(FieldName.parse(sum));

    assertThat(TotalOf.all(of, field)).hasToString(text);
  }

  @Test
  void conditions_areInTheOrderOfFields_withTheVariablesOfTheDocument() {
    Map<FieldName, Optional<Object>> where = new HashMap<>();
    where.put(FieldName.of("state"), Optional.of("published"));
    where.put(FieldName.of("a", "b"), Optional.empty());
    TotalOf total =
        new TotalOf(
            "reviews",
            Optional.of(FieldName.of("stars")),
            where,
            Optional.of("shops/{shopId}/products/{productId}"));

    assertThat(total)
        .hasToString(
            "sum of stars in reviews where a.b = null and productId = {2} and shopId = {1} and"
                + " state = \"published\" for shops/{1}/products/{2}");
  }

  /** A variable of the collection is none of the document's fields. */
  @Test
  void variables_ofBothPatterns_areTheSame() {
    TotalOf total =
        new TotalOf(
            "teams/{team}/tickets",
            Optional.empty(),
            Map.of(FieldName.of("open"), Optional.of(true)),
            Optional.of("members/{owner}/teams/{team}"));

    assertThat(total)
        .hasToString(
            "number of teams/{1}/tickets where open = true and owner = {2} for"
                + " members/{2}/teams/{1}");
    assertThat(new TotalOf("users", Optional.empty(), Map.of(), Optional.of("stats/app")))
        .hasToString("number of users for stats/app");
  }

  @Test
  void values_areToldApart() {
    assertThat(where("state", "a/b")).isEqualTo("number of tickets where state = \"a/b\"");
    assertThat(where("state", "<1 & \"2\"\\\n>"))
        .isEqualTo("number of tickets where state = \"<1 & \\\"2\\\"\\\\\\u000a>\"");
    List<@Nullable Object> values = new ArrayList<>();
    values.addAll(
        List.of("null", "true", "1", "{1}", "", "a", "a\" and b = \"c", "a\\", true, false, 1L));
    values.addAll(List.of(2L, -1L, 0.1, 0.1000000000000001, 1e300, 1e-300, Long.MAX_VALUE, 1e18));
    values.add(null);
    List<String> texts = values.stream().map(value -> where("f", value)).toList();

    assertThat(new HashSet<>(texts)).hasSameSizeAs(values);
  }

  @ParameterizedTest
  @CsvSource({
    "1.0, 1",
    "-0.0, 0",
    "0.1, 0.1",
    "2.0E-3, 0.002",
    "2E23, 2E+23",
    "4.9E-324, 5E-324",
    "100.0, 100",
    "9007199254740992.0, 9007199254740992",
    "1.5, 1.5",
    "1E18, 1000000000000000000"
  })
  void number_isTheShortest(double number, String text) {
    assertThat(where("f", number)).endsWith("= " + text);
  }

  /** The JDK's own form has changed between versions; a mark must not. */
  @Test
  void numbersThatAreEqual_haveOneForm_whichIsReadAsThem() {
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      double number = Double.longBitsToDouble(random.nextLong());
      if (Double.isFinite(number)) {
        String text = where("f", number);
        assertThat(Double.parseDouble(text.substring(text.indexOf('=') + 2))).isEqualTo(number);
      }
      long whole = random.nextLong() >> random.nextInt(64);
      if ((long) (double) whole == whole && whole != Long.MAX_VALUE) {
        assertThat(where("f", (double) whole)).isEqualTo(where("f", whole));
      }
    }
  }
}
