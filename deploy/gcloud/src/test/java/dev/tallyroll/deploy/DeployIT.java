package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** deploy and destroy in front of the stand-in for a project: each state, danger and fact. */
class DeployIT {
  private static final String OLD_SETTINGS = "COUNT_FIELD=Cnt";
  private static final int MOST_LINES = 80;

  private Project project = Project.empty();

  /** A document of a collection group, as Firestore prints it. */
  private static String[] found(String document, String mark) {
    String text =
        """
        [ {
          "document": {
            "name": "projects/p/databases/(default)/documents/%s",
            "fields": { "counter": {
                "stringValue": "%s"
            } } },
          "readTime": "2026-11-23T00:00:00Z"
        } ]"""
            .formatted(document, mark);
    return text.split("\n", -1);
  }

  @Test
  void emptyProject_getsEverything() {
    String said = project.exits(0, "deploy");

    assertThat(said).contains("All is as it should be.");
    assertThat(project.things().keySet())
        .contains(
            "accounts/tallyroll-build@p.iam.gserviceaccount.com",
            "functions/tallyroll-on-shard-written",
            "functions/tallyroll-roll-up",
            "jobs/tallyroll-run",
            "topics/rollup");
    assertThat(project.lines("fields"))
        .containsExactlyInAnyOrder(
            "rollups|as_of|0",
            "rollups|live_until|0",
            "rollups|counter|0",
            "increment_names|expire_at|0");
    assertThat(project.lines("ttls")).containsExactly("increment_names|expire_at");
    assertThat(project.lines("subscriptions/eventarc-tallyroll-roll-up")).containsExactly("600");
  }

  @Test
  void deployedProject_isLeftAsItIs() {
    project = Project.deployed();
    Map<String, String> before = project.things();

    project.exits(0, "deploy");

    assertThat(project.things()).isEqualTo(before);
    assertThat(project.changes()).noneMatch(one -> one.contains(" create "));
  }

  @Test
  void stopAfterEachStep_leadsToTheSameEnd() {
    Project whole = Project.empty();
    whole.exits(0, "deploy");
    Map<String, String> end = whole.things();
    int steps = whole.changes().size();
    assertThat(steps).isGreaterThan(30);

    Project halfDone = Project.empty();
    for (int done = 0; done < steps; done++) {
      halfDone.forgetCalls();
      halfDone.put("stop", Integer.toString(done));
      // What is there already is skipped, so a later run may come to its end.
      halfDone.run("deploy");
    }
    halfDone.remove("stop");
    halfDone.exits(0, "deploy --yes");

    assertThat(halfDone.things()).isEqualTo(end);
  }

  @Test
  void wholeDryRun_isShortAndChangesNothing() {
    Project nobody = new Project();
    String said = nobody.exits(0, "deploy --dry-run");
    project.exits(0, "deploy --dry-run");

    assertThat(said.lines()).hasSizeLessThan(MOST_LINES);
    assertThat(project.changes()).isEmpty();
    assertThat(Shell.run(Map.of(), nobody.folder, List.of("bash", "-nc", said)).code()).isZero();
  }

  /** A dry run is the commands: a shell that gets them makes what deploy makes. */
  @Test
  void pastedDryRun_makesTheSame() {
    String commands = project.exits(0, "deploy --dry-run");
    String own = commands.replaceAll("(?m)^(mkdir .*|gcloud pubsub subscriptions .*)$", "");

    assertThat(project.shell(List.of("bash", "-ec", own)).code()).isZero();
    project.forgetCalls();
    project.exits(0, "deploy --yes");

    assertThat(project.changes()).noneMatch(one -> one.contains(" create "));
  }

  // The four dangers.

  @Test
  void settingThatIsLeftOut_isShownAndAsked() {
    project = Project.deployed("TICK=PT2S", "LEASE=PT6S");
    project.settings();

    String said = project.exits(2, "deploy");

    assertThat(said).contains("  TICK: PT2S -> PT1S", "  LEASE: PT6S -> none", "expected yes");
    assertThat(project.changes()).isEmpty();
    project.exits(0, "deploy --yes");
    assertThat(project.lines("functions/tallyroll-roll-up")).contains("TICK=PT1S");
  }

