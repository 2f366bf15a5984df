package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** deploy, against a project that remembers. */
class DeployIT {

  private static final String SWEEP =
      "gcloud pubsub topics publish rollup --project=p --message=sweep --attribute=kind=sweep";

  @TempDir Path folder;
  private FakeCloud cloud;

  @BeforeEach
  void makeProject() throws Exception {
    cloud = FakeCloud.in(folder);
  }

  @Test
  void firstDeploy_makesAllInOrder() {
    assertThat(cloud.exits(0, "deploy")).endsWith("# All is as it should be.\n");
    assertThat(cloud.changes().stream().map(DeployIT::kind))
        .containsSubsequence(
            "services enable",
            "iam service-accounts",
            "projects add-iam-policy-binding",
            "firestore indexes",
            "firestore fields",
            "pubsub topics",
            "functions deploy",
            "run services",
            "pubsub subscriptions",
            "scheduler jobs",
            "pubsub topics");
    assertThat(cloud.changes()).last().isEqualTo(SWEEP);
    assertThat(cloud.kept("function-tallyroll-on-shard-written")).contains("|RETRY_POLICY_RETRY|");
    assertThat(cloud.kept("function-tallyroll-roll-up")).contains("|RETRY_POLICY_DO_NOT_RETRY|");
    assertThat(cloud.kept("ack-eventarc-trigger-of-tallyroll-on-shard-written")).isEqualTo("120");
    assertThat(cloud.kept("ack-eventarc-trigger-of-tallyroll-roll-up")).isEqualTo("600");
    assertThat(cloud.kept("job-tallyroll-run")).isEqualTo("* * * * *|rollup|run");
  }

