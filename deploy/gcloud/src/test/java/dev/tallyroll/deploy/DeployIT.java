package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** deploy and destroy in front of the stand-in for a project: each state, danger and fact. */
class DeployIT {
  private static final int MOST_LINES = 90;

  /** The first deploy to a project, where the indexes and a trigger take their time. */
  private static final Project FIRST = Project.empty();

  private static final String SAID = firstDeploy();

  private Project project = Project.empty();

  private static String firstDeploy() {
    FIRST.given("pending x && fails *deploy*roll-up*|1|Validation failed for trigger: Building..");
    return FIRST.exits(0, "deploy");
  }

  /** Facts: what the first deploy on a real project meets. The stand-in's names have a number. */
  @ParameterizedTest(name = "{0}: {1} {2}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          fact 1: own account builds; changes; roll-up .*--build-service-account=projects/p/serviceAccounts/tallyroll-build@.*
          fact 1: own account builds; changes; on-shard-written .*--build-service-account=projects/p/serviceAccounts/tallyroll-build@.*
          fact 1: own account builds; bindings; tallyroll-build@p.iam.gserviceaccount.com.roles/logging.logWriter
          fact 1: own account builds; bindings; tallyroll-build@p.iam.gserviceaccount.com.roles/artifactregistry.writer
          fact 1: own account builds; bindings; tallyroll-build@p.iam.gserviceaccount.com.roles/storage.objectAdmin
          fact 3: agents; changes; pubsub.googleapis.com:generateServiceIdentity.*
          fact 3: agents; bindings; service-12345@gcp-sa-eventarc.iam.gserviceaccount.com.roles/eventarc.serviceAgent
          fact 3: agents; bindings; service-12345@gcp-sa-pubsub.iam.gserviceaccount.com.roles/iam.serviceAccountTokenCreator
          fact 6: resource manager; apis; cloudresourcemanager.googleapis.com
          fact 8: number for id; subscriptions/eventarc-tallyroll-roll-up; 600
          fact 8: number for id; subscriptions/eventarc-tallyroll-on-shard-written; 120
          fact 11: exemptions together; fields; rollups.as_of.0
          fact 11: exemptions together; fields; rollups.live_until.0
          fact 11: exemptions together; fields; rollups.counter.0
          fact 11: exemptions together; fields; increment_names.expire_at.0
          fact 11: exemptions together; ttls; increment_names.expire_at
          """)
  @Tag("core")
  void firstDeploy_leaves(String fact, String file, String words) {
    assertThat(FIRST.lines(file)).as(fact).anyMatch(line -> line.matches("(.*\\W)?" + words));
  }

  @Test
  @Tag("core")
  void fact3_agentsAreAskedForBeforeTheyGetRoles_andNobodySeesTheToken() {
    assertThat(place(FIRST, "eventarc.googleapis.com:generateServiceIdentity"))
        .isLessThan(place(FIRST, "gcp-sa-eventarc"));
    assertThat(FIRST.calls().toString()).doesNotContain("secret-token");
  }

  /** The place of the first change with these words. */
  private static int place(Project project, String words) {
    List<String> changes = project.changes();
    return changes.indexOf(
        changes.stream().filter(one -> one.contains(words)).findFirst().orElseThrow());
  }

  @Test
  @Tag("core")
  void fact10_progressIsShown_fact11_exemptionsAreAskedForTogetherAndWaitedForOnce() {
    assertThat(SAID).contains("Building..", "No fault found.");
    List<String> changes = FIRST.changes();
    assertThat(changes).filteredOn(one -> one.contains("--disable-indexes --async")).hasSize(4);
    assertThat(FIRST.calls()).filteredOn(List.of("sleep", "10")::equals).hasSize(1);
    assertThat(changes.get(changes.size() - 2)).contains("--enable-ttl");
  }

  @Test
  void fact2_fact4_whatPasses_isTriedAgain() {
    List<String> texts =
        List.of(
            "*databases describe*|3|PERMISSION_DENIED: Firestore API has not been used in project 1",
            "*topics describe*|3|403 SERVICE_DISABLED",
            "curl*generateServiceIdentity*|3|SERVICE_DISABLED: enable it",
            "*functions deploy*|3|Permission 'iam.serviceaccounts.actAs' denied on service account",
            "*functions deploy*|3|Validation failed for trigger projects/p/locations/x",
            "*functions deploy*|3|Permission denied while using the Eventarc Service Agent",
            "*add-iam-policy-binding p*|3|INVALID_ARGUMENT: Service account a@b does not exist.",
            "*functions deploy*|3|x does not have storage.objects.get access");
    project.put("fails", texts.toArray(String[]::new));

    String said = project.exits(0, "deploy");

    assertThat(said).contains("passes within minutes: try 4 of 30", "try 13 of 30");
    assertThat(texts).allMatch(one -> said.contains(one.replaceFirst(".*\\|", "")));
    assertThat(project.sleeps()).isEqualTo(3L * texts.size());
  }

  @Test
  void fact6_fact7_fact8_readersNeedNoQuotaProject_andThePlatformsVariablesAreNoDifference() {
    project = Project.deployed();
    Map<String, String> before = project.things();
    assertThat(project.lines("functions/tallyroll-roll-up")).contains("PLATFORM=its-own");

    project.exits(0, "status");
    assertThat(project.calls().toString()).doesNotContain("x-goog-user-project", "billing-project");
    assertThat(project.exits(0, "deploy")).doesNotContain("that change");

    assertThat(project.things()).isEqualTo(before);
    assertThat(project.changes()).noneMatch(one -> one.contains(" create "));
    assertThat(project.calls()).noneMatch(one -> one.contains("alpha") || one.contains("beta"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.tallyroll.deploy.DeployCases#all")
  void whatIsInTheWay_endsItBeforeAnyFunction(DeployCase each) {
    each.give(project);

    assertThat(project.exits(each.code, each.command())).as(each.toString()).contains(each.words());

    assertThat(project.sleeps()).isEqualTo(each.words().equals("try 30 of 30") ? 29 : 0);
    assertThat(project.changes()).noneMatch(one -> one.contains("functions deploy"));
    if (each.code == 2) {
      assertThat(project.changes()).isEmpty();
    }
    if (each.isAThing()) {
      assertThat(project.exits(0, "destroy --yes --indexes")).doesNotContain(" delete ");
    }
  }

  @Test
  void danger1_forgottenSetting_isShownAndAsked_danger4_patternOfATrigger_doesNotChange() {
    project = Project.deployed("TICK=PT2S", "LEASE=PT6S", "COUNT_FIELD=Cnt");
    project.settings("COUNTERS=rooms/{room}/counters");
    assertThat(project.exits(2, "deploy --yes"))
        .contains("COUNTERS: expected it as deployed, found another.");
    project.settings();

    assertThat(project.exits(2, "deploy"))
        .contains("< TICK=PT2S", "> TICK=PT1S", "< LEASE=PT6S", "expected yes");
    assertThat(project.changes()).isEmpty();
    String jar = "https://storage.googleapis.com/releases/tallyroll.jar";
    project.exits(0, "deploy --yes --artifact=" + jar);
    assertThat(project.lines("functions/tallyroll-roll-up")).contains("TICK=PT1S");
    assertThat(project.calls().toString()).contains(jar).doesNotContain("documents:commit");
  }

  /** A function that does not start, or that Cloud Run refuses, comes after accounts and roles. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          PROJECT; My-Project; 1
          REGION; europe; nam5
          NAME; x; Tally
          COUNTERS; rooms/r1; {room}/counters
          POLL; PT0.5S; PT2M
          SHARDS_COLLECTION; a/b; __x__
          ROLLUPS_COLLECTION; a/b; shards
          INCREMENTS_COLLECTION; a.b; rollups
          TOTAL_FIELD; num_shards; a..b
          NUMBER_FIELD; numShards.a; a-b
          AVERAGE_FIELD; reset_id; a.__b__
          FOLD; 1s; PT2M
          FOLD_DOCUMENTS; pages/{page}; pages
          FOLD_FIELDS; visits; 1
          COUNT_FIELD; a..b; __x__
          FIRESTORE_DATABASE; x; Default
          TICK; PT0.05S; PT2M
          LEASE; PT1S; PT11M
          SLACK; 1; PT2M
          BURST; 1; 101
          HOLD; PT0.5S; PT5M
          PRECISION; 1; 1%
          WORKERS; 0; 65
          SUM; index; AGGREGATE
          RUN; PT1S; PT9M
          IDLE_EXIT; PT0.5S; PT2M
          SWEEP; PT0S; PT10M
          SWEEP_COUNTERS; 99; 10000001
          ROLLUP_TOPIC; ab; 1st
          MAX_INSTANCES; 0; 1001
          HANDLER_CPU; 2; .05
          ROLLUP_CPU; banana; .05
          ROLLUP_MEMORY; 1Gi; 512
          RUNTIME; java11; java
          BILLING; free; instances
          REQUEST_LOGS; none; error
          RULES; none; once
          RULES_NUM_SHARDS; reset_id; __x__
          RULES_VALUES; 1-5; 01..5
          RULES_VARIANTS; often; once down
          """)
  void everySetting_isCheckedBeforeTheFirstChange(String key, String wrong, String too) {
    for (String value : List.of(wrong, too)) {
      project.put("settings.env", key + "=" + value);
      String keys = key.equals("FOLD_DOCUMENTS") || key.equals("FOLD_FIELDS") ? "FOLD.*" : key;
      String place =
          switch (key) {
            case "PROJECT" -> " --region=us-central1 --project=" + value;
            case "REGION" -> " --project=p --region=" + value;
            default -> "";
          };
      assertThat(project.exits(2, "deploy" + place))
          .as(key + "=" + value)
          .containsPattern("(^|\n)" + keys + ": expected ")
          .contains("found");
      assertThat(project.changes()).isEmpty();
    }
  }