  @Test
  void settingOfTotals_isNotConfirmedByDeploy() {
    project = Project.deployed(OLD_SETTINGS);
    project.settings();

    String said = project.exits(0, "deploy --yes");

    assertThat(said).contains("  COUNT_FIELD: Cnt -> count", "nothing is swept until you confirm");
    assertThat(said)
        .contains("{\"delete\":\"projects/p/databases/(default)/documents/rollup_runs/counters\"}");
    assertThat(project.calls().toString()).doesNotContain("documents:commit");
  }

  /** Somebody else's things, another database, and settings that cannot be. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          functions/tallyroll-roll-up; state=ACTIVE; the function tallyroll-roll-up: expected the mark 'tallyroll'
          functions/tallyroll-on-shard-written; tallyroll=other; found 'other'. It is somebody else's: take another NAME
          topics/rollup; x; the topic rollup: expected the mark
          jobs/tallyroll-run; description=theirs; the job tallyroll-run: expected the mark
          accounts/tallyroll-build@p.iam.gserviceaccount.com; description=theirs; the service account tallyroll-build
          neighbours; us-east1|tallyroll|other|(default); NAME: expected one that no other deployment has
          fields; rollups|as_of|2; found 2 indexes
          fields; shards|count|0; SUM: expected an index on shards.count
          ttls; increment_names|gone_at; expected a TTL policy on expire_at or none
          database; us-central1|DATASTORE_MODE|STANDARD; expected one in native mode, found DATASTORE_MODE
          database; us-central1|FIRESTORE_NATIVE|ENTERPRISE; expected the Standard edition, found ENTERPRISE
          settings.env; COUNTER=x; line 1: expected KEY=VALUE with a key of deploy/gcloud/settings.env, found 'COUNTER=x'
          settings.env; TICK; expected KEY=VALUE
          settings.env; TICK="PT1S"; TICK: expected an ISO-8601 duration such as PT1S, found '"PT1S"'
          settings.env; NAME=$(reboot); NAME: expected 2 to 13 small letters
          settings.env; ROLLUPS_COLLECTION=shards; ROLLUPS_COLLECTION: expected a name that no other collection has
          settings.env; SHARDS_COLLECTION=counters; SHARDS_COLLECTION: expected a name
          settings.env; POLLED=rooms/{room}/hot; POLLED: expected the path of a collection without variables
          settings.env; POLLED=rooms/r1/shards; POLLED: expected a name that no other collection has, found 'rooms/r1/shards'
          settings.env; POLLED=counters; POLLED: expected a collection outside of counters, which the trigger watches
          settings.env; PRECISION=2; PRECISION: expected a number from 0.0 to 0.999999, found '2'
          settings.env; HOLD=PT0.9S; HOLD: expected PT0S, or a TICK to PT4M, found 'PT0.9S'
          settings.env; HOLD=PT4M0.001S; HOLD: expected PT0S, or a TICK to PT4M
          settings.env; WORKERS=65; WORKERS: expected a number from 1 to 64, found '65'
          settings.env; BILLING=free; BILLING: expected request or instance
          settings.env; TRIGGER_LOCATION=nam5; TRIGGER_LOCATION: expected us-central1
          """)
  void whatCannotBe_isRefusedBeforeAnyChange(String file, String line, String words) {
    project.put("apis", Project.APIS);
    project.put(file, line);

    assertThat(project.exits(2, "deploy --yes")).contains(words);

    assertThat(project.changes()).isEmpty();
    if (file.contains("/")) {
      assertThat(project.exits(0, "destroy --yes --indexes")).doesNotContain("delete");
      assertThat(project.lines(file)).containsExactly(line);
    }
  }

  @Test
  void databaseThatIsNotThere_isNotMade() {
    project.remove("database");

    assertThat(project.exits(2, "deploy")).contains("expected a database, found none");
  }

  @ParameterizedTest
  @CsvSource({
    "ROLLUPS_COLLECTION, rollups, tenants/t/rollups/a, ''",
    "ROLLUPS_COLLECTION, rollups, tenants/t/rollups/a, tenants/t/counters/b",
    "ROLLUPS_COLLECTION, rollups, tenants/t/rollups/a, counters/a",
    "INCREMENTS_COLLECTION, increment_names, polls/p/increment_names/x, ''"
  })
  void documentOfOthers_isRefused(String key, String group, String document, String mark) {
    project.put("apis", Project.APIS);
    project.put("documents-" + group, found(document, mark));

    assertThat(project.exits(2, "deploy")).contains(key + ": expected", "found " + document);
    assertThat(project.changes()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "rollups, tenants/t/rollups/a, tenants/t/counters/a",
    "rollups, rollups/a, counters/a",
    "rollups, rollups/a, polled_counters/a",
    "increment_names, counters/a/increment_names/x, ''",
    "increment_names, polled_counters/a/increment_names/x, ''"
  })
  void documentOfCounters_isNotInTheWay(String group, String document, String mark) {
    project.put("documents-" + group, found(document, mark));

    project.exits(0, "deploy");
  }

  @ParameterizedTest
  @CsvSource({
    "counters, counters, true",
    "counters, {parent=**}/counters, true",
    "rooms/{room}/counters, rooms/a/counters, true",
    "rooms/{room}/counters, {parent=**}/likes, false",
    "rooms/{room}/counters, halls/{hall}/counters, false",
    "counters, rooms/{room}/counters, false"
  })
  void countersOfAnotherDeployment_areRefused(String ours, String theirs, boolean refused) {
    project.settings("COUNTERS=" + ours);
    project.put("neighbours", "us-east1|other|" + theirs + "|(default)");

    String said = project.exits(refused ? 2 : 0, "deploy");

    assertThat(said.contains("COUNTERS: expected")).isEqualTo(refused);
    project.put("neighbours", "us-east1|other|" + theirs + "|another-database");
    project.exits(0, "deploy");
  }

  @Test
  void trigger_isWhereTheDatabaseIs() {
    project.put("database", "nam5|FIRESTORE_NATIVE|STANDARD");
    project.exits(0, "deploy");

    assertThat(project.changes()).anyMatch(one -> one.contains("--trigger-location=nam5"));
  }

  @Test
  void patternOfATrigger_doesNotChange() {
    project = Project.deployed();
    project.settings("COUNTERS=rooms/{room}/counters");

    assertThat(project.exits(2, "deploy --yes"))
        .contains("COUNTERS: expected 'counters', as the trigger was made");
    assertThat(project.changes()).isEmpty();
  }

  @Test
  void indexOfTheCount_isThereBeforeTheFunctionsThatSumByIt() {
    project = Project.deployed("SUM=documents");
    assertThat(project.lines("fields")).contains("shards|count|0");
    project.settings();

    project.exits(0, "deploy --yes");

    List<String> changes = project.changes();
    assertThat(project.lines("fields")).doesNotContain("shards|count|0");
    assertThat(first(changes, "--clear-exemption")).isLessThan(first(changes, "functions deploy"));
  }

  private static int first(List<String> lines, String words) {
    return lines.indexOf(
        lines.stream().filter(one -> one.contains(words)).findFirst().orElseThrow());
  }

  // What the first deploy on a real project meets.

  @Test
  void fact1_ownAccountBuilds() {
    project = Project.deployed();
    project.exits(0, "deploy");

    assertThat(project.changes().stream().filter(one -> one.contains("functions deploy")))
        .hasSize(2)
        .allMatch(
            one ->
                one.contains(
                    "--build-service-account=projects/p/serviceAccounts/tallyroll-build@p.iam"));
    String build = "serviceAccount:tallyroll-build@p.iam.gserviceaccount.com|roles/";
    assertThat(project.lines("bindings"))
        .contains(
            build + "logging.logWriter",
            build + "artifactregistry.writer",
            build + "storage.objectAdmin");
  }

  /** Facts 2 and 4. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "*databases describe*|PERMISSION_DENIED: Cloud Firestore API has not been used in project 1",
        "*topics describe*|403 SERVICE_DISABLED",
        "curl*generateServiceIdentity*|SERVICE_DISABLED",
        "*functions deploy*|Permission 'iam.serviceaccounts.actAs' denied on service account x",
        "*functions deploy*|Validation failed for trigger projects/p/locations/x",
        "*functions deploy*|Permission denied while using the Eventarc Service Agent",
        "*add-iam-policy-binding p*|INVALID_ARGUMENT: Service account a@b does not exist.",
        "*functions deploy*|x does not have storage.objects.get access"
      })
  void fact4_whatPasses_isTriedAgain(String failure) {
    String[] parts = failure.split("\\|", -1);
    project.fails(parts[0], 3, parts[1]);

    String said = project.exits(0, "deploy");

    assertThat(said).contains(parts[1], "That passes within minutes: try 4 of 30");
    assertThat(project.calls()).filteredOn(one -> one.get(0).equals("sleep")).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*|PERMISSION_DENIED: Permission denied on resource",
        "*services list*|There was a problem refreshing your current auth tokens",
        "*|Unable to find the server at serviceusage.googleapis.com",
        "*firestore indexes fields list*|500 INTERNAL",
        "*pubsub topics create*|PERMISSION_DENIED: no"
      })
  void otherErrors_endItAtOnce(String failure) {
    String[] parts = failure.split("\\|", -1);
    project.fails(parts[0].equals("*") ? "gcloud services*" : parts[0], 99, parts[1]);

    assertThat(project.exits(1, "deploy")).contains(parts[1]);
    assertThat(project.calls()).noneMatch(one -> one.get(0).equals("sleep"));
    assertThat(project.things().keySet()).noneMatch(one -> one.startsWith("functions/"));
  }

  /** A region that does not answer may hold what deploy would take for missing. */
  @Test
  void regionThatIsNotReached_isNotTakenForEmpty() {
    String words = "WARNING: The following regions were fully or partially unreachable for query: ";
    project.put("warns", words + "us-east1");
    project.exits(0, "deploy");

    project.put("warns", words + "us-central1");
    assertThat(project.exits(1, "deploy")).contains("unreachable");
  }

