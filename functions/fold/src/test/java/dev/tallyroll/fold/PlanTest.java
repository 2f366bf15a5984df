package dev.tallyroll.fold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.fold.Shard.Change;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.FieldPlace;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlanTest {
  private static final Instant T = Instant.parse("2026-05-01T12:00:00Z");

  private static Shard shard(String id, Map<String, Object> fields) {
    return new Shard(id, T, fields);
  }

  private static Shard partial(Object... data) {
    List<Object> updates =
        Arrays.stream(data).map(fields -> (Object) Map.of("_id_", "u", "_data_", fields)).toList();
    return shard("\t\t012", Map.of("_updates_", updates));
  }

  private static FieldName path(String field) {
    return FieldName.parse(field);
  }

  private static Map<String, Number> sums(Plan plan) {
    return plan.sums().entrySet().stream()
        .collect(Collectors.toMap(sum -> sum.getKey().toString(), Map.Entry::getValue));
  }

  private static Plan all(Shard... shards) {
    return of(field -> true, Set.of(), shards);
  }

  private static Plan of(Predicate<FieldName> wanted, Set<FieldName> blocked, Shard... shards) {
    return Plan.of(List.of(shards), wanted, Map.of(), blocked, /* isCounter= */ false);
  }

  private static Change deleted(Shard shard) {
    return new Change(shard, Map.of());
  }

  @Test
  void everyNumber_isMoved() {
    Shard one = shard("a", Map.of("visits", 2L, "stats", Map.of("likes", 1L, "time", 0.5)));
    Shard other = shard("b", Map.of("visits", 1L, "stats", Map.of("time", 2L)));

    Plan plan = all(one, other);

    assertThat(sums(plan)).isEqualTo(Map.of("visits", 3L, "stats.likes", 1L, "stats.time", 2.5));
    assertThat(plan.changes()).containsExactly(deleted(one), deleted(other));
    assertThat(plan.reasons()).isEmpty();
  }

  @Test
  void partialsUpdates_areMovedAsWell() {
    Shard partial = partial(Map.of("visits", 300L), Map.of("visits", -100L, "s", Map.of("x", 1L)));

    Plan plan = all(partial, shard("a", Map.of("visits", 1L)));

    assertThat(sums(plan)).isEqualTo(Map.of("visits", 201L, "s.x", 1L));
    assertThat(plan.changes()).contains(deleted(partial));
  }

  /** The extension does the same: a query that sorts by the field finds the document. */
  @Test
  void numbersThatCancelOut_makeAFieldOfZero() {
    Plan plan = all(partial(Map.of("visits", 5L), Map.of("visits", -5L)));

    assertThat(sums(plan)).isEqualTo(Map.of("visits", 0L));
    assertThat(plan.changes()).hasSize(1);
  }

  @Test
  void shardWithoutFields_isDeleted() {
    assertThat(all(shard("a", Map.of())).changes()).containsExactly(deleted(shard("a", Map.of())));
  }

  @Test
  void valuesThatAreNoNumbers_stayAndTheOthersGo() {
    Map<String, Object> fields = new HashMap<>();
    fields.put("visits", 1L);
    fields.put("nan", Double.NaN);
    fields.put("endless", Double.POSITIVE_INFINITY);
    fields.put("text", "1");
    fields.put("list", List.of(1L));
    fields.put("nothing", null);
    Shard shard = shard("a", fields);

    Plan plan = all(shard, shard("b", Map.of("visits", 2L)));

    assertThat(sums(plan)).isEqualTo(Map.of("visits", 3L));
    assertThat(plan.changes())
        .contains(new Change(shard, Map.of(path("visits"), Optional.empty())));
    assertThat(plan.reasons().keySet())
        .containsExactlyInAnyOrder(
            path("nan"), path("endless"), path("text"), path("list"), path("nothing"));
    assertThat(plan.reasons().get(path("nan"))).endsWith("found NaN");
  }

  @Test
  void numberedShardsOfACounter_stay() {
    Shard counters = shard("7", Map.of("count", 3L));
    Shard client = shard("a", Map.of("visits", 1L));

    Plan plan =
        Plan.of(
            List.of(counters, client), field -> true, Map.of(), Set.of(), /* isCounter= */ true);

    assertThat(sums(plan)).isEqualTo(Map.of("visits", 1L));
    assertThat(plan.changes()).containsExactly(deleted(client));
    assertThat(plan.reasons().get(path("count"))).contains("num_shards or numShards");
    assertThat(plan.stays()).isEqualTo(1);
    assertThat(all(counters).changes()).containsExactly(deleted(counters));
  }

  @Test
  void shardWithNothingToMove_isNotTouched() {
    assertThat(all(shard("a", Map.of("text", "1"))).changes()).isEmpty();
  }

  /** A path may come twice among those that stay, so they do not become one map. */
  @Test
  void partialsRest_keepsEveryUpdate() {
    Shard partial = partial(Map.of("other", 1L, "visits", 1L), Map.of("other", 2L));

    Plan plan =
        Plan.of(
            List.of(partial), path("visits")::equals, Map.of(), Set.of(), /* isCounter= */ false);

    Object rest = plan.changes().get(0).fields().values().iterator().next().orElseThrow();
    Plan next = all(shard("\t\t012", Map.of("_updates_", rest)));
    assertThat(sums(plan)).isEqualTo(Map.of("visits", 1L));
    assertThat(sums(next)).isEqualTo(Map.of("other", 3L));
  }

  @Test
  void partialOfAnotherForm_stays() {
    Plan plan = all(shard("\t\t012", Map.of("_updates_", List.of("x"))));

    assertThat(plan.changes()).isEmpty();
    assertThat(plan.reasons().keySet()).containsExactly(path("_updates_"));
  }

  @Test
  void fieldsThatAreNotNamed_stay() {
    Shard shard = shard("a", Map.of("visits", 1L, "stats", Map.of("likes", 1L, "other", 1L)));

    Plan plan =
        Plan.of(
            List.of(shard),
            Set.of(path("visits"), path("stats.likes"))::contains,
            Map.of(),
            Set.of(),
            /* isCounter= */ false);

    assertThat(sums(plan)).isEqualTo(Map.of("visits", 1L, "stats.likes", 1L));
    assertThat(plan.reasons()).containsEntry(path("stats.other"), "FOLD_FIELDS does not name it");
  }

  /** A setting has paths, so a field whose own name looks like one is another. */
  @ParameterizedTest
  @ValueSource(strings = {"stats.likes", "my-likes", "9"})
  void fieldThatNoSettingCanName_staysAndSaysSo(String name) {
    Shard shard = shard("a", Map.of(name, 1L));

    Plan plan = of(path("stats.likes")::equals, Set.of(), shard);

    assertThat(sums(plan)).isEmpty();
    assertThat(plan.reasons())
        .containsEntry(
            FieldName.of(name),
            "FOLD_FIELDS cannot name it: expected a name that matches"
                + " [A-Za-z_][A-Za-z0-9_]{0,99}; found "
                + name);
    assertThat(sums(all(shard))).isEqualTo(Map.of(name, 1L));
  }

  /** To name it would not help. */
  @Test
  void valueThatIsNoNumberInAFieldThatIsNotNamed_staysForItself() {
    Plan plan =
        of(
            path("visits")::equals,
            Set.of(),
            shard("a", Map.of("text", "1")),
            shard("\t\t012", Map.of("_updates_", List.of("x"))));

    assertThat(plan.reasons())
        .containsEntry(path("text"), "expected a finite number; found String")
        .containsKey(path("_updates_"))
        .doesNotContainValue("FOLD_FIELDS does not name it");
  }

  @Test
  void fieldThatTheDocumentHoldsSomethingElseIn_isBlocked() {
    Map<String, Object> document = new HashMap<>();
    document.put("title", "Hello");
    document.put("stats", Map.of("likes", 1L, "inner", Map.of("x", 1L)));
    document.put("broken", Double.NaN);
    document.put("nothing", null);

    Set<FieldName> fields =
        Set.of(
            path("title"),
            path("title.x"),
            path("stats"),
            path("stats.likes"),
            path("stats.new"),
            path("stats.inner"),
            path("stats.likes.x"),
            path("broken"),
            path("nothing"),
            path("new.one"));

    assertThat(fields)
        .filteredOn(field -> !Plan.isFree(FieldPlace.in(document, field)))
        .hasSameElementsAs(
            Set.of(
                path("title"),
                path("title.x"),
                path("stats"),
                path("stats.inner"),
                path("stats.likes.x"),
                path("broken"),
                path("nothing")));
  }

  /** One batch cannot write both: the first stands, and the other stays in its shard. */
  @Test
  void fieldInsideAnother_stays() {
    Plan plan = all(shard("a", Map.of("x", 1L)), shard("b", Map.of("x", Map.of("y", 1L), "z", 1L)));

    assertThat(sums(plan)).isEqualTo(Map.of("x", 1L, "z", 1L));
    assertThat(plan.reasons())
        .isEqualTo(
            Map.of(path("x.y"), "another value of the shards is on the way to it, or inside"));
    Plan next = of(field -> true, Set.of(path("x.y")), shard("b", Map.of("x", Map.of("y", 1L))));
    assertThat(next.reasons().get(path("x.y")))
        .endsWith("something else than a number there, or than a map on the way to it");
  }

  private static Plan into(Number visits, Object... values) {
    List<Shard> shards = new ArrayList<>();
    for (Object value : values) {
      shards.add(shard("s" + shards.size(), Map.of("visits", value)));
    }
    return Plan.of(
        shards, field -> true, Map.of(path("visits"), visits), Set.of(), /* isCounter= */ false);
  }

  /** Firestore's increment would stop at the end of the range, and the shard would be gone. */
  @Test
  void whatTheDocumentCannotHold_staysAlone() {
    Plan plan = into(Long.MAX_VALUE - 7, 5L, 100L, 2L, -3L, 3L);

    assertThat(sums(plan)).isEqualTo(Map.of("visits", 7L));
    assertThat(plan.changes()).extracting(change -> change.shard().id()).doesNotContain("s1");
    assertThat(plan.reasons().get(path("visits"))).contains("cannot hold the sum");
    assertThat(plan.stays()).isEqualTo(1);
    assertThat(into(Long.MIN_VALUE, -1L).changes()).isEmpty();
  }

  /** From 2^53 on, a double takes no 1 any more. */
  @ParameterizedTest
  @CsvSource({
    "0, 1e308, false",
    "1e308, 1, false",
    "1e16, 1, false",
    "9007199254740990, 1, true",
    "9007199254740991, 1, false",
    "9007199254740992, 1, false",
    "0.5, 1e15, true",
    "-1e308, -1e308, false"
  })
  void fraction_isMovedWhereTheDocumentHoldsItExactly(double visits, double value, boolean moved) {
    assertThat(into(visits, value).changes().isEmpty()).isNotEqualTo(moved);
  }

  /** Sums of other numbers cost no read, since they fit in any case. */
  @ParameterizedTest
  @CsvSource({
    "0, 1, false",
    "4611686018427387904, 1, false",
    "4611686018427389000, 1, true",
    "0, 1099511627776, false",
    "0, 1099511627777, true",
    "9223372036854775800, 100, true"
  })
  void planNearTheEndsOfARange_needsTheDocumentAsItWasRead(
      long visits, long value, boolean isLarge) {
    assertThat(into(visits, value).isLarge()).isEqualTo(isLarge);
  }

  @Test
  void moreFieldsThanABatchTakes_areMovedByTheNext() {
    Shard shard =
        shard(
            "a",
            IntStream.range(0, 500)
                .boxed()
                .collect(Collectors.toMap(number -> "f" + number, unused -> (Object) 1L)));

    Plan plan = all(shard);

    assertThat(plan.sums()).hasSize(400);
    assertThat(plan.changes().get(0).fields().keySet()).isEqualTo(plan.sums().keySet());
    assertThat(plan.isCut()).isTrue();
    assertThat(plan.reasons()).isEmpty();
    assertThat(plan.stays()).isZero();
  }
}
