package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** deploy: in order, interrupted, twice at once, with others' folders, and with errors. */
class DeployIT {

  static final String SWEEP =
      "gcloud pubsub topics publish rollup --project=p --message=sweep --attribute=kind=sweep";

  private static final String OTHER_CLAIM =
      """
      {"fields":{"counters":{"stringValue":"counters"},"deploying":{"mapValue":{"fields":{\
      "by":{"stringValue":"elsewhere:/stage"},"until":{"timestampValue":"2026-01-01T01:00:00Z"}}}}},\
      "updateTime":"2026-01-01T00:00:00.5Z"}""";

  /** The end of the process, which nothing catches. */
  private static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private final FakeProject project = FakeProject.empty();

  @Test
  void firstDeploy_makesAllInOrder() {
    assertThat(project.exits(0, "deploy")).endsWith("# All is as it should be.\n");

    assertThat(project.changes.stream().map(call -> call.replaceAll("^(\\S+ \\S+ \\S+).*", "$1")))
        .containsSubsequence(
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
    assertThat(project.changes).last().isEqualTo(SWEEP);
    assertThat(project.folder.resolve("stage/function/libs/other.jar")).exists();
    assertThat(project.folder.resolve("stage/function/.gcloudignore"))
        .hasContent(".gcloudignore\n");
    assertThat(project.changes).allMatch(call -> !call.contains("token-of-nobody"));
  }

  @Test
  void accounts_mayDoWhatTheyNeedAndNoMore() {
    project.exits(0, "deploy");

    String policies = project.policies.toString().replace("@p.iam.gserviceaccount.com", "");
    assertThat(
            policies.replace("serviceAccount:", "").replaceAll("^\\{|}$", "").split("(?<=]), ", -1))
        .containsExactlyInAnyOrder(
            "project|roles/eventarc.eventReceiver|=[tallyroll-delivery]",
            "project|roles/datastore.user|resource.name==\"projects/p/databases/(default)\"=[tallyroll-on-shard-written, tallyroll-roll-up]",
            "topic rollup|roles/pubsub.publisher|=[tallyroll-on-shard-written, tallyroll-roll-up]",
            "tallyroll-on-shard-written|roles/run.invoker|=[tallyroll-delivery]",
            "tallyroll-roll-up|roles/run.invoker|=[tallyroll-delivery]",
            "topic tallyroll-dead-letters|roles/pubsub.publisher|=[service-123@gcp-sa-pubsub.iam.gserviceaccount.com]",
            "projects/p/subscriptions/eventarc-tallyroll-on-shard-written|roles/pubsub.subscriber|=[service-123@gcp-sa-pubsub.iam.gserviceaccount.com]");
  }

  @Test
  void document_saysWhatTotalsAreMadeWith() {
    project.exits(0, "deploy --count-field=Cnt --counters=rooms/{room}/counters");

    String document = project.get("document", "rollup_runs/rooms:*:counters").toString();
    assertThat(document)
        .contains("\"counters\":{\"stringValue\":\"rooms/{room}/counters\"}")
        .contains("\"shards_collection\":{\"stringValue\":\"shards\"}")
        .contains("\"rollups_collection\":{\"stringValue\":\"rollups\"}")
        .contains("\"count_field\":{\"stringValue\":\"Cnt\"}")
        .contains("\"rollups.as_of\"", "\"ttl increment_names.expire_at\"")
        .doesNotContain("deploying");
  }

  @ParameterizedTest
  @CsvSource({
    "'', deploy, fails",
    "'', deploy, dies",
    "'', deploy --rules --exclude-request-logs --sum=documents, dies",
    "deploy, deploy --yes --count-field=Cnt --tick=PT0.5S --exclude-request-logs, fails",
    "deploy, deploy --yes --count-field=Cnt --rollup-topic=ticks, dies",
    "deploy --sum=documents, deploy --yes --sum=aggregate, fails",
    "deploy --sum=documents, deploy --yes --sum=aggregate, dies",
    "'', deploy --monitoring=me@x.org, fails",
    "deploy --monitoring=me@x.org, deploy --yes --reset=monitoring, dies",
    "deploy --monitoring=me@x.org, destroy --yes --indexes, fails",
    "deploy, destroy --yes --indexes, fails",
    "deploy --rollups-collection=totals --exclude-request-logs, destroy --yes --indexes, dies"
  })
  void interruptedAtEachStep_goesOn(String before, String line, String how) {
    FakeProject whole = prepared(before);
    whole.exits(0, line);
    assertThat(whole.changes).hasSizeGreaterThan(5);

    for (int step = 0; step < whole.changes.size(); step++) {
      FakeProject interrupted = prepared(before);
      interrupted.failing = step;
      if (how.equals("dies")) {
        interrupted.failure = new Killed();
        assertThatThrownBy(() -> interrupted.exits(1, line)).isInstanceOf(Killed.class);
      } else {
        assertThat(interrupted.exits(1, line)).contains("out of order", "it goes on from here");
      }
      interrupted.exits(0, line);

      assertThat(interrupted.snapshot()).as("interrupted at %d", step).isEqualTo(whole.snapshot());
    }
  }

  private static FakeProject prepared(String before) {
    FakeProject project = FakeProject.empty();
    if (!before.isEmpty()) {
      project.exits(0, before);
    }
    project.changes.clear();
    return project;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "deploy --rules=strict --replace-rules",
        "deploy --sum=documents --exclude-request-logs",
        "deploy --monitoring=me@x.org",
        "deploy --counters=rooms/{room}/counters"
      })
  void dryRun_saysTheSameAsTheRun(String line) {
    String said = project.exits(0, line + " --dry-run");
    assertThat(project.changes).isEmpty();
    Plan plan = new Plan(0, said, project.folder);

    project.exits(0, line);

    List<String> planned =
        plan.commands().stream()
            .map(command -> same(command.isHttp() ? command.call() : command.toString()))
            .toList();
    assertThat(planned)
        .hasSizeGreaterThan(20)
        .isEqualTo(project.changes.stream().map(DeployIT::same).toList());
  }