  @Test
  void errorThatStays_endsItAfterTheLastTry() {
    project.fails("*functions deploy*", 99, "Validation failed for trigger x");

    assertThat(project.exits(1, "deploy")).contains("try 30 of 30", "goes on from there");
    assertThat(project.calls()).filteredOn(one -> one.get(0).equals("sleep")).hasSize(29);
  }

  @Test
  void fact3_agentsAreAskedForAndGetTheirRoles() {
    project.exits(0, "deploy");

    List<String> changes = project.changes();
    assertThat(changes)
        .anyMatch(one -> one.endsWith("pubsub.googleapis.com:generateServiceIdentity"));
    assertThat(first(changes, "eventarc.googleapis.com:generateServiceIdentity"))
        .isLessThan(first(changes, "gcp-sa-eventarc"));
    assertThat(project.lines("bindings"))
        .contains(
            "serviceAccount:service-12345@gcp-sa-eventarc.iam.gserviceaccount.com|roles/eventarc.serviceAgent",
            "serviceAccount:service-12345@gcp-sa-pubsub.iam.gserviceaccount.com|roles/iam.serviceAccountTokenCreator");
    assertThat(project.calls().toString()).doesNotContain("secret-token");
  }

  @Test
  void fact6_resourceManagerIsOnAndReadersNeedNoQuotaProject() {
    project = Project.deployed();
    assertThat(project.lines("apis")).contains("cloudresourcemanager.googleapis.com");

    project.exits(0, "status");

    assertThat(project.calls().toString()).doesNotContain("x-goog-user-project", "billing-project");
  }

