package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** deploy, against a project that remembers. */
class DeployIT {

  private final FakeCloud cloud = FakeCloud.empty();

  @Test
  void firstDeploy_makesAllInOrder() {
    assertThat(cloud.exits(0, "deploy")).endsWith("# All is as it should be.\n");
    assertThat(cloud.changes().stream().map(call -> call.replaceAll("^(\\S+ \\S+ \\S+).*", "$1")))
        .containsSubsequence(
            "gcloud services enable",
            "gcloud iam service-accounts",
            "gcloud projects add-iam-policy-binding",
            "gcloud firestore indexes",
            "gcloud firestore fields",
            "gcloud pubsub topics",
            "gcloud functions deploy",
            "gcloud run services",
            "gcloud pubsub subscriptions",
            "gcloud scheduler jobs",
            "gcloud pubsub topics");
    assertThat(cloud.changes()).last().isEqualTo(DeployAgainIT.SWEEP);
    assertThat(cloud.kept("function-tallyroll-on-shard-written")).contains("|RETRY_POLICY_RETRY|");
    assertThat(cloud.kept("function-tallyroll-roll-up")).contains("|RETRY_POLICY_DO_NOT_RETRY|");
    assertThat(cloud.kept("ack-eventarc-trigger-of-tallyroll-on-shard-written")).isEqualTo("120");
    assertThat(cloud.kept("ack-eventarc-trigger-of-tallyroll-roll-up")).isEqualTo("600");
    assertThat(cloud.kept("job-tallyroll-run")).isEqualTo("* * * * *|rollup|run");
    assertThat(cloud.file("stage/function/tallyroll.jar")).exists();
    assertThat(cloud.file("stage/function/libs/other.jar")).exists();
    assertThat(cloud.file("stage/function/.gcloudignore")).hasContent(".gcloudignore\n");
  }

  @Test
  void accounts_mayDoWhatTheyNeedAndNoMore() {
    cloud.exits(0, "deploy");

    String ours = "\"projects/p/databases/(default)\"";
    assertThat(cloud.kept("policy").lines())
        .containsExactlyInAnyOrder(
            member("delivery") + "|roles/eventarc.eventReceiver|",
            member("on-shard-written") + "|roles/datastore.user|resource.name==" + ours,
            member("roll-up") + "|roles/datastore.user|resource.name==" + ours);
    assertThat(cloud.kept("topic-policy").lines())
        .containsExactlyInAnyOrder(
            member("on-shard-written") + "|roles/pubsub.publisher",
            member("roll-up") + "|roles/pubsub.publisher");
    assertThat(cloud.kept("invokers-tallyroll-on-shard-written")).isEqualTo(member("delivery"));
    assertThat(cloud.kept("invokers-tallyroll-roll-up")).isEqualTo(member("delivery"));
  }

  private static String member(String account) {
    return "serviceAccount:tallyroll-" + account + "@p.iam.gserviceaccount.com";
  }