  @Test
  void settings_areAllInTheTestAbove() throws Exception {
    var test =
        DeployIT.class.getDeclaredMethod(
            "everySetting_isCheckedBeforeTheFirstChange", String.class, String.class, String.class);
    String table = test.getAnnotation(CsvSource.class).textBlock();
    assertThat(table.lines().map(line -> line.strip().split(";", -1)[0]).toList())
        .containsExactlyInAnyOrderElementsOf(
            Shell.read(Shell.SCRIPTS.resolve("settings.env"))
                .lines()
                .filter(line -> line.matches("[A-Z_]+=.*"))
                .map(line -> line.substring(0, line.indexOf('=')))
                .filter(key -> !key.isEmpty())
                .toList());
  }

  @Test
  void cpuAndMemory_areThoseOfCloudRun() {
    for (String pair : List.of(".5 1Gi", ".999 1024Mi", "1 4Gi", "2 8Gi", "4 2Gi", ".08 256Mi")) {
      String[] sizes = pair.split(" ", -1);
      project.put("settings.env", "ROLLUP_CPU=" + sizes[0] + "\nROLLUP_MEMORY=" + sizes[1]);
      project.exits(0, "deploy --dry-run");
    }
    for (String pair : List.of(".499 1Gi", ".999 2Gi", "1 8Gi", "4 1Gi")) {
      String[] sizes = pair.split(" ", -1);
      project.put("settings.env", "ROLLUP_CPU=" + sizes[0] + "\nROLLUP_MEMORY=" + sizes[1]);
      assertThat(project.exits(2, "deploy")).contains("ROLLUP_MEMORY: expected at most 512Mi");
    }
  }