  /** The stand-in's platform adds the variable PLATFORM, and knows functions by whole names. */
  @Test
  void fact7_variablesOfThePlatform_areNoDifference() {
    project = Project.deployed();

    assertThat(project.lines("functions/tallyroll-roll-up")).contains("PLATFORM=its-own");
    assertThat(project.exits(0, "deploy")).doesNotContain("changes:");
  }

  /** The stand-in's names have the number. */
  @Test
  void fact8_numberOfTheProject_mayStandForItsId() {
    project = Project.deployed();

    assertThat(project.exits(0, "deploy")).doesNotContain("changes:");
    project.exits(0, "status");
    project.exits(0, "destroy --yes");
    assertThat(project.things().keySet()).noneMatch(one -> one.startsWith("functions/"));
  }

  @Test
  void fact9_alphaAndBetaAreForMonitoringOnlyAndLookedForFirst() {
    project.exits(0, "deploy");
    assertThat(project.calls()).noneMatch(one -> one.contains("alpha") || one.contains("beta"));

    project.fails("*alpha*", 99, "You do not currently have this command group installed");
    project.forgetCalls();
    assertThat(project.exits(1, "deploy --monitoring=a@b.c")).contains("command group installed");
    assertThat(project.changes()).isEmpty();
  }

  @Test
  void fact10_progressIsShown() {
    project.fails(
        "*functions deploy*roll-up*", 1, "Validation failed for trigger: Building... done");

    assertThat(project.exits(0, "deploy")).contains("Building... done");
  }

