package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No function writes a path that the trigger matches: such a loop has cost others a fortune. */
class ITLoops {

  private static final List<String> PARENTS =
      List.of("", "rooms/r/", "a/b/c/d/", "counters/a/shards/b/", "counters/a/", "rollups/a/");

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
    Plan.Command deploy =
        Plan.of("deploy", where, "--stage=" + stage)
            .one("gcloud functions deploy tallyroll-on-shard-written");
    String filter = deploy.only("trigger-event-filters-path-pattern");
    PathPattern trigger = PathPattern.of(filter.substring("document=".length()));

    assertThat(trigger.matches("rollup_runs/0")).isFalse();
    for (String parent : PARENTS) {
      assertThat(trigger.matches(parent + "rollups/likes")).as(parent).isFalse();
    }
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