  /**
   * One function and one schedule. To polls, RollUp polls before the trigger goes; back, the
   * trigger is there before RollUp stops polling.
   */
  @Test
  void polls_needNoTrigger() {
    String minute = "POLL=PT1M";
    project = Project.deployed(minute);
    assertThat(project.lines("functions/tallyroll-roll-up")).contains("COUNTERS=counters", minute);
    assertThat(project.things().keySet()).noneMatch(one -> one.contains("on-shard-written"));
    assertThat(project.things().toString()).doesNotContain("on-shard-written@");
    assertThat(project.exits(0, "status")).contains("No fault found.");
    Map<String, String> alone = project.things();

    project.settings();
    assertThat(project.exits(0, "deploy --yes")).contains("< POLL=PT1M");
    assertThat(place(project, "functions deploy tallyroll-on-shard-written"))
        .isLessThan(place(project, "functions deploy tallyroll-roll-up"));

    project.remove("changes");
    project.settings(minute);
    project.exits(0, "deploy --yes");
    assertThat(place(project, "functions deploy tallyroll-roll-up"))
        .isLessThan(place(project, "functions delete tallyroll-on-shard-written"));
    assertThat(project.exits(0, "status")).contains("No fault found.");
    assertThat(project.things().keySet()).containsAll(alone.keySet());

    project.exits(0, "destroy --yes --indexes");
    assertThat(project.things().keySet()).noneMatch(one -> one.matches("(functions|accounts)/.*"));
  }

  /** Log settings only save money: an account without that right deploys, too. */
  @Test
  void deniedLogSettings_doNotEndIt() {
    project.put("fails", "*logging sinks update*|99|PERMISSION_DENIED: logging.sinks.update");

    assertThat(project.exits(0, "deploy"))
        .contains("This account may not write log settings", "No fault found.");

    project = Project.empty();
    project.put("fails", "*logging sinks update*|99|500 INTERNAL");
    assertThat(project.exits(1, "deploy")).contains("500 INTERNAL", "goes on from there");
  }