  @Test
  void fact11_exemptionsAreAskedForTogetherAndWaitedForOnce() {
    project.put("pending", "x");
    project.exits(0, "deploy");

    List<String> changes = project.changes();
    assertThat(changes.stream().filter(one -> one.contains("--disable-indexes --async")))
        .hasSize(4);
    assertThat(project.calls()).filteredOn(one -> one.equals(List.of("sleep", "10"))).hasSize(1);
    assertThat(changes.get(changes.size() - 2)).contains("--enable-ttl");
  }

  // Settings, the artifact, options.

  @Test
  void settings_reachTheFunctionsAsTheyAre() {
    project = Project.deployed("COUNTERS={parent=**}/counters", "LEASE=PT6S", "WORKERS=3");

    assertThat(project.lines("functions/tallyroll-roll-up"))
        .contains("COUNTERS={parent=**}/counters", "LEASE=PT6S", "WORKERS=3")
        .noneMatch(one -> one.startsWith("IDLE_EXIT"));
    project.exits(0, "deploy --yes");
    assertThat(project.changes())
        .anyMatch(one -> one.contains("document={parent=**}/counters/{counter}/shards/{shard}"))
        .anyMatch(one -> one.contains("roll-up") && one.contains("--max-instances=8"));
  }

  @Test
  void billingAndRequestLogs_areSetAndTakenBack() {
    project = Project.deployed("BILLING=instance", "REQUEST_LOGS=errors");
    assertThat(project.lines("throttling-tallyroll-on-shard-written")).containsExactly("false");
    assertThat(project.lines("exclusions")).containsExactly("tallyroll-request-logs");

    project.settings();
    project.exits(0, "deploy");

    assertThat(project.lines("throttling-tallyroll-on-shard-written")).containsExactly("true");
    assertThat(project.lines("exclusions")).isEmpty();
  }

  @Test
  void artifact_mayBeAFileOrAnAddress() {
    assertThat(project.exits(2, "deploy --artifact=no.jar"))
        .contains("--artifact: expected a file");

    project.exits(0, "deploy --artifact=https://storage.googleapis.com/releases/tallyroll.jar");

    assertThat(project.calls())
        .anyMatch(one -> one.contains("https://storage.googleapis.com/releases/tallyroll.jar"));
    assertThat(project.calls()).noneMatch(one -> one.get(0).equals("mvn"));
  }

  @Test
  void optionThatIsNone_isRefused() {
    assertThat(project.exits(2, "deploy --tick=PT1S")).contains("found --tick");
    assertThat(project.exits(2, "deploy --monitoring=me")).contains("expected an e-mail address");
    assertThat(project.exits(2, "status --yes")).contains("found --yes");
  }

  @Test
  void nobody_isToldToSignIn() {
    assertThat(new Project().exits(2, "deploy")).contains("gcloud auth login");
  }

  // destroy

  @Test
  void destroy_takesAwayWhatDeployMade() {
    project.exits(0, "deploy --monitoring=a@b.c");
    assertThat(project.things().keySet()).anyMatch(one -> one.startsWith("policies/"));

    assertThat(project.exits(2, "destroy")).contains("expected tallyroll as the answer");
    project.exits(0, "destroy --yes");

    assertThat(project.things().keySet())
        .noneMatch(
            one ->
                one.matches(
                    "(functions|topics|accounts|jobs|metrics|policies|channels|dashboards)/.*"));
    assertThat(project.lines("bindings")).noneMatch(one -> one.contains("tallyroll"));
    assertThat(project.lines("fields")).hasSize(4);
    project.exits(0, "destroy --yes --indexes");
    assertThat(project.lines("fields")).isEmpty();
    assertThat(project.lines("ttls")).isEmpty();
  }
}
