package dev.tallyroll.local.up;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.it.TestTotals;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.up.PageTotals.State;
import dev.tallyroll.local.up.PageTotals.Verdict;
import dev.tallyroll.protocol.Entry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The totals of the page, in a project of its own, which no function watches. */
@On(Site.SHARED)
final class PageTotalsIT {
  private final Firestore firestore;
  private Instant now = Instant.now();

  /** The text that roll-ups have in total_of with the test's settings. */
  private String totalOf = "";

  PageTotalsIT(LocalCloud cloud) {
    firestore =
        FirestoreOptions.newBuilder()
            .setProjectId("demo-" + UUID.randomUUID())
            .setEmulatorHost(cloud.firestoreHost())
            .build()
            .getService();
  }

  @AfterEach
  void close() {
    firestore.shutdown();
  }

  @Test
  void totalThatDiffersForLong_isWrong() throws Exception {
    var totals = totals(Map.of());
    write("counters/likes/shards/0", Map.of("count", 5));
    rollup("", "counters/likes", 5);
    assertThat(totals.states()).containsExactly(state("likes", 5L, 5L, 0, false, Verdict.YES));

    write("counters/likes/shards/1", Map.of("count", 2));
    now = now.plusSeconds(3);
    assertThat(totals.states()).containsExactly(state("likes", 5L, 7L, 3, false, Verdict.NOT_YET));

    now = now.plus(PageTotals.SOON);
    assertThat(totals.readAll()).containsExactly(state("likes", 5L, 7L, 78, false, Verdict.NO));
  }

  @Test
  void deletedCounter_isForgotten() throws Exception {
    var totals = totals(Map.of());
    write("counters/likes", Map.of("num_shards", 1));
    write("counters/likes/shards/0", Map.of("count", 5));
    assertThat(totals.states()).hasSize(1);

    get(firestore.document("counters/likes/shards/0").delete());

    assertThat(totals.states()).isEmpty();
  }

  @Test
  void nestedAndForeignOnes_areToldApart() throws Exception {
    var totals = totals(TestTotals.of("rooms/{room}/counters").settings());
    write("rooms/r1/counters/likes/shards/0", Map.of("count", 0.5));
    rollup("rooms/r1/", "rooms/r1/counters/likes", 0.5);
    write("rollups/mine", Map.of("count", 9));
    write("counters/elsewhere", Map.of("num_shards", 1));

    assertThat(totals.states())
        .containsExactly(state("rooms/r1/likes", 0.5, 0.5, 0, false, Verdict.YES));
    assertThat(totals.advice(""))
        .isEqualTo(
            "counters/elsewhere does not count: \"counters\" is of rooms/{room}/counters/{counter}/shards."
                + " To count there, too, write \"of\": \"{parent=**}/counters/{counter}/shards\".");
  }

  /** A post is a counter of two entries. */
  @Test
  void entries_areToldApart() throws Exception {
    var totals =
        totals(
            Map.of(
                "TOTALS",
                """
                {
                  "likes": {"of": "posts/{post}/likes"},
                  "stars": {"of": "posts/{post}/ratings", "sum": "stars", "into": {"count": "n"}}
                }"""));
    write("posts/p1", Map.of("title", "x"));
    write("posts/p1/likes/ann", Map.of());
    var asOf = Timestamp.ofTimeSecondsAndNanos(now.getEpochSecond() - 1, 0);
    write(
        "likes_rollups/p1",
        Map.of("counter", "posts/p1", "total_of", totalOf, "count", 1, "shards", 1, "as_of", asOf));
    write("posts/p1/ratings/ann", Map.of("stars", 4));

    assertThat(totals.states())
        .containsExactly(
            state("likes of posts/p1", 1L, 1L, 0, false, Verdict.YES),
            state("stars of posts/p1", null, 4L, 0, false, Verdict.NOT_YET));
    assertThat(totals.advice("")).isEmpty();
  }

  @Test
  void smallChange_isHeldWithinPrecision() throws Exception {
    var totals = totals(TestTotals.polled("PT1M").with("hold", "PT4M").settings());
    write("counters/hot/shards/0", Map.of("count", 1_009));
    rollup("", "counters/hot", 1_000);
    totals.states();
    now = now.plus(PageTotals.SOON).plusSeconds(1);

    assertThat(totals.states())
        .containsExactly(new State("hot", 1_000L, 1_009L, 76, true, true, Verdict.NOT_YET));

    write("counters/hot/shards/0", Map.of("count", 1_010));
    assertThat(totals.states())
        .containsExactly(new State("hot", 1_000L, 1_010L, 76, false, false, Verdict.NO));
  }

  /** Without events, a total that differs waits for the next poll. */
  @Test
  void withPolls_aTotalIsAwaited() throws Exception {
    var totals = totals(TestTotals.polled("PT1M").settings());
    write("counters/likes/shards/0", Map.of("count", 5));
    rollup("", "counters/likes", 5);
    write("counters/hot", Map.of("num_shards", 1));
    write("counters/hot/shards/0", Map.of("count", 3));

    assertThat(totals.states())
        .containsExactly(
            state("hot", null, 3L, 0, true, Verdict.NOT_YET),
            state("likes", 5L, 5L, 0, false, Verdict.YES));
  }

