package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the trigger matches, by Google's own word. No function writes a path that it matches: such a
 * loop has cost others a fortune.
 */
class LoopsIT {

  private static final List<String> PARENTS =
      List.of("", "rooms/r", "a/b/c/d", "counters/a/shards/b", "counters/a", "rollups/a");
  private static final int WORKERS = 3;

  @TempDir Path stage;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--counters=counters",
        "--counters=rooms/{room}/counters",
        "--counters=counters/{a}/shards/{b}/counters",
        "--counters=rollups/{a}/counters",
        "--counters=a/{x}/c/{y}/counters",
        "--anywhere"
      })
  void ownWrites_missTheTrigger(String where) throws Exception {
    assertMissed(trigger(where), Layout.DEFAULT);
  }

  @Test
  void renamedCollections_missTheTriggerToo() throws Exception {
    Layout layout = new Layout("tallies", "parts", "totals", "turns", "count");

    PathPattern trigger =
        trigger(
            "--anywhere",
            "--counters=tallies",
            "--shards-collection=parts",
            "--rollups-collection=totals",
            "--runs-collection=turns");

    assertMissed(trigger, layout);
    assertThat(trigger.matches("rooms/r/tallies/likes/parts/0")).isTrue();
  }

  /** For counters in many places, every path that the functions write. */
  private static void assertMissed(PathPattern trigger, Layout layout) throws Exception {
    List<String> paths = new ArrayList<>();
    for (String parent : PARENTS) {
      paths.add(layout.rollupDocument(new CounterPath(parent, "likes")));
    }
    for (int worker = 0; worker < WORKERS; worker++) {
      paths.add(layout.runDocument(worker));
    }
    for (String path : paths) {
      assertThat(trigger.matches(path)).as(path).isFalse();
    }
  }

  @Test
  void anywhere_matchesShardsAtTheRootAndNested() throws Exception {
    PathPattern trigger = trigger("--anywhere");

    assertThat(trigger.matches("counters/c/shards/0")).isTrue();
    assertThat(trigger.matches("a/b/counters/c/shards/0")).isTrue();
    assertThat(trigger.matches("a/b/counters/c/shards/0/x/y")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rooms/{room}/counters",
        "a-b_1/{c_2}/0/{d}/counters",
        "{parent=**}/counters",
        "rooms/{room}/{parent=**}/counters",
        "{a=**}/x/{b=**}/counters",
        "rooms/{room=*}/counters",
        "rooms/*/counters",
        "rooms/{room*}/counters",
        "{a}{b}/c/counters",
        "r\u00e4ume/{room}/counters",
        "rooms/{r\u00e4um}/counters",
        "rooms//counters",
        "/counters",
        "rooms/{}/counters",
        "rooms/room}/counters",
        "a|b/c/counters",
        "a b/{room}/counters"
      })
  void pathThatIsAccepted_isATriggersPattern(String counters) throws Exception {
    Plan plan = Plan.of(stage, "deploy", "--counters=" + counters);

    if (plan.code() == 0) {
      assertThat(PathPattern.of(pattern(plan))).isPresent();
      String shard = counters.replaceAll("\\{[^}]*\\}", "some") + "/likes/shards/0";
      assertThat(PathPattern.of(pattern(plan)).orElseThrow().matches(shard)).isTrue();
    } else {
      assertThat(plan.code()).isEqualTo(2);
      assertThat(plan.text()).contains("COUNTERS: expected ").contains("found '" + counters + "'");
    }
  }

  private PathPattern trigger(String... options) throws Exception {
    return PathPattern.of(pattern(Plan.of(stage, "deploy", options))).orElseThrow();
  }

  private static String pattern(Plan plan) {
    Plan.Command deploy = plan.one("gcloud functions deploy tallyroll-on-shard-written");
    String filter = deploy.only("trigger-event-filters-path-pattern");
    return filter.substring("document=".length());
  }
}