  /** A dry run leaves out values that only an answer contains. */
  private static String same(String call) {
    return call.replaceAll("SUBSCRIPTION_OF_\\w+|projects/p/subscriptions/\\S+", "SUBSCRIPTION")
        .replaceAll("CHANNEL_ANSWERED_ABOVE|projects/p/channel/0", "CHANNEL")
        .replaceAll("\\d{4}-\\d\\d-[^\"]*Z|UPDATE_TIME_ANSWERED_ABOVE", "TIME")
        .replaceAll("projects/p/rulesets/r\\d|RULESET_ANSWERED_ABOVE", "RULESET")
        .replaceFirst("(rulesets|releases\\S*) .*", "$1");
  }

  @Test
  void anotherDeploy_isWaitedFor() {
    project.put("document", "rollup_runs/counters", otherClaim());

    assertThat(project.exits(2, "deploy"))
        .contains("another deploy is at work, by elsewhere:/stage, until 2026-01-01T01:00:00Z");
    assertThat(project.changes).isEmpty();

    project.pause(Duration.ofHours(2));
    project.exits(0, "deploy");
  }

  private static JsonObject otherClaim() {
    return JsonParser.parseString(OTHER_CLAIM).getAsJsonObject();
  }

  /** The other one claims the document after this one has read it. */
  @Test
  void twoAtOnce_oneGoesOn() {
    project.answer(
        ":runQuery",
        () -> {
          project.put("document", "rollup_runs/counters", otherClaim());
          return new JsonArray();
        });

    assertThat(project.exits(1, "deploy")).contains("this step failed: Nobody else may deploy");
    assertThat(project.changes).isEmpty();
  }

  @Test
  void diedInAnotherCheckout_isWaitedFor() {
    project.failing = 5;
    project.failure = new Killed();
    assertThatThrownBy(() -> project.exits(1, "deploy")).isInstanceOf(Killed.class);

    assertThat(project.exits(2, "deploy", "/other")).contains("another deploy is at work, by ");
    project.exits(0, "deploy");
  }

  @Test
  void foldersOfOthers_areRefused() throws Exception {
    project.write("app/firestore.rules", "theirs");
    project.write("app/function/index.js", "theirs");

    assertThat(project.exits(2, "deploy", "/app"))
        .contains("--stage: expected an empty folder or one that deploy has made");
    assertThat(project.exits(2, "deploy --dry-run", "/app")).contains("--stage: expected");
    assertThat(project.folder.resolve("app/firestore.rules")).hasContent("theirs");
    assertThat(project.folder.resolve("app/function/index.js")).hasContent("theirs");
    try (var files = Files.list(project.folder.resolve("app"))) {
      assertThat(files).hasSize(2);
    }
  }

  @Test
  void oneFolder_servesOneDeploymentAtATime() throws Exception {
    project.exits(0, "deploy");
    Deployment ours = new Deployment("p", "us-central1", "tallyroll", "us-central1", Map.of());

    Deployment elsewhere = new Deployment("q", "us-central1", "tallyroll", "us-central1", Map.of());
    assertThat(Stage.folder(project.folder, ours))
        .isNotEqualTo(Stage.folder(project.folder, elsewhere));

    assertThat(project.exits(2, "deploy --name=second --counters=polls", "/stage"))
        .contains("expected the folder of p (default) second, found that of p (default) tallyroll");
    try (Stage held = Stage.open(project.folder.resolve("stage"), ours)) {
      assertThat(held.file("function")).exists();
      assertThat(project.exits(2, "deploy"))
          .contains("another deploy of this deployment is at work");
      project.exits(0, "status");
    }
    project.exits(0, "deploy");
  }

