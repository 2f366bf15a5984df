package dev.tallyroll.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.CounterPath;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The places of counters, and the counter of every other path. */
class LayoutTest {
  private static Layout of(String counters) {
    return new Layout(counters, "shards", "rollups", "count");
  }

  @ParameterizedTest
  @CsvSource({
    "counters, counters/c, true",
    "counters, rooms/r1/counters/c, false",
    "{parent=**}/counters, counters/c, true",
    "{parent=**}/counters, a/b/c/d/counters/c, true",
    "{parent=**}/counters, polls/c, false",
    "rooms/{room}/counters, rooms/r1/counters/c, true",
    "rooms/{room}/counters, counters/c, false",
    "rooms/{room}/counters, shops/r1/counters/c, false",
    "rooms/{room}/counters, rooms/r1/x/y/counters/c, false",
    "rooms/r1/counters, rooms/r1/counters/c, true",
    "rooms/r1/counters, rooms/r2/counters/c, false",
    "a/{x}/b/{y}/counters, a/1/b/2/counters/c, true",
    "a/{x}/b/{y}/counters, a/1/c/2/counters/c, false"
  })
  void pattern_saysWhereCountersAre(String pattern, String document, boolean isCounter) {
    Layout layout = of(pattern);
    String parent = document.substring(0, document.lastIndexOf("/", document.length() - 3) + 1);

    assertThat(layout.counterOfDocument(document).isPresent()).isEqualTo(isCounter);
    assertThat(layout.counterOfShard(document + "/shards/0").isPresent()).isEqualTo(isCounter);
    if (!document.startsWith("polls")) {
      assertThat(layout.counterOfRollup(parent + "rollups/c").isPresent()).isEqualTo(isCounter);
    }
  }

  @Test
  void counterElsewhere_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> of("rooms/{room}/counters").counterDocument(CounterPath.of("likes")))
        .withMessage(
            "parent of the counter: expected one of rooms/{room}/counters, outside of rollup_runs; found ''");
  }

  @Test
  void documentsOfTheFunctions_areNamedByTheDeployment() {
    assertThat(Layout.liveList("staging")).isEqualTo("rollup_runs/staging/live");
    assertThat(Layout.runDocument("staging", "1")).isEqualTo("rollup_runs/staging/live/run-1");
  }

  @Test
  void liveIds_areThoseOfRollUps_andNoPlaceOfCounters() {
    Layout layout = of("{parent=**}/counters");
    CounterPath likes = new CounterPath("rooms/r1", "likes");
    Layout others = new Layout(layout.counters(), "shards", "totals", "count");

    assertThat(layout.liveId(likes)).matches("[0-9a-f]{32}");
    assertThat(layout.liveId(likes))
        .isNotEqualTo(layout.liveId(new CounterPath("rooms/r2", "likes")))
        .isNotEqualTo(others.liveId(likes));
    assertThat(layout.counterOfShard(Layout.liveList("tallyroll") + "/" + layout.liveId(likes)))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "{parent=**}/counters, sum of count in {**}/counters/{1}/shards",
    "counters, sum of count in counters/{1}/shards",
    "rooms/{room}/counters, sum of count in rooms/{1}/counters/{2}/shards",
    "rooms/{r}/counters, sum of count in rooms/{1}/counters/{2}/shards"
  })
  void totalOf_tellsPatternsApart_butForTheNamesOfVariables(String pattern, String totalOf) {
    assertThat(of(pattern).totalOf()).isEqualTo(totalOf);
  }

  @Test
  void trigger_namesAVariableThatThePatternHasNot() {
    assertThat(of("rooms/{room}/counters").trigger())
        .isEqualTo("rooms/{room}/counters/{counter}/shards/{shard}");
    assertThat(of("rooms/{counter}/counters").of())
        .isEqualTo("rooms/{counter}/counters/{_counter}/shards");
  }

  @ParameterizedTest
  @CsvSource({
    "counters, counters, ''",
    "rooms/r1/counters, rooms/r1/counters, rooms/r1",
    "rooms/{room}/counters, rooms,",
    "a/b/c/{d}/counters, a/b/c,",
    "{parent=**}/counters, '',"
  })
  void ground_isOneCollectionUnlessThePatternHasAVariable(
      String pattern, String fixedStart, @Nullable String parent) {
    assertThat(of(pattern).fixedStart()).isEqualTo(fixedStart);
    assertThat(of(pattern).singleParent()).isEqualTo(Optional.ofNullable(parent));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/counters",
        "counters/",
        "rooms/r1",
        "{room}",
        "{parent=**}",
        "{parent=**}/rooms/{room}/counters",
        "rooms/{rest=**}/counters",
        "rooms/*/counters",
        "rooms/{a}/x/{a}/counters",
        "rooms/{1a}/counters"
      })
  void otherPatterns_areRefused(String pattern) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> of(pattern))
        .withMessageStartingWith("counters: expected ")
        .withMessageContaining("; found '");
  }
}