  /** Counters below others would be left without a function. */
  @Test
  void polls_areOfTheSameCounters() {
    project = Project.deployed("COUNTERS={parent=**}/counters");
    project.settings("POLL=PT1M");

    assertThat(project.exits(2, "deploy --yes"))
        .contains("COUNTERS: expected it as deployed, found another. destroy, and then deploy");
    assertThat(project.changes()).isEmpty();
  }

  @Test
  void dryRunOfDestroy_saysThatNothingIsGone() {
    assertThat(Project.deployed().exits(0, "destroy --dry-run"))
        .contains("# A dry run: nothing was removed.")
        .doesNotContain("# Removed", "Signed out");
    assertThat(new Project().exits(0, "destroy --dry-run"))
        .contains(
            "# A dry run: nothing was removed.", "# Signed out, it cannot see what is there.");
  }

  @Test
  void dryRunOfAStranger_saysWhereItsWordsComeFrom() {
    assertThat(new Project().exits(0, "deploy --dry-run"))
        .contains(
            "# PROJECT_NUMBER: gcloud projects describe p ",
            "# SUBSCRIPTION-OF-tallyroll-roll-up: its trigger, by gcloud functions describe",
            "Maven builds it: mvn --batch-mode -pl functions -am",
            "# The trigger is where the database is; signed out, us-central1 is assumed.");
  }