  private static String kind(String call) {
    String[] words = call.split(" ", -1);
    return words[1] + " " + words[2];
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
  void secondDeploy_changesNothingAndSweeps() throws Exception {
    cloud.exits(0, "deploy", "--rules");
    cloud.forgetCalls();

    cloud.exits(0, "deploy", "--rules");

    assertThat(cloud.changes()).containsExactly(SWEEP);
  }

  @Test
  void newArtifactOrSetting_deploysBothFunctionsAgain() throws Exception {
    cloud.exits(0, "deploy");
    cloud.forgetCalls();
    cloud.rebuildArtifact();

    cloud.exits(0, "deploy");
    cloud.exits(0, "deploy", "--slack=PT2S");

    assertThat(cloud.changes()).hasSize(6);
    assertThat(cloud.changes().subList(0, 2)).allMatch(call -> call.contains("functions deploy"));
    assertThat(cloud.changes().subList(3, 5)).allMatch(call -> call.contains(",SLACK=PT2S,"));
  }

  @Test
  void halfFinishedDeploy_goesOn() throws Exception {
    cloud.answer("^functions deploy tallyroll-roll-up", 1, "ERROR: the build ran out of time");
    String first = cloud.exits(1, "deploy");
    List<String> before = cloud.changes();
    cloud.answerAsItIs();
    cloud.forgetCalls();

    cloud.exits(0, "deploy");

    assertThat(first).contains("the build ran out of time", "it goes on from here");
    assertThat(cloud.changes()).first().asString().startsWith(before.get(before.size() - 1));
    assertThat(cloud.changes())
        .noneMatch(call -> call.contains("deploy tallyroll-on-shard-written"));
  }

  @Test
  void failedFunction_isDeployedAgain() throws Exception {
    cloud.exits(0, "deploy");
    String good = cloud.kept("function-tallyroll-roll-up");
    cloud.keep("function-tallyroll-roll-up", good.replace("ACTIVE", "FAILED"));

    cloud.exits(0, "deploy");

    assertThat(cloud.kept("function-tallyroll-roll-up")).isEqualTo(good);
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
  void deniedCall_isSaidInWordsAndTheLast(String call, String answer, String words)
      throws Exception {
    cloud.answer("^" + call, 1, answer);

    assertThat(cloud.exits(1, "deploy")).contains(words);
    assertThat(cloud.calls()).last().asString().contains(call);
  }

  @Test
  void freshAccount_isTriedABoundedNumberOfTimes() throws Exception {
    cloud.answer("^projects add-iam", 1, "ERROR: Service account tallyroll-x does not exist.");

    cloud.exits(1, "deploy");

    assertThat(cloud.calls().stream().filter(call -> call.contains("projects add-iam"))).hasSize(6);
  }

  @Test
  void anotherPattern_isReportedAndLeftAlone() throws Exception {
    cloud.exits(0, "deploy");
    cloud.forgetCalls();

    assertThat(cloud.exits(2, "deploy", "--counters=rooms/{room}/counters"))
        .contains("expected document=rooms/{room}/counters/{counter}/shards/{shard} database=")
        .contains("found    database=(default) document=counters/{counter}/shards/{shard}");
    assertThat(cloud.changes()).isEmpty();
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
  void databaseOfAnotherKind_isRefused(String database, String words) throws Exception {
    cloud.keep("database", database);

    assertThat(cloud.exits(2, "deploy")).contains(words);
    cloud.exits(2, "deploy", "--database=other");
  }

  @Test
  void databaseElsewhere_isTakenOnceItsPlaceIsNamed() throws Exception {
    cloud.keep("database", "nam5|FIRESTORE_NATIVE|STANDARD");

    cloud.exits(0, "deploy", "--trigger-location=nam5");
  }

  @Test
  void missingDatabase_isNotMade() throws Exception {
    cloud.answer("^firestore databases describe", 1, "ERROR: NOT_FOUND: no such database");

    assertThat(cloud.exits(2, "deploy"))
        .contains("gcloud firestore databases create --database='(default)'");
    assertThat(cloud.changes()).allMatch(call -> call.contains("services enable"));
  }

  @Test
  void projectOfADomain_hasAccountsTheOtherWayRound() {
    cloud.exits(0, "deploy", "--project=example.com:p");

    assertThat(cloud.kept("invokers-tallyroll-roll-up"))
        .isEqualTo("serviceAccount:tallyroll-delivery@p.example.com.iam.gserviceaccount.com");
  }

  @Test
  void fromDocumentsToAggregate_waitsForTheIndexAndThenSwitches() {
    cloud.exits(0, "deploy", "--sum=documents");
    assertThat(cloud.kept("fields")).contains("shards/fields/count|0");

    assertThat(cloud.exits(0, "deploy")).contains("it is being built; once more in 0 s (1 of 360)");
    assertThat(cloud.kept("fields")).doesNotContain("shards/fields/count");
    assertThat(cloud.changes().stream().map(DeployIT::ofSums).filter(words -> !words.isEmpty()))
        .containsExactly(
            "tallyroll-on-shard-written: documents",
            "tallyroll-roll-up: documents",
            "--disable-indexes",
            "--clear-exemption",
            "tallyroll-on-shard-written: aggregate",
            "tallyroll-roll-up: aggregate");
  }

  /** What a change has to do with how shards are summed up. */
  private static String ofSums(String call) {
    String[] words = call.split(" ", -1);
    if (call.contains(" fields update count ")) {
      return words[words.length - 1];
    }
    return call.contains(" functions deploy ")
        ? words[3] + ": " + call.replaceAll(".*,SUM=(\\w+).*", "$1")
        : "";
  }

  @Test
  void indexThatIsNeverReady_leavesTheFunctionsAsTheyAre() throws Exception {
    cloud.exits(0, "deploy", "--sum=documents");
    cloud.answer("^firestore indexes fields describe", 0, "False|True|0|");
    cloud.forgetCalls();

    assertThat(cloud.exits(1, "deploy")).contains("the index on shards.count is still being built");
    assertThat(cloud.changes()).isEmpty();
  }

  @Test
  void missingArtifact_isRefused() throws Exception {
    assertThat(cloud.exits(2, "deploy", "--artifact=" + folder.resolve("nothing")))
        .contains("ARTIFACT: expected a folder with one jar", "mvn package");
    assertThat(cloud.names()).doesNotContain("calls");
  }

  @Test
  void stagedFolder_holdsTheArtifactWhole() {
    cloud.exits(0, "deploy");

    assertThat(folder.resolve("stage/function/tallyroll.jar")).exists();
    assertThat(folder.resolve("stage/function/libs/other.jar")).exists();
    assertThat(folder.resolve("stage/function/.gcloudignore")).hasContent(".gcloudignore\n");
  }

  @Test
  void token_isNeverAnArgument() {
    cloud.exits(0, "deploy", "--rules");

    assertThat(cloud.calls()).noneMatch(call -> call.contains("token-of-nobody"));
  }
}
