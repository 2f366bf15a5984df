package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What deploy looks at before it touches anything, and what it refuses. */
class ITLooks {

  @TempDir Path folder;
  private FakeCloud cloud;

  @BeforeEach
  void makeProject() throws Exception {
    cloud = FakeCloud.in(folder);
  }

  @Test
  void documentsInTheWay_areTold() throws Exception {
    cloud.holds(
        "rollups",
        "rollups/likes counters/likes",
        "rollups/2024-05",
        "rollups/views polls/views",
        "tenants/t1/rollups/2024-05");

    Shell.Result result = cloud.run("deploy");

    assertThat(result.code()).as(result.text()).isZero();
    assertThat(result.text())
        .contains("looked at 4 documents; 1 lie where no total of ours goes")
        .contains("# 2 lie where a total would go, and are not ours")
        .contains("#   rollups/2024-05\n#   rollups/views (marked polls/views)\n")
        .contains("remove them, or hand them over: set the field counter");
  }

  @Test
  void documentsElsewhere_areInTheWayOfCountersAnywhere() throws Exception {
    cloud.holds("rollups", "rollups/likes counters/likes", "tenants/t1/rollups/2024-05");

    assertThat(cloud.run("deploy", "--anywhere").text())
        .contains("# 1 lie where a total would go", "#   tenants/t1/rollups/2024-05\n");
  }

  @Test
  void documentsInARoomsPlace_areThoseOfRoomsOnly() throws Exception {
    cloud.holds("rollups", "rollups/2024-05", "rooms/r1/rollups/x", "rooms/r1/x/y/rollups/x");

    assertThat(cloud.run("deploy", "--counters=rooms/{room}/counters").text())
        .contains("# 1 lie where a total would go", "#   rooms/r1/rollups/x\n");
  }

  @Test
  void ttlOverDocumentsOfOthers_isRefused() throws Exception {
    cloud.holds(
        "increment_names", "counters/likes/increment_names/order-1", "jobs/j1/increment_names/x");

    assertRefused(
        cloud.run("deploy"),
        "INCREMENTS_COLLECTION: expected only names of increments in increment_names, found 1",
        "  jobs/j1/increment_names/x\n");
  }

  @Test
  void ttlOverNamesOfIncrements_isSet() throws Exception {
    cloud.holds("increment_names", "counters/likes/increment_names/order-1");

    Shell.Result result = cloud.run("deploy");

    assertThat(result.code()).as(result.text()).isZero();
    assertThat(cloud.kept("ttls")).isEqualTo("increment_names/fields/expire_at|CREATING");
  }

  @Test
  void ttlOfOthers_isRefused() throws Exception {
    cloud.keep("ttls", "increment_names/fields/until|ACTIVE");

    assertRefused(cloud.run("deploy"), "found one on increment_names.until");
  }

  @ParameterizedTest
  @CsvSource({
    "rollups/fields/live_lane, ''",
    "rollups/fields/live_until, ''",
    "rollups/fields/as_of, ''",
    "rollups/fields/counter, ''",
    "increment_names/fields/expire_at, ''",
    "shards/fields/count, --sum=documents"
  })
  void indexSettingsOfOthers_areRefused(String field, String option) throws Exception {
    cloud.keep("fields", field + "|3");

    assertRefused(
        option.isEmpty() ? cloud.run("deploy") : cloud.run("deploy", option),
        "expected no index settings of others on " + field.replace("/fields/", ".") + ", found 3");
  }

  @Test
  void topicWithoutALabel_isRefused() throws Exception {
    cloud.keep("topic-rollup", "");

    assertRefused(
        cloud.run("deploy"),
        "ROLLUP_TOPIC: expected a topic of tallyroll, found one without a label",
        "gcloud pubsub topics update rollup --update-labels=tallyroll=tallyroll --project=p");
  }

  @Test
  void topicOfAnotherDeployment_isRefused() throws Exception {
    cloud.keep("topic-rollup", "second");

    assertRefused(cloud.run("deploy"), "expected a topic of tallyroll, found one of second");
  }

  @ParameterizedTest
  @CsvSource({
    "counters, counters",
    "counters, {parent=**}/counters",
    "{parent=**}/counters, rooms/{room}/counters",
    "rooms/{room}/counters, rooms/{house}/counters",
    "rooms/lobby/counters, rooms/{room}/counters"
  })
  void overlappingCounters_areRefused(String there, String here) throws Exception {
    deploySecond(there);

    assertRefused(
        cloud.run("deploy", "--counters=" + here),
        "COUNTERS: expected a path that no other deployment covers",
        "found " + here + ", and " + there + " of second in us-central1");
  }

