package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Total;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.TotalFields.FieldValues;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * What is found in the place of a figure, and what a figure is. How figures are written is tested
 * on the simulated server, by ShownFiguresTest.
 */
class TotalFieldsTest {
  private static final Map<Figure, FieldName> TOTAL =
      Map.of(Figure.SUM, FieldName.of("stats", "likes"));

  @Test
  void numberOrNothing_isFree() {
    for (Map<String, ?> fields :
        List.<Map<String, ?>>of(
            Map.of(),
            Map.of("stats", Map.of("views", "a text")),
            Map.of("stats", Map.of("likes", 7L)),
            Map.of("stats", Map.of("likes", Double.NaN)),
            Map.of("likes", "a text"))) {
      assertThat(FieldValues.of(Instant.EPOCH, fields, TOTAL).obstacles())
          .as("%s", fields)
          .isEmpty();
    }
  }

  @Test
  void somethingElse_isAnObstacle() {
    assertThat(obstacle(Map.of("stats", "x"))).contains("a text in stats");
    assertThat(obstacle(Map.of("stats", 7L))).contains("a number in stats");
    assertThat(obstacle(Collections.singletonMap("stats", null))).contains("null in stats");
    assertThat(obstacle(Map.of("stats", List.of()))).contains("a list in stats");
    assertThat(likes("x")).contains("a text in stats.likes");
    assertThat(likes(List.of("alice"))).contains("a list in stats.likes");
    assertThat(likes(Map.of())).contains("a map in stats.likes");
    assertThat(obstacle(Map.of("stats", Collections.singletonMap("likes", null))))
        .contains("null in stats.likes");
  }

  private static Optional<String> likes(Object value) {
    return obstacle(Map.of("stats", Map.of("likes", value)));
  }

  private static Optional<String> obstacle(Map<String, ?> fields) {
    return Optional.ofNullable(
        FieldValues.of(Instant.EPOCH, fields, TOTAL).obstacles().get(Figure.SUM));
  }

  @Test
  void average_isThatOfTheShards() {
    assertThat(Figure.SUM.of(sum(9, 2))).isEqualTo(new Total.Whole(9));
    assertThat(Figure.COUNT.of(sum(9, 2))).isEqualTo(new Total.Whole(2));
    assertThat(Figure.AVERAGE.of(sum(9, 2))).isEqualTo(new Total.Fraction(4.5));
    assertThat(Figure.AVERAGE.of(sum(0, 0))).isEqualTo(new Total.Fraction(0));
  }

  private static Sum sum(long total, long shards) {
    return new Sum(new Total.Whole(total), shards, Instant.EPOCH);
  }
}
