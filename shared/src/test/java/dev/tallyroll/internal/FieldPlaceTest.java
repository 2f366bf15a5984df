package dev.tallyroll.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FieldPlaceTest {
  private static final FieldName PATH = FieldName.of("stats", "likes");

  private static FieldPlace in(@Nullable Object stats) {
    return FieldPlace.in(Collections.singletonMap("stats", stats), PATH);
  }

  @Test
  void nothing_isFree() {
    assertThat(FieldPlace.in(null, PATH)).matches(FieldPlace::isEmpty);
    assertThat(FieldPlace.in(Map.of("likes", 1L), PATH)).matches(FieldPlace::isEmpty);
    assertThat(in(Map.of("views", 1L))).matches(FieldPlace::isEmpty);
  }

  @Test
  void number_isNoObstacle() {
    assertThat(in(Map.of("likes", 7L)).number()).contains(7L);
    assertThat(in(Map.of("likes", 7L)).obstacle()).isEmpty();
    assertThat(in(Map.of("likes", 7L))).matches(place -> !place.isEmpty());
  }

  @Test
  void otherValue_isThereAndAnObstacleForANumber() {
    assertThat(in(Map.of("likes", "x")).value()).contains("x");
    assertThat(in(Map.of("likes", "x")).hindrance()).isEmpty();
    assertThat(in(Map.of("likes", List.of())).obstacle()).contains("a list in stats.likes");
    assertThat(in(Map.of("likes", Map.of())).obstacle()).contains("a map in stats.likes");
    assertThat(in(Map.of("likes", true)).obstacle()).contains("Boolean in stats.likes");
  }

  @Test
  void whatIsOnTheWay_andNull_hinderAnyValue() {
    assertThat(in("x").hindrance()).contains("a text in stats");
    assertThat(in(7L).hindrance()).contains("a number in stats");
    assertThat(in(null).hindrance()).contains("null in stats");
    assertThat(in(Collections.singletonMap("likes", null)).hindrance())
        .contains("null in stats.likes");
    assertThat(in(List.of(1L)).value()).isEmpty();
  }
}