  @ParameterizedTest
  @CsvSource({
    "polls, counters",
    "polls, {parent=**}/counters",
    "rooms/{room}/counters, counters",
    "rooms/{room}/counters, houses/{house}/counters",
    "rooms/lobby/counters, rooms/garden/counters"
  })
  void otherCounters_mayShareADatabase(String there, String here) throws Exception {
    deploySecond(there);
    cloud.holds("rollups", "rollups/x polls/x");

    Shell.Result result = cloud.run("deploy", "--counters=" + here);

    assertThat(result.code()).as(result.text()).isZero();
    assertThat(result.text())
        .contains("second (us-central1) counts " + there + " in this database, too; both use: the")
        .contains("the TTL policy on increment_names");
  }

  @Test
  void totalsOfANeighbour_areNotInTheWay() throws Exception {
    deploySecond("polls");
    cloud.holds("rollups", "rollups/x polls/x", "rollups/y strangers/y");

    assertThat(cloud.run("deploy").text())
        .contains("and 1 are totals of the deployments named above")
        .contains("# 1 lie where a total would go", "#   rollups/y (marked strangers/y)\n");
  }

  @Test
  void anotherDatabase_isNobodysBusiness() throws Exception {
    assertThat(
            cloud
                .run("deploy", "--name=second", "--rollup-topic=second", "--database=other")
                .code())
        .isZero();

    assertThat(cloud.run("deploy").code()).isZero();
  }

  @Test
  void sameNameInAnotherRegion_isRefused() throws Exception {
    deploySecond("polls");
    cloud.keep("deployment-far", cloud.kept("deployment-second-roll-up").replace("us-c", "eu-c"));

    assertRefused(
        cloud.run("deploy", "--name=second", "--counters=polls", "--rollup-topic=second"),
        "NAME: expected one that no other deployment of the project has, found second in eu-central1");
  }

  @Test
  void sumThatANeighbourHasNot_isRefused() throws Exception {
    deploySecond("polls");

    assertRefused(
        cloud.run("deploy", "--sum=documents"),
        "SUM: expected aggregate as second has it, found documents");
  }

  @Test
  void shardsNamedLikeANeighboursRollups_areRefused() throws Exception {
    deploySecond("polls");

    assertRefused(
        cloud.run("deploy", "--shards-collection=rollups", "--rollups-collection=totals"),
        "SHARDS_COLLECTION: expected a name that is not another deployment's collection");
  }

  @Test
  void unreadableNeighbour_isRefused() throws Exception {
    cloud.keep("deployment-old", "old|us-central1|(default)||shards|rollups|runs|count|aggregate|");

    assertRefused(cloud.run("deploy"), "and a path that cannot be read of old in us-central1");
  }

  @Test
  void dryRun_looksAndChangesNothing() throws Exception {
    cloud.holds("increment_names", "jobs/j1/increment_names/x");

    assertRefused(cloud.run("deploy", "--dry-run"), "  jobs/j1/increment_names/x\n");
  }

  @Test
  void dryRun_saysWhatItMayNotLookAt() throws Exception {
    cloud.answer("^functions list", 1, "ERROR: PERMISSION_DENIED: no functions.list");

    Shell.Result result = cloud.run("deploy", "--dry-run");

    assertThat(result.code()).as(result.text()).isZero();
    assertThat(result.text()).contains("this look was left out: PERMISSION_DENIED: no functions");
    assertThat(cloud.changes()).isEmpty();
  }

  @Test
  void dryRunOfNobody_saysThatTheLooksWereLeftOut() throws Exception {
    cloud.answer("^auth print-access-token", 1, "ERROR: You do not have an active account");

    Shell.Result result = cloud.run("deploy", "--dry-run");

    assertThat(result.code()).as(result.text()).isZero();
    assertThat(result.text()).contains("this dry run leaves the looks out");
    assertThat(cloud.calls()).hasSize(1);
  }

  private void deploySecond(String counters) throws Exception {
    Shell.Result result =
        cloud.run("deploy", "--name=second", "--rollup-topic=second", "--counters=" + counters);
    assertThat(result.code()).as(result.text()).isZero();
    cloud.forgetCalls();
  }

  private void assertRefused(Shell.Result result, String... words) {
    assertThat(result.code()).as(result.text()).isEqualTo(2);
    assertThat(result.text()).contains(words);
    assertThat(cloud.changes()).allMatch(call -> call.startsWith("gcloud services enable"));
  }
}
