package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Neighbours in the database, documents in the way, and rules that are there already. */
class LooksIT {

  private static final String SECOND = "deploy --name=second --rollup-topic=second --counters=";

  private final FakeProject project = FakeProject.empty();

  @ParameterizedTest
  @CsvSource({
    "counters, counters",
    "counters, {parent=**}/counters",
    "{parent=**}/counters, rooms/{room}/counters",
    "rooms/{room}/counters, rooms/{house}/counters",
    "rooms/lobby/counters, rooms/{room}/counters"
  })
  void overlappingCounters_areRefused(String there, String here) {
    project.exits(0, SECOND + there);

    assertThat(project.exits(2, "deploy --counters=" + here))
        .contains("COUNTERS: expected a path that no other deployment covers")
        .contains("found " + here + ", and " + there + " of second in us-central1");
  }

  @ParameterizedTest
  @CsvSource({
    "polls, counters",
    "polls, {parent=**}/counters",
    "rooms/{room}/counters, counters",
    "rooms/{room}/counters, houses/{house}/counters",
    "rooms/lobby/counters, rooms/garden/counters"
  })
  void otherCounters_mayShareADatabase(String there, String here) {
    project.exits(0, SECOND + there);

    assertThat(project.exits(0, "deploy --counters=" + here))
        .contains("second (us-central1) counts " + there + " in this database, too; both use: the")
        .contains("the TTL policy on increment_names");
  }

  @Test
  void collectionOfANeighboursTotals_isRefusedForShards() {
    project.exits(0, SECOND + "polls");

    assertThat(project.exits(2, "deploy --shards-collection=rollups --rollups-collection=totals"))
        .contains("SHARDS_COLLECTION: expected a name that is not another deployment's collection");
  }

  @Test
  void neighbourThatCannotBeRead_isRefused() {
    project.exits(0, SECOND + "polls");
    project.set("function", "second-roll-up", "VARIABLES/COUNTERS=");

    assertThat(project.exits(2, "deploy")).contains("and a path that cannot be read of second");
  }

  @Test
  void anotherDatabase_isNobodysBusiness() {
    project.exits(0, SECOND + "polls");
    for (String who : Deployment.FUNCTIONS) {
      project.set(
          "function",
          "second-" + who,
          "VARIABLES/FIRESTORE_DATABASE=other, VARIABLES/COUNTERS=counters");
    }

    project.exits(0, "deploy");
  }

  @Test
  void documentsInTheWay_areTold() {
    project.exits(0, SECOND + "polls");
    project.exits(0, "deploy");
    project.document("rollups/likes", "counter", "counters/likes");
    project.document("rollups/votes", "counter", "polls/votes");
    project.document("rollups/2024-05");
    project.document("rollups/views", "counter", "strangers/views");

    assertThat(project.exits(0, "deploy"))
        .contains("# 2 of 4 documents in collections named rollups lie where a total would go")
        .contains("#   rollups/2024-05\n#   rollups/views (marked strangers/views)\n")
        .contains("remove them, or hand them over: set the field counter");
  }

  private static final String THEIRS = "match /a { allow get: if true && 'b' != \"c\\d\"; }\n";
  private static final String KEPT = "firestore.rules.r0";

  private void keepRules() {
    String name = "projects/p/releases/cloud.firestore";
    project.put("release", name, Json.of("name", name, "rulesetName", "projects/p/rulesets/r0"));
    project.put(
        "ruleset",
        "r0",
        Json.of(
            "source", Json.of("files", Json.array(java.util.List.of(Json.of("content", THEIRS))))));
  }

  @Test
  void otherRules_areReplacedOnlyOnRequest() {
    keepRules();
    assertThat(project.exits(0, "deploy"))
        .contains("left alone (no --rules)", "match /counters/{counter}");
    project.changes.clear();

    assertThat(project.exits(2, "deploy --rules --yes"))
        .contains("expected somebody at a terminal to ask, or --replace-rules, found neither");
    assertThat(project.folder.resolve(KEPT)).hasContent(THEIRS);
    project.typed = Optional.of("no");
    assertThat(project.exits(2, "deploy --rules --yes")).contains("expected replace, found 'no'");
    assertThat(project.changes).isEmpty();

    project.typed = Optional.of("replace");
    project.exits(0, "deploy --rules --yes");
    assertThat(project.get("release", "projects/p/releases/cloud.firestore").toString())
        .contains("rulesets/r2");
    // Our own are no question.
    project.exits(0, "deploy --rules");
  }

  @Test
  void flag_replacesRulesAndKeepsACopyThatIsThere() {
    keepRules();
    project.write(KEPT, "with notes");

    assertThat(project.exits(0, "deploy --rules --dry-run")).contains("deploy would keep its text");
    assertThat(project.exits(0, "deploy --rules --replace-rules --yes"))
        .contains("send projects/p/rulesets/r0 in the same PATCH");

    assertThat(project.folder.resolve(KEPT)).hasContent("with notes");
  }

  @Test
  void rulesOfANamedDatabase_haveTheirOwnRelease() {
    Deployment other =
        new Deployment(
            "p",
            "us-central1",
            "tallyroll",
            "us-central1",
            java.util.Map.of(Setting.FIRESTORE_DATABASE, "other"));

    assertThat(RulesSteps.release(other)).isEqualTo("projects/p/releases/cloud.firestore/other");
  }
}
