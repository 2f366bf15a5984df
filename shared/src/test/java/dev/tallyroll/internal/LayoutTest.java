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
    return new Layout(counters, "shards", "rollups", "rollup_runs", "count");
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

  @ParameterizedTest
  @CsvSource({
    "{parent=**}/counters, rollup_runs/**:counters/live/run-1",
    "counters, rollup_runs/counters/live/run-1",
    "rooms/{room}/counters, rollup_runs/rooms:*:counters/live/run-1",
    "rooms/r1/counters, rollup_runs/rooms:r1:counters/live/run-1"
  })
  void runDocuments_areTheLayoutsOwn(String pattern, String document) {
    assertThat(of(pattern).runDocument("1")).isEqualTo(document);
    assertThat(of(pattern).counterOfShard(document)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "{parent=**}/counters, rollup_runs/**:counters/live",
    "rooms/{room}/counters, rollup_runs/rooms:*:counters/live"
  })
  void liveList_isTheLayoutsOwnAndNoPlaceOfCounters(String pattern, String list) {
    Layout layout = of(pattern);
    CounterPath likes = new CounterPath("rooms/r1", "likes");

    assertThat(layout.liveList()).isEqualTo(list);
    assertThat(layout.liveId(likes)).matches("[0-9a-f]{32}");
    assertThat(layout.liveId(likes))
        .isNotEqualTo(layout.liveId(new CounterPath("rooms/r2", "likes")));
    assertThat(layout.counterOfShard(list + "/" + layout.liveId(likes))).isEmpty();
  }

  /** So no two layouts with other totals share a document of ours. */
  @ParameterizedTest
  @CsvSource({
    "counters, rollups, counters",
    "{parent=**}/counters, rollups, **:counters",
    "rooms/{r}/counters, rollups, rooms:*:counters",
    "rooms/{room}/counters, rollups, rooms:*:counters",
    "rooms:x, rollups, rooms%3Ax",
    "a/b/c, rollups, a:b:c",
    "a:b/b/c, rollups, a%3Ab:b:c",
    "100%, rollups, 100%25",
    "a|b, rollups, a%7Cb",
    "posts, post_likes, posts|post_likes",
    "posts, a|b:c, posts|a%7Cb%3Ac"
  })
  void placeOfTotals_isUnlikeThatOfOtherTotals(String pattern, String rollups, String place) {
    Layout layout = new Layout(pattern, "shards", rollups, "rollup_runs", "count");

    assertThat(layout.placeOfTotals()).isEqualTo(place);
    assertThat(layout.settingsDocument()).isEqualTo("rollup_runs/" + place);
  }

  @Test
  void namesOfVariables_doNotMatter() {
    assertThat(of("rooms/{room}/counters").isOfSameCounters("rooms/{r}/counters")).isTrue();
    assertThat(of("rooms/{room}/counters").isOfSameCounters("rooms/r/counters")).isFalse();
    assertThat(of("counters").isOfSameCounters("{parent=**}/counters")).isFalse();
    assertThat(of("counters").isOfSameCounters("")).isFalse();
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
        .withMessageStartingWith("COUNTERS: expected ")
        .withMessageContaining("; found '");
  }
}