  @Test
  void gcloud_isNewEnough() {
    project.put("version", "472.0.0");
    assertThat(project.exits(2, "deploy"))
        .contains("gcloud: expected version 528 or later, found 472.0.0: gcloud components update");
    assertThat(project.changes()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void stopAfterEachStep_leadsToTheSameEnd(int first) {
    int steps = FIRST.changes().size();
    assertThat(steps).isGreaterThan(29);

    for (int done = first; done < steps; done += 2) {
      project.remove("calls", "changes");
      project.put("stop", Integer.toString(done));
      // Each run skips what exists, so a later one may finish: its exit code is not checked.
      project.run("deploy");
    }
    project.remove("stop");
    project.exits(0, "deploy --yes");

    assertThat(project.things()).isEqualTo(FIRST.things());
  }

  /** A shell that gets the printed commands makes what deploy makes. */
  @Test
  void dryRun_isShortAndChangesNothingAndCanBePasted() {
    assertThat(new Project().exits(0, "deploy --dry-run").lines()).hasSizeLessThan(MOST_LINES);
    String said = project.exits(0, "deploy --dry-run");
    assertThat(project.changes()).isEmpty();
    String commands = said.replaceAll("(?m)^(mkdir .*|gcloud pubsub subscriptions .*)$", "");

    assertThat(said.lines().toList())
        .last(InstanceOfAssertFactories.STRING)
        .startsWith("#   firebase deploy --only firestore:rules --project p");
    assertThat(project.shell(List.of("bash", "-ec", commands)).code()).isZero();
    project.remove("changes");
    project.exits(0, "deploy --yes");

    assertThat(project.changes()).noneMatch(one -> one.contains(" create "));
  }

  @Test
  void settings_reachTheFunctionsAndAreTakenBack() {
    String anywhere = "COUNTERS={parent=**}/counters # with a comment";
    project =
        Project.deployed(
            anywhere, "WORKERS=3", "SUM=documents", "BILLING=instance", "REQUEST_LOGS=errors");
    assertThat(project.lines("functions/tallyroll-roll-up"))
        .contains("COUNTERS={parent=**}/counters", "WORKERS=3")
        .noneMatch(one -> one.startsWith("IDLE_EXIT"));
    assertThat(project.lines("throttling-tallyroll-on-shard-written")).containsExactly("false");
    assertThat(project.lines("exclusions")).containsExactly("tallyroll-request-logs");
    assertThat(project.lines("fields")).contains("shards|count|0");

    project.settings(anywhere, "WORKERS=4", "REQUEST_LOGS=all");
    project.exits(0, "deploy --yes");

    assertThat(project.changes())
        .anyMatch(one -> one.contains("document={parent=**}/counters/{counter}/shards/{shard}"))
        .anyMatch(one -> one.contains("roll-up") && one.contains("--max-instances=10"));
    assertThat(project.lines("throttling-tallyroll-on-shard-written")).containsExactly("true");
    assertThat(project.lines("exclusions")).isEmpty();
    // Sums read the index, so it is there before the functions.
    assertThat(project.lines("fields")).doesNotContain("shards|count|0");
    assertThat(place(project, "--clear-exemption")).isLessThan(place(project, "functions deploy"));
  }

  @Test
  void destroy_takesAwayWhatDeployMade() {
    project.exits(0, "deploy --monitoring=a@b.c");
    assertThat(project.things().keySet()).anyMatch(one -> one.startsWith("policies/"));

    project.exits(0, "destroy --yes");

    String made = "(functions|topics|accounts|jobs|metrics|policies|channels|dashboards)/.*";
    assertThat(project.things().keySet()).noneMatch(one -> one.matches(made));
    assertThat(project.lines("bindings")).noneMatch(one -> one.contains("tallyroll"));
    assertThat(project.lines("fields")).hasSize(4);
    project.exits(0, "destroy --yes --indexes");
    assertThat(project.lines("fields")).isEmpty();
    assertThat(project.lines("ttls")).isEmpty();
  }

  /** In the extension's place there are no totals, so nothing of an index is touched. */
  @Test
  void fold_watchesTheShardsOfAnyDocument_andNeedsNoIndexes() {
    project.settings(
        "FOLD=PT1S",
        "FOLD_DOCUMENTS=pages/{page}",
        "FOLD_FIELDS=visits stats.likes",
        "TOTAL_FIELD=likes");
    project.given("fields shards.count.0");

    project.exits(0, "deploy");

    assertThat(project.changes())
        .anyMatch(one -> one.contains("pattern=document={parent=**}/_counter_shards_/{shard}"))
        .anyMatch(one -> one.contains("type=google.cloud.firestore.document.v1.created"))
        .noneMatch(one -> one.contains("indexes fields") || one.contains("ttls"));
    assertThat(project.lines("calls"))
        .filteredOn(one -> one.contains("collectionId"))
        .hasSize(1)
        .allMatch(one -> one.contains("\"collectionId\":\"_counter_shards_\""));
    assertThat(project.lines("functions/tallyroll-roll-up"))
        .contains(
            "FOLD=PT1S",
            "FOLD_DOCUMENTS=pages/{page}",
            "FOLD_FIELDS=visits stats.likes",
            "SHARDS_COLLECTION=_counter_shards_")
        .noneMatch(line -> line.startsWith("COUNTERS="));
    assertThat(project.changes())
        .anyMatch(one -> one.contains("entry-point=dev.tallyroll.fold.OnShardCreated"))
        .anyMatch(one -> one.contains("entry-point=dev.tallyroll.fold.Fold"));
    assertThat(project.exits(0, "deploy")).doesNotContain("that change");
    project.settings("SHARDS_COLLECTION=_counter_shards_");
    assertThat(project.exits(2, "deploy")).contains("FOLD: expected it as deployed");
  }

  /** An older fold has no such setting, and it is not guessed: a client may have made a shard. */
  @Test
  void foldWithoutDocuments_isToldWhichHaveShards() {
    project.settings("FOLD=PT1S");
    project.put(
        "documents-_counter_shards_",
        "rooms/r1/posts/a/_counter_shards_/x|",
        "rooms/r2/posts/b/_counter_shards_/7|",
        "s/1/9-days/2/days/3/day/4/_counter_shards_/z|");

    assertThat(project.exits(2, "deploy"))
        .contains("FOLD_DOCUMENTS: expected the documents to fold", "found none")
        .contains("  rooms/{room}/posts/{post}   2 of 3 shards\n")
        .contains("  s/{_}/9-days/{_9_day}/days/{day}/day/{day_}   1 of 3 shards\n");
    assertThat(project.calls().toString()).doesNotContain("enable");
    project.put("fails", "curl*|99|SERVICE_DISABLED: no");
    assertThat(project.exits(2, "deploy")).doesNotContain("SERVICE_DISABLED");
    for (String command : List.of("status", "smoke", "rules")) {
      assertThat(project.exits(2, command)).contains("FOLD_DOCUMENTS: expected the documents");
    }
    project = Project.deployed("FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}");
    project.settings("FOLD=PT1S");
    project.exits(0, "destroy --yes");
  }

  @Test
  void shardsThatWillNotBeFolded_areRemarked() {
    project.settings("FOLD=PT1S", "FOLD_DOCUMENTS=rooms/{room}/posts/{post} pages/home");
    project.put(
        "documents-_counter_shards_",
        "admins/eve/_counter_shards_/x|",
        "pages/home/_counter_shards_/x|",
        "pages/other/_counter_shards_/x|",
        "rooms/r/posts/p/_counter_shards_/x|",
        "rooms/r/posts/p/_counter_shards_/x/_counter_shards_/y|");

    assertThat(project.exits(0, "deploy --dry-run"))
        .contains(
            "will not be folded:\n#  admins/{admin}   1 of 5 shards\n#  pages/{page}   1 of 5 shards\n")
        .contains("#  rooms/{room}/posts/{post}/_counter_shards_/{_counter_shards_}   1 of 5")
        .doesNotContain("{post}   ");
  }

  /** The functions write a total over a number, and over nothing else. */
  @Test
  void totalField_thatHoldsSomethingElse_isRemarkedOnce() {
    String[] settings = {"COUNTERS=posts", "TOTAL_FIELD=stats.likes"};
    project = Project.empty(settings);
    project.put(
        "answer-documents-posts",
        document(
            "posts/a",
            "stats.likes",
            "\"arrayValue\": { \"values\": [ {",
            "\"stringValue\": \"u\""),
        document("posts/b", "stats.likes", "\"integerValue\": \"0\""),
        document("posts/c", "stats.likes", "\"nullValue\": null"),
        document("posts/d", "stats.likes", "\"doubleValue\": 0"),
        "{ \"document\": {",
        "\"name\": \"projects/p/databases/d/documents/posts/e\",",
        "} } ]");

    assertThat(project.exits(0, "deploy"))
        .contains(
            "# 2 of 5 documents of counters hold something else than a number in stats.likes:");
    assertThat(project.exits(0, "deploy")).doesNotContain("something else than a number");
    project.settings(settings[0], "TOTAL_FIELD=stats.views");
    assertThat(project.exits(0, "deploy --yes")).contains("something else than a number");
  }

  /** Each line: the settings, a document with its number, its roll-up, whether deploy asks. */
  @ParameterizedTest(name = "{0}: {1} {2}, {3} {4}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          COUNTERS=posts; posts/a; 1234; ; ; true
          COUNTERS=posts; posts/a; -5.5; ; ; true
          COUNTERS=posts; posts/a; 0; ; ; false
          COUNTERS=posts; posts/a; 7; posts/a; 7; false
          COUNTERS=posts; posts/a; 0.5; posts/a; 0.5; false
          COUNTERS=posts; posts/a; 7; posts/a; 8; true
          COUNTERS=posts; posts/a; 0; posts/a; 8; true
          COUNTERS=posts; posts/a; 7; others/a; 7; true
          COUNTERS=posts; posts/\\"a; 7; posts/\\"a; 7; false
          COUNTERS=posts; posts/\\"a; 7; posts/\\"a; 8; true
          COUNTERS=posts; rooms/r/posts/a; 7; ; ; false
          COUNTERS=rooms/{room}/posts; rooms/r/posts/a; 7; ; ; true
          COUNTERS=rooms/{room}/posts; rooms/r/posts/a; 7; rooms/r/posts/a; 7; false
          COUNTERS=rooms/{room}/posts; rooms/r/s/t/posts/a; 7; ; ; false
          COUNTERS={parent=**}/posts; posts/a; 7; ; ; true
          COUNTERS={parent=**}/posts; rooms/r/s/t/posts/a; 7; ; ; true
          COUNTERS=posts POLL=PT1M; posts/a; 7; ; ; true
          """)
  void numberInTotalField_isAskedForUnlessARollUpExplainsIt(
      String settings, String path, String number, String counter, String total, boolean asks) {
    project.settings((settings + " TOTAL_FIELD=stats.likes").split(" "));
    project.put("answer-documents-posts", document(path, "stats.likes", number(number)));
    if (counter != null) {
      String rollup = path.replaceFirst("posts/(?!.*posts/)", "rollups/");
      project.put("documents-rollups", rollup + "|" + counter + "|" + number(total));
    }

    String said = project.exits(asks ? 2 : 0, "deploy");

    if (asks) {
      assertThat(said)
          .contains("# 1 of 1 documents of counters hold a number of the app's own in stats.likes")
          .contains("#   " + path + ": " + number + "\n")
          .contains("expected yes as the answer, or --yes, found ''");
    } else {
      assertThat(said).doesNotContain("of the app's own");
    }
    assertThat(project.changes().isEmpty()).isEqualTo(asks);
  }

  @Test
  void numbersOfTheAppsOwn_areShownAndAskedForOnce() {
    String[] settings = {"COUNTERS=posts", "TOTAL_FIELD=likes"};
    project = Project.empty(settings);
    project.put("answer-documents-posts", sevenPosts());

    assertThat(project.exits(0, "deploy --dry-run"))
        .contains("# 7 of 7 documents of counters hold")
        .contains("#   posts/p1: 1\n", "#   posts/p5: 5\n")
        .doesNotContain("posts/p6")
        .contains("start the counters from them first, by startAll", "to another field.");
    assertThat(project.exits(2, "deploy")).doesNotContain("gcloud iam");
    assertThat(project.changes()).isEmpty();
    assertThat(project.exits(0, "deploy --yes")).contains("# 7 of 7 documents of counters hold");
    assertThat(project.exits(0, "deploy")).doesNotContain("of the app's own");
    project.settings(settings[0], "TOTAL_FIELD=hearts");
    assertThat(project.exits(2, "deploy")).contains("7 of 7", "in hearts");
  }

  /** Each line: the setting, a document's number, what its roll-up holds, whether deploy asks. */
  @ParameterizedTest(name = "{0}: {1}, {2} of {3}")
  @CsvSource({
    "NUMBER_FIELD, 3, 12, 3, false",
    "NUMBER_FIELD, 12, 12, 3, true",
    "NUMBER_FIELD, 0, , , false",
    "NUMBER_FIELD, 3, , , true",
    "AVERAGE_FIELD, 4, 12, 3, false",
    "AVERAGE_FIELD, 4.333333333333333, 13, 3, false",
    "AVERAGE_FIELD, 4.3333, 13, 3, true",
    "AVERAGE_FIELD, 0.0, 0, 0, false",
    "AVERAGE_FIELD, 4, 0, 0, true"
  })
  void numberInAnotherField_isAskedForUnlessTheRollUpExplainsIt(
      String key, String held, String total, String number, boolean asks) {
    project.settings("COUNTERS=posts", "SHARDS_COLLECTION=ratings", "COUNT_FIELD=", key + "=s.x");
    project.put("answer-documents-posts", document("posts/a", "s.x", number(held)));
    if (total != null) {
      project.put("documents-rollups", "rollups/a|posts/a|" + number(total) + "|" + number(number));
    }

    String said = project.exits(asks ? 2 : 0, "deploy");

    assertThat(said.contains("a number of the app's own in s.x")).isEqualTo(asks);
    assertThat(said.contains("# To keep these numbers, set " + key + " to another field."))
        .isEqualTo(asks);
  }

  @Test
  void fieldsOfOneDocument_areLookedAtEach_andAskedForOnce() {
    project.settings("COUNTERS=posts", "TOTAL_FIELD=likes", "NUMBER_FIELD=fans");
    project.put("answer-documents-posts", document("posts/a", "likes", number("7")));

    String said = project.exits(2, "deploy");

    assertThat(said)
        .contains("app's own in likes", "app's own in fans", "set TOTAL_FIELD to another field")
        .doesNotContain("startAll"); // which is for shards that clients increment
    assertThat(project.lines("calls"))
        .filteredOn(call -> call.contains("\"collectionId\":\"posts\""))
        .hasSize(2);
  }

  /** Each line: settings, how many documents there are, what deploy says of the pass at its end. */
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          TICK=PT1S; count-counters 100000 && count-rollups 0; now 100000 and 0: up to 400000 reads, $0.12; , in 17 min (an estimate).
          TOTAL_FIELD=likes; count-counters 100000 && count-rollups 100000; now 100000 and 100000: up to 500000 reads, $0.15; , in 34 min (an estimate).
          NUMBER_FIELD=likes; count-counters 12; now 12 and 0: up to 60 reads; , $0.00, in 1 min (an estimate).
          POLL=PT1M SUM=documents; count-rollups 9; now 0 and 9: up to 36 reads, and one a shard,; $0.00, in
          COUNTERS=rooms/{room}/posts ROLLUPS_COLLECTION=sums; count-posts 3 && count-sums 2; now 3 and 2: up to 12; , $0.00, in 1 min (an estimate).
          TICK=PT1S; count-counters x; for 1,000 and their totals: up to 4000 reads; , $0.00, in 1 min (an estimate).
          TICK=PT1S; count-counters 5 && count-rollups x; for 1,000 and their totals: up to 4000 reads; , $0.00, in 1 min (an estimate).
          COUNTERS=a/b/hot; count-hot x; for 1,000 and their totals: up to 4000 reads; , $0.00, in 1 min (an estimate).
          """)
  void passAtTheEnd_isPricedBeforeAnythingIsChanged(
      String settings, String given, String words, String time) {
    project.settings(settings.split(" "));
    project.given(given);

    String said = project.exits(0, "deploy");

    assertThat(said).contains("# The pass at the end looks at all counters and totals, " + words);
    assertThat(said).contains(time);
    assertThat(said.indexOf("# The pass at the end")).isLessThan(said.indexOf("gcloud iam"));
    assertThat(project.changes().get(project.changes().size() - 1))
        .isEqualTo(
            "gcloud pubsub topics publish rollup --message=sweep --attribute=kind=sweep,pass=all"
                + " --project=p");
  }

  /** With a variable, all collections of the name are counted; else that at the path only. */
  @ParameterizedTest
  @CsvSource({
    "counters, /documents:runAggregationQuery, false",
    "rooms/r/counters, /documents/rooms/r:runAggregationQuery, false",
    "rooms/{room}/counters, /documents:runAggregationQuery, true",
    "{parent=**}/counters, /documents:runAggregationQuery, true"
  })
  void passAtTheEnd_isCountedWhereCountersAre(String counters, String place, boolean all) {
    project.settings("COUNTERS=" + counters);

    project.exits(0, "deploy --dry-run");

    String calls = String.join("\n", project.lines("calls"));
    for (String collection : List.of("counters", "rollups")) {
      assertThat(calls)
          .containsPattern(
              "%s\t[^:]*:\\{[^@]*\"collectionId\":\"%s\",\"allDescendants\":%s"
                  .formatted(place, collection, all));
    }
  }

  /** A fold has no totals: its sweep looks at shards. */
  @Test
  void fold_asksForASweepAsEver() {
    project.settings("FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}");

    assertThat(project.exits(0, "deploy")).doesNotContain("The pass at the end");
    assertThat(project.changes().get(project.changes().size() - 1))
        .endsWith(" --attribute=kind=sweep --project=p");
  }

  /** From documents to sums of an index, in a database whose default is none. */
  @Test
  void ownExemption_becomesAnIndexIfOthersExemptTheField() {
    project = Project.deployed("SUM=documents");
    project.put(
        "fields", (String.join("\n", project.lines("fields")) + "\n__default__|*|0").split("\n"));
    project.settings();

    project.exits(0, "deploy --yes");

    assertThat(project.lines("fields")).contains("shards|count|1").doesNotContain("shards|count|0");
    assertThat(place(project, "--index=order=ascending"))
        .isLessThan(place(project, "functions deploy"));
  }

  /** Nothing is read of a document that is counted, so nothing is done to indexes of the app's. */
  @Test
  void countedDocuments_giveTheIndexOfTheOldFieldBack() {
    project = Project.deployed("SUM=documents");
    project.settings("COUNT_FIELD=");

    project.exits(0, "deploy --yes");

    assertThat(project.lines("fields")).noneMatch(field -> field.startsWith("shards|"));
    project.remove("changes");
    project.exits(0, "deploy");
    assertThat(project.changes()).noneMatch(one -> one.contains("indexes fields update"));
    project.exits(0, "destroy --yes --indexes");
    assertThat(project.changes()).noneMatch(one -> one.contains("collection-group=shards"));
  }

  /** An empty name of the counted field says that documents are counted: it reaches functions. */
  @ParameterizedTest
  @ValueSource(strings = {"", "review.stars"})
  void documents_areCountedByDeployedSettings(String field) {
    String[] settings = {
      "COUNTERS=posts",
      "SHARDS_COLLECTION=reviews",
      "COUNT_FIELD=" + field,
      "TOTAL_FIELD=stars",
      "NUMBER_FIELD=reviews",
      "AVERAGE_FIELD=mean"
    };
    project = Project.deployed(settings);

    assertThat(project.lines("functions/tallyroll-on-shard-written"))
        .contains("COUNT_FIELD=" + field, "NUMBER_FIELD=reviews", "AVERAGE_FIELD=mean");
    assertThat(project.exits(0, "status")).contains("No fault found.");
    assertThat(project.exits(0, "deploy")).doesNotContain("that change");
    project.settings("COUNTERS=posts", "SHARDS_COLLECTION=reviews");
    assertThat(project.exits(2, "deploy"))
        .contains("< COUNT_FIELD=" + field + "\n", "> COUNT_FIELD=count\n")
        .contains("# NUMBER_FIELD: reviews of the counters' documents keeps its last values");
    project.settings(settings);
    assertThat(project.exits(2, "rules"))
        .contains("COUNT_FIELD: expected a field's name with RULES=plain, found '" + field + "'.")
        .contains("For documents that are counted as they are, set RULES=own.");
  }

  private static String[] sevenPosts() {
    return IntStream.rangeClosed(1, 7)
        .mapToObj(i -> document("posts/p" + i, "likes", number(Integer.toString(i))))
        .toArray(String[]::new);
  }

  private static String number(String number) {
    return number.contains(".")
        ? "\"doubleValue\": " + number
        : "\"integerValue\": \"" + number + "\"";
  }

  /** As the answers of Firestore's REST API have it. */
  private static String document(String path, String field, String... value) {
    return String.join(
        "\n",
        "{ \"document\": {",
        "\"name\": \"projects/p/databases/d/documents/" + path + "\",",
        "\"fields\": {",
        "\"" + field.replace(".", "\": {\n\"mapValue\": {\n\"fields\": {\n\"") + "\": {",
        String.join("\n", value),
        "} } } } } } },");
  }
}
