package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What deploy looks at before it touches anything, and what it refuses. */
class LooksIT {

  private final FakeCloud cloud = FakeCloud.empty();

  @Test
  void documentsInTheWay_areTold() {
    cloud.holds(
        "rollups",
        "rollups/likes counters/likes",
        "rollups/2024-05",
        "rollups/views polls/views",
        "tenants/t1/rollups/2024-05");

    assertThat(cloud.exits(0, "deploy"))
        .contains("looked at 4 documents; 1 lie where no total of ours goes")
        .contains("# 2 lie where a total would go, and are not ours")
        .contains("#   rollups/2024-05\n#   rollups/views (marked polls/views)\n")
        .contains("remove them, or hand them over: set the field counter");
  }

  @Test
  void documentsElsewhere_areInTheWayOfCountersAnywhere() {
    cloud.holds("rollups", "rollups/likes counters/likes", "tenants/t1/rollups/2024-05");

    assertThat(cloud.exits(0, "deploy --anywhere"))
        .contains("# 1 lie where a total would go", "#   tenants/t1/rollups/2024-05\n");
  }

  @Test
  void documentsInARoomsPlace_areThoseOfRoomsOnly() {
    cloud.holds("rollups", "rollups/2024-05", "rooms/r1/rollups/x", "rooms/r1/x/y/rollups/x");

    assertThat(cloud.exits(0, "deploy --counters=rooms/{room}/counters"))
        .contains("# 1 lie where a total would go", "#   rooms/r1/rollups/x\n");
  }

  @Test
  void ttlOverDocumentsOfOthers_isRefused() {
    cloud.holds(
        "increment_names", "counters/likes/increment_names/order-1", "jobs/j1/increment_names/x");

    assertRefused(
        "",
        "INCREMENTS_COLLECTION: expected only names of increments in increment_names, found 1",
        "  jobs/j1/increment_names/x\n");
  }

  @Test
  void ttlOverNamesOfIncrements_isSet() {
    cloud.holds("increment_names", "counters/likes/increment_names/order-1");

    cloud.exits(0, "deploy");

    assertThat(cloud.kept("ttls")).isEqualTo("increment_names/fields/expire_at|CREATING");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          ttls; increment_names/fields/until|ACTIVE; ''; found one on increment_names.until
          fields; rollups/fields/live_until|3; ''; expected no index settings of others on rollups.live_until, found 3
          fields; rollups/fields/as_of|3; ''; expected no index settings of others on rollups.as_of, found 3
          fields; rollups/fields/counter|3; ''; expected no index settings of others on rollups.counter, found 3
          fields; increment_names/fields/expire_at|3; ''; expected no index settings of others on increment_names.expire_at, found 3
          fields; shards/fields/count|3; --sum=documents; expected no index settings of others on shards.count, found 3
          topic-rollup; ''; ''; ROLLUP_TOPIC: expected a topic of tallyroll, found one without a label
          topic-rollup; ''; ''; gcloud pubsub topics update rollup --update-labels=tallyroll=tallyroll --project=p
          topic-rollup; second; ''; expected a topic of tallyroll, found one of second
          deployment-old; old|us-central1|(default)||shards|rollups|runs|count|aggregate|; ''; and a path that cannot be read of old in us-central1
          """)
  void whatOthersHave_isRefused(String kept, String text, String option, String words) {
    cloud.keep(kept, text);

    assertRefused(option, words);
  }

  @ParameterizedTest
  @CsvSource({
    "counters, counters",
    "counters, {parent=**}/counters",
    "{parent=**}/counters, rooms/{room}/counters",
    "rooms/{room}/counters, rooms/{house}/counters",
    "rooms/lobby/counters, rooms/{room}/counters"
  })
  void overlappingCounters_areRefused(String there, String here) {
    deploySecond(there);

    assertRefused(
        "--counters=" + here,
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
  void otherCounters_mayShareADatabase(String there, String here) {
    deploySecond(there);
    cloud.holds("rollups", "rollups/x polls/x");

    assertThat(cloud.exits(0, "deploy --counters=" + here))
        .contains("second (us-central1) counts " + there + " in this database, too; both use: the")
        .contains("the TTL policy on increment_names");
  }

  @Test
  void totalsOfANeighbour_areNotInTheWay() {
    deploySecond("polls");
    cloud.holds("rollups", "rollups/x polls/x", "rollups/y strangers/y");

    assertThat(cloud.exits(0, "deploy"))
        .contains("and 1 are totals of the deployments named above")
        .contains("# 1 lie where a total would go", "#   rollups/y (marked strangers/y)\n");
  }

  @Test
  void anotherDatabase_isNobodysBusiness() {
    cloud.exits(0, "deploy --name=second --rollup-topic=second --database=other");

    cloud.exits(0, "deploy");
  }

  @Test
  void sameNameInAnotherRegion_isRefused() {
    deploySecond("polls");
    cloud.keep("deployment-far", cloud.kept("deployment-second-roll-up").replace("us-c", "eu-c"));

    assertRefused(
        "--name=second --counters=polls --rollup-topic=second",
        "NAME: expected one that no other deployment of the project has, found second in eu-central1");
  }

  @ParameterizedTest
  @CsvSource({
    "--sum=documents, 'SUM: expected aggregate as second has it, found documents'",
    "--shards-collection=rollups --rollups-collection=totals, SHARDS_COLLECTION: expected a name"
        + " that is not another deployment's collection"
  })
  void whatDoesNotFitANeighbour_isRefused(String options, String words) {
    deploySecond("polls");

    assertRefused(options, words);
  }

  @Test
  void dryRun_looksAndChangesNothing() {
    cloud.holds("increment_names", "jobs/j1/increment_names/x");

    assertRefused("--dry-run", "  jobs/j1/increment_names/x\n");
  }

  @Test
  void dryRun_saysWhatItMayNotLookAt() {
    cloud.answer("^functions list", 1, "ERROR: PERMISSION_DENIED: no functions.list");

    assertThat(cloud.exits(0, "deploy --dry-run"))
        .contains("this look was left out: PERMISSION_DENIED: no functions");
    assertThat(cloud.changes()).isEmpty();
  }

  @Test
  void dryRunOfNobody_saysThatTheLooksWereLeftOut() {
    cloud.answer("^auth print-access-token", 1, "ERROR: You do not have an active account");

    assertThat(cloud.exits(0, "deploy --dry-run")).contains("this dry run leaves the looks out");
    assertThat(cloud.calls()).hasSize(1);
  }

  private void deploySecond(String counters) {
    cloud.exits(0, "deploy --name=second --rollup-topic=second --counters=" + counters);
    cloud.forgetCalls();
  }

  private void assertRefused(String options, String... words) {
    assertThat(cloud.exits(2, "deploy " + options)).contains(words);
    assertThat(cloud.changes()).allMatch(call -> call.startsWith("gcloud services enable"));
  }
}