  @Test
  void fields_areRightOnceNoShardHoldsAny() throws Exception {
    var totals = totals(Map.of("FOLD", "PT1S", "FOLD_DOCUMENTS", "pages/{page}"));
    write("pages/p1", Map.of("visits", 1_000, "title", "Hello"));
    write("pages/p1/_counter_shards_/a", Map.of("visits", 2, "title", 1));
    var update = Map.of("_id_", "x", "_data_", Map.of("visits", 300));
    write("pages/p1/_counter_shards_/\t\t012", Map.of("_updates_", List.of(update)));
    write("others/o1/_counter_shards_/a", Map.of("visits", 2));

    assertThat(totals.states())
        .extracting(State::counter, State::total, State::exact, State::awaited, State::right)
        .containsExactly(
            tuple("pages/p1 title", null, 1L, false, Verdict.STAYS),
            tuple("pages/p1 visits", 1_000L, 1_302L, true, Verdict.NOT_YET));
    assertThat(totals.advice(""))
        .isEqualTo(
            "Shards lie below others/{other}, FOLD_DOCUMENTS names pages/{page}. To fold them, too,"
                + " start with FOLD_DOCUMENTS='pages/{page} others/{other}'.");

    now = now.plus(PageTotals.SOON).plus(Duration.ofMinutes(1));
    assertThat(totals.states()).extracting(State::right).containsExactly(Verdict.STAYS, Verdict.NO);
  }

  @Test
  void fieldThatFoldFieldsLeavesOut_stays() throws Exception {
    var settings =
        Map.of("FOLD", "PT1S", "FOLD_DOCUMENTS", "pages/{page}", "FOLD_FIELDS", "visits");
    var totals = totals(settings);
    write("pages/p1", Map.of("visits", 1_000, "likes", 7));
    write("pages/p1/_counter_shards_/a", Map.of("visits", 2, "likes", 3));

    assertThat(totals.states())
        .extracting(State::counter, State::total, State::exact, State::awaited, State::right)
        .containsExactly(
            tuple("pages/p1 likes", 7L, 3L, false, Verdict.STAYS),
            tuple("pages/p1 visits", 1_000L, 1_002L, true, Verdict.NOT_YET));
    assertThat(totals.advice("")).isEmpty();
  }

  /** Whoever may write shards chooses the names around them. */
  @Test
  void namesOfCollections_actOnNoTerminalAndInNoCommand() throws Exception {
    var totals = totals(Map.of("FOLD", "PT1S", "FOLD_DOCUMENTS", "pages/{page}"));
    write("a'$(x)\u001b[2J/o1/_counter_shards_/a", Map.of("visits", 2));

    totals.states();
    assertThat(totals.advice(""))
        .isEqualTo(
            "Shards lie below a'$(x)\\u001b[2J/{a___x___2J}, FOLD_DOCUMENTS names pages/{page}. A"
                + " setting names only collections of letters, digits, _ and -.");

    write("others/o1/_counter_shards_/a", Map.of("visits", 2));
    totals.states();
    assertThat(totals.advice("")).endsWith("start with FOLD_DOCUMENTS='others/{other}'.");

    write("pages/p1", Map.of("title", "now there"));
    totals.states();
    assertThat(totals.advice("")).endsWith("FOLD_DOCUMENTS='pages/{page} others/{other}'.");
  }

  @Test
  void nameOfADocument_actsOnNoTerminal() throws Exception {
    var totals = totals(TestTotals.of("rooms/{room}/counters").settings());
    write("a\u001b[2J/a/counters/b", Map.of("num_shards", 1));

    totals.states();
    assertThat(totals.advice("")).startsWith("a\\u001b[2J/a/counters/b does not count");
  }

  private PageTotals totals(Map<String, String> environment) {
    Served served = Served.by(environment);
    totalOf = served.entries().stream().findFirst().map(Entry::totalOf).orElse("");
    return new PageTotals(firestore, served, List.of(), () -> now);
  }

  private static State state(
      String counter,
      @Nullable Number total,
      @Nullable Number exact,
      double lag,
      boolean awaited,
      Verdict right) {
    return new State(counter, total, exact, lag, awaited, /* held= */ false, right);
  }

  private void rollup(String parent, String counter, Number count) throws Exception {
    var asOf = Timestamp.ofTimeSecondsAndNanos(now.getEpochSecond() - 1, 0);
    write(
        parent + "rollups/" + counter.replaceAll(".*/", ""),
        Map.of("counter", counter, "total_of", totalOf, "count", count, "as_of", asOf));
  }

  private void write(String document, Map<String, Object> fields) throws Exception {
    get(firestore.document(document).set(fields));
  }
}