  /** Once, a status in between made deploy publish other rules. */
  @Test
  void status_leavesTheStageAlone() {
    project.exits(0, "deploy --rules=strict --rules-variants=once");
    String staged = Shell.read(project.folder.resolve("stage/firestore.rules"));

    project.exits(1, "status --rules");

    assertThat(project.folder.resolve("stage/firestore.rules")).hasContent(staged);
    project.exits(0, "status --rules=strict --rules-variants=once");
  }

  @Test
  void artifact_isDeployedWhenItIsAnotherOne() {
    project.exits(0, "deploy");
    project.write("artifact/libs/other.jar", "a newer jar");
    project.changes.clear();

    assertThat(project.exits(2, "deploy")).contains("tallyroll-roll-up artifact: expected ");
    project.exits(0, "deploy --yes");

    assertThat(project.changes).filteredOn(one -> one.contains("functions deploy")).hasSize(2);
    project.write("artifact/second.jar", "one too many");
    assertThat(project.exits(2, "deploy")).contains("expected a folder with one jar, found 2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          service-accounts list; PERMISSION_DENIED; needs roles/iam.serviceAccountViewer
          topics list; PERMISSION_DENIED; needs roles/pubsub.viewer
          services list; UNAUTHENTICATED; Nobody is signed in: gcloud auth login
          functions list; UNAVAILABLE; this step failed: Reading the project
          functions list; NOT_FOUND; this step failed: Reading the project
          scheduler jobs list; UNKNOWN; this step failed: Reading the project
          :batchGet; NOT_FOUND; this step failed: Reading the project
          :runQuery; UNAVAILABLE; this step failed: Reading the project
          """)
  void error_isNeverAnAbsence(String call, String status, String words) {
    project.fail(call, status, "404 403 not found");

    assertThat(project.exits(1, "deploy")).contains(words);
    assertThat(project.calls).last().asString().contains(call);
    assertThat(project.changes).noneMatch(change -> change.contains("functions deploy"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          (gcloud.functions.list) UNAVAILABLE: The service is unavailable for projects/shop-404, not found; UNAVAILABLE
          (gcloud.iam.x) PERMISSION_DENIED: Permission iam.x denied; PERMISSION_DENIED
          (gcloud.projects.x) [me@shop-404.com] does not have permission to access projects instance [shop-404] (or it may not exist): denied; PERMISSION_DENIED
          (gcloud.run.x) Topics instance [shop-403] not found: Resource not found; NOT_FOUND
          (gcloud.x) HTTPError 503: shop-403 does not have permission to access; UNKNOWN
          (gcloud.x) HTTPError 403: denied; PERMISSION_DENIED
          (gcloud.functions.x) ResponseError: status=[404], code=[Ok], message=[x]; NOT_FOUND
          (gcloud.functions.x) ResponseError: status=[500], code=[Ok], message=[404]; UNKNOWN
          (gcloud.x) You do not currently have an active account selected.; UNAUTHENTICATED
          (gcloud.x) The project shop-403 said: PERMISSION_DENIED: not; UNKNOWN
          """)
  void statusOfAnError_isAtItsBeginning(String message, String status) {
    assertThat(CloudException.of(message).status).isEqualTo(status);
  }

  @Test
  void freshAccount_isTriedABoundedNumberOfTimes() {
    project.fail(
        "projects add-iam", "INVALID_ARGUMENT", "Service account tallyroll-x does not exist.");

    project.exits(1, "deploy");

    assertThat(project.calls).filteredOn(call -> call.contains("projects add-iam")).hasSize(6);
  }

  /** deploy waits ten minutes, as long as a new metric takes. */
  @Test
  void metricThatPoliciesDoNotKnowYet_isWaitedFor() {
    Duration before = Duration.between(Instant.EPOCH, project.now);
    int[] tries = {0};
    project.answer(
        "policies create",
        () -> {
          if (tries[0]++ < 59) {
            throw new CloudException("NOT_FOUND", "Cannot find metric that matches type = x");
          }
          return new JsonObject();
        });

    project.exits(1, "deploy --monitoring=me@x.org");

    assertThat(tries[0]).isEqualTo(59 + 13);
    assertThat(Duration.between(Instant.EPOCH, project.now).minus(before))
        .isBetween(Duration.ofSeconds(590), Duration.ofSeconds(600));
  }

  @Test
  void dryRunOfNobody_saysThatTheLooksWereLeftOut() {
    Plan plan = Plan.of("deploy");

    assertThat(plan.ended(0)).contains("this dry run leaves the looks out");
    assertThat(plan.commands()).hasSizeGreaterThan(25);
  }

  private static final String THEIRS = "match /a { allow get: if true && 'b' != \"c\\d\"; }\n";
  private static final String KEPT = "firestore.rules.r0";

  private void keepRules() {
    String name = "projects/p/releases/cloud.firestore";
    project.set("release", name, "name=" + name + ", rulesetName=projects/p/rulesets/r0");
    JsonObject files = Json.of("files", Json.array(List.of(Json.of("content", THEIRS))));
    project.put("ruleset", "r0", Json.of("source", files));
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
    // deploy does not ask before it replaces our own rules.
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
}
