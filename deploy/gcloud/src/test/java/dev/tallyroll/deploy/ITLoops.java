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

/** No function writes a path that the trigger matches: such a loop has cost others a fortune. */
class ITLoops {

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
  void ownWrites_missTheTrigger(String where) {
    PathPattern trigger = trigger(where, "--stage=" + stage);

    assertThat(written(Layout.DEFAULT)).noneMatch(trigger::matches);
  }

  /** Every path that the functions write, for counters in many places. */
  private static List<String> written(Layout layout) {
    List<String> paths = new ArrayList<>();
    for (String parent : PARENTS) {
      paths.add(layout.rollupDocument(new CounterPath(parent, "likes")));
    }
    for (int worker = 0; worker < WORKERS; worker++) {
      paths.add(layout.runDocument(worker));
    }
    return paths;
  }

  @Test
  void renamedCollections_missTheTriggerToo() {
    Layout layout = new Layout("tallies", "parts", "totals", "turns", "count");
    String[] names = {
      "--anywhere",
      "--counters-collection=tallies",
      "--shards-collection=parts",
      "--rollups-collection=totals",
      "--runs-collection=turns",
      "--stage=" + stage
    };

    PathPattern trigger = trigger(names);

    assertThat(written(layout)).noneMatch(trigger::matches);
    String shards = layout.shardsCollection(new CounterPath("rooms/r", "likes"));
    assertThat(trigger.matches(shards + "/0")).isTrue();
  }

  private static PathPattern trigger(String... options) {
    Plan.Command deploy =
        Plan.of("deploy", options).one("gcloud functions deploy tallyroll-on-shard-written");
    String filter = deploy.only("trigger-event-filters-path-pattern");
    return PathPattern.of(filter.substring("document=".length()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"counters/c/shards/0", "a/b/counters/c/shards/0"})
  void anywhere_matchesShards(String shard) {
    assertThat(PathPattern.of("{parent=**}/counters/{counter}/shards/{shard}").matches(shard))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--rollups-collection=shards",
        "--runs-collection=counters",
        "--shards-collection=passes"
      })
  void oneNameForTwoCollections_isRefused(String option) {
    Plan plan = Plan.of("deploy", option, "--stage=" + stage);

    assertThat(plan.code()).isEqualTo(2);
    assertThat(plan.text()).contains("expected a name that no other collection has");
  }
}
