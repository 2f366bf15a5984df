package dev.tallyroll.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.CounterPath;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The places of counters, and the counter of every other path. */
class LayoutTest {
  private static Layout of(String counters) {
    return new Layout(counters + "/{c}/shards", "rollups", "count");
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

  @ParameterizedTest
  @CsvSource({
    "users/{u}/followers, profiles/{u}, users/ann/followers, profiles/ann",
    "a/{x}/b/{y}/c, d/{y}/e/{x}, a/1/b/2/c, d/2/e/1",
    "a/{x}/c, p/q/r/{x}, a/1/c, p/q/r/1",
    "a/{x}/c, p/{x}, a/{x}/c, p/{x}",
    "a/{x}/c, p/{x}/q/r, a/1/c, p/1/q/r",
    "a/b/c, p/q, a/b/c, p/q",
    "users, stats/app, users, stats/app"
  })
  void documents_mayBeElsewhere(String of, String document, String shards, String counter) {
    Layout layout = new Layout(of, document, "totals", "");
    CounterPath found = layout.counterOfShard(shards + "/s").orElseThrow();

    assertThat(layout.counterDocument(found)).isEqualTo(counter);
    assertThat(layout.shardsCollection(found)).isEqualTo(shards);
    assertThat(layout.counterOfDocument(counter)).contains(found);
    assertThat(layout.counterOfRollup(layout.rollupDocument(found))).contains(found);
    assertThat(layout.counterOfShard(counter + "/" + layout.shards() + "/s")).isEmpty();
    assertThat(layout.counterOfShard(shards + "/s/t/u")).isEmpty();
    assertThat(layout.counterOfDocument(shards.replaceAll("(^|/)[^/]*$", ""))).isEmpty();
    assertThat(layout.isOfShard(shards + "/s")).isTrue();
    assertThat(layout.isOfShard("x/y/z/s")).isFalse();
  }

  /** Their texts are ids, if they can be. */
  @ParameterizedTest
  @CsvSource({
    "tickets, teams/{teamId}, tickets/t, red, teams/red, tickets",
    "a/{x}/c, p/{teamId}/q/{x}, a/1/c/t, red, p/red/q/1, a/1/c",
    "a/{x}/c, p/{x}/q/{teamId}/r/s, a/1/c/t, __id7__, p/1/q/__id7__/r/s, a/1/c"
  })
  void fieldsOfShards_sayOfWhichDocument(
      String of, String document, String shard, String text, String counter, String shards) {
    Layout layout = new Layout(of, document, "totals", "");
    FieldName team = FieldName.of("teamId");

    CounterPath found =
        layout
            .counterOfShard(
                shard, field -> field.equals(team) ? Optional.of(text) : Optional.empty())
            .orElseThrow();

    assertThat(layout.counterDocument(found)).isEqualTo(counter);
    assertThat(layout.shardsCollection(found)).isEqualTo(shards);
    assertThat(layout.conditions(found)).isEqualTo(new Conditions(Map.of(team, Optional.of(text))));
    assertThat(layout.choosing()).containsExactly(team);
    assertThat(layout.isOfShard(shard)).isTrue();
    assertThat(layout.isOfShard(counter)).isFalse();
    assertThat(layout.counterOfShard(shard)).isEmpty();
    for (String none :
        List.of("", ".", "..", "__x__", "a/b", "a/b/c", "\ud800", "x".repeat(1_501))) {
      assertThat(layout.counterOfShard(shard, field -> Optional.of(none))).isEmpty();
    }
  }

  @Test
  void onlyDocument_isTheOneOfAPathWithoutVariables() {
    assertThat(new Layout("users", "stats/app", "totals", "").only())
        .contains(CounterPath.of("app"));
    assertThat(new Layout("a/b/c", "a/b", "totals", "").only()).contains(CounterPath.of("b"));
    assertThat(new Layout("a/{b}/c", "a/{b}", "totals", "").only()).isEmpty();
    assertThat(Layout.DEFAULT.only()).isEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new Layout("users", "stats/app", "totals", "").counterDocument(CounterPath.of("x")))
        .withMessage("id of the counter: expected app; found 'x'");
    assertThat(new Layout("users", "stats/app", "totals", "").counterOfDocument("stats/x"))
        .isEmpty();
  }

  @Test
  void totalOf_namesDocumentsThatAreElsewhere() {
    assertThat(new Layout("a/{x}/b/{y}/c", "d/{y}/e/{x}", "totals", "n").totalOf())
        .isEqualTo("sum of n in a/{1}/b/{2}/c for d/{2}/e/{1}");
  }

  @ParameterizedTest
  @CsvSource({
    "a/{x}/c, p/{y}",
    "a/{x}/c, p/q",
    "a/{x}/c, p/{x}/q",
    "a/{x}/c, p/{x}/q/{x}",
    "a/{x}/b/{y}/c, p/{x}",
    "a/{x}/b/{x}/c, p/{x}",
    "{parent=**}/a/{x}/c, p/{x}",
    "a/{x}, p/{x}"
  })
  void documentsWithOtherVariables_areRefused(String of, String document) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Layout(of, document, "totals", ""))
        .withMessageStartingWith("document: expected ")
        .withMessageContaining("; found '");
  }

  @Test
  void otherPlace_hasTheSameConditions() {
    Conditions shown = new Conditions(Map.of(FieldName.of("shown"), Optional.of(true)));
    Layout anywhere =
        new Layout(
            "{parent=**}/posts/{post}/likes", "{parent=**}/posts/{post}", "totals", "n", shown);

    assertThat(anywhere.in("posts"))
        .isEqualTo(new Layout("posts/{post}/likes", "posts/{post}", "totals", "n", shown));
    assertThat(anywhere.read()).containsExactlyInAnyOrder(FieldName.of("n"), FieldName.of("shown"));
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
    Layout others = new Layout(layout.of(), "totals", "count");

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
  void trigger_isTheSameWhateverTheNamesOfVariables() {
    assertThat(of("rooms/{shard}/counters").trigger())
        .isEqualTo("rooms/{id0}/counters/{counter}/shards/{shard}")
        .isEqualTo(of("rooms/{room}/counters").trigger());
    assertThat(of("{parent=**}/counters").trigger())
        .isEqualTo("{parent=**}/counters/{counter}/shards/{shard}");
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
        .withMessageStartingWith("document: expected ")
        .withMessageContaining("; found '");
  }
}