  @Test
  void halfFinishedDeploy_goesOn() throws Exception {
    cloud.answer("^functions deploy tallyroll-roll-up", 1, "ERROR: the build ran out of time");
    assertThat(cloud.exits(1, "deploy"))
        .contains("the build ran out of time", "it goes on from here");
    List<String> before = cloud.changes();
    Files.delete(cloud.file("answers"));
    cloud.forgetCalls();

    cloud.exits(0, "deploy");

    assertThat(cloud.changes()).first().asString().startsWith(before.get(before.size() - 1));
    assertThat(cloud.changes())
        .noneMatch(call -> call.contains("deploy tallyroll-on-shard-written"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          iam service-accounts create; ERROR: PERMISSION_DENIED: no iam.create; needs roles/iam.serviceAccountAdmin in project p
          iam service-accounts create; ERROR: PERMISSION_DENIED: no iam.create; answer:  ERROR: PERMISSION
          pubsub topics describe; ERROR: PERMISSION_DENIED, or it was not found; needs roles/pubsub.viewer
          services list; ERROR: You do not currently have an active account selected.; Nobody is signed in: gcloud auth login
          """)
  void deniedCall_isSaidInWordsAndTheLast(String call, String answer, String words) {
    cloud.answer("^" + call, 1, answer);

    assertThat(cloud.exits(1, "deploy")).contains(words);
    assertThat(cloud.calls()).last().asString().contains(call);
  }

  @Test
  void freshAccount_isTriedABoundedNumberOfTimes() {
    cloud.answer("^projects add-iam", 1, "ERROR: Service account tallyroll-x does not exist.");

    cloud.exits(1, "deploy");

    assertThat(cloud.calls()).filteredOn(call -> call.contains("projects add-iam")).hasSize(6);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          nam5|FIRESTORE_NATIVE|STANDARD; TRIGGER_LOCATION: expected nam5, where the database is
          us-central1|FIRESTORE_NATIVE|ENTERPRISE; expected the Standard edition, found ENTERPRISE
          us-central1|DATASTORE_MODE|STANDARD; expected one in native mode, found DATASTORE_MODE
          """)
  void databaseOfAnotherKind_isRefused(String database, String words) {
    cloud.keep("database", database);

    assertThat(cloud.exits(2, "deploy")).contains(words);
    cloud.exits(2, "deploy --database=other");
  }

  @Test
  void databaseElsewhere_isTakenOnceItsPlaceIsNamed() {
    cloud.keep("database", "nam5|FIRESTORE_NATIVE|STANDARD");

    cloud.exits(0, "deploy --trigger-location=nam5");
  }

  @Test
  void missingDatabase_isNotMade() {
    cloud.answer("^firestore databases describe", 1, "ERROR: NOT_FOUND: no such database");

    assertThat(cloud.exits(2, "deploy"))
        .contains("gcloud firestore databases create --database='(default)'");
    assertThat(cloud.changes()).allMatch(call -> call.contains("services enable"));
  }

  @Test
  void projectOfADomain_hasAccountsTheOtherWayRound() {
    cloud.exits(0, "deploy --project=example.com:p");

    assertThat(cloud.kept("invokers-tallyroll-roll-up"))
        .isEqualTo("serviceAccount:tallyroll-delivery@p.example.com.iam.gserviceaccount.com");
  }

  @Test
  void fromDocumentsToAggregate_waitsForTheIndexAndThenSwitches() {
    cloud.exits(0, "deploy --sum=documents");
    assertThat(cloud.kept("fields")).contains("shards/fields/count|0");

    assertThat(cloud.exits(0, "deploy")).contains("it is being built; once more in 0 s (1 of 360)");
    assertThat(cloud.kept("fields")).doesNotContain("shards/fields/count");
    assertThat(cloud.changes())
        .filteredOn(call -> call.matches(".* (fields update count|functions deploy) .*"))
        .extracting(call -> call.replaceAll(".*[ ,](--\\S*(indexes|exemption)|SUM=\\w+).*", "$1"))
        .containsExactly(
            "SUM=documents",
            "SUM=documents",
            "--disable-indexes",
            "--clear-exemption",
            "SUM=aggregate",
            "SUM=aggregate");
  }

  @Test
  void indexThatIsNeverReady_leavesTheFunctionsAsTheyAre() {
    cloud.exits(0, "deploy --sum=documents");
    cloud.answer("^firestore indexes fields describe", 0, "False|True|0|");
    cloud.forgetCalls();

    assertThat(cloud.exits(1, "deploy")).contains("the index on shards.count is still being built");
    assertThat(cloud.changes()).isEmpty();
  }

  @Test
  void missingArtifact_isRefused() {
    assertThat(cloud.exits(2, "deploy --artifact=" + cloud.file("nothing")))
        .contains("ARTIFACT: expected a folder with one jar", "mvn package");
    assertThat(cloud.file("calls")).doesNotExist();
  }

  @Test
  void token_isNeverAnArgument() {
    cloud.exits(0, "deploy --rules");

    assertThat(cloud.calls()).noneMatch(call -> call.contains("token-of-nobody"));
  }
}
