package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * deploy, status and destroy in front of the stand-in for a project: the commands, their order, and
 * what becomes of a project. The tests of the package operator test what is decided.
 */
class DeployIT {
  private static final int MOST_LINES = 90;
  private static final String ROLLER = "tallyroll-roll-up@p.iam.gserviceaccount.com";

  /** The first deploy to a project, where the indexes and a trigger take their time. */
  private static final Project FIRST = Project.empty();

  private static final String SAID = firstDeploy();

  private Project project = Project.empty();

  private static String firstDeploy() {
    FIRST.given("pending x && fails *deploy*roll-up*|1|Validation failed for trigger: Building..");
    return FIRST.exits(0, "deploy");
  }

  /** Facts: what the first deploy on a real project meets. */
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
          fact 8: number for id; subscriptions/eventarc-tallyroll-roll-up; ackDeadlineSeconds.:600,.*
          fact 8: number for id; subscriptions/eventarc-tallyroll-on-shard-written; ackDeadlineSeconds.:120,.*
          fact 11: exemptions together; fields; rollups.as_of.0
          fact 11: exemptions together; fields; rollups.live_until.0
          fact 11: exemptions together; fields; rollups.counter.0
          fact 11: exemptions together; fields; increment_names.expire_at.0
          fact 11: exemptions together; ttls; increment_names.expire_at
          functions; changes; on-shard-written .*--trigger-location=us-central1.*document=counters/.counter./shards/.shard. --retry .*--concurrency=80 .*--max-instances=20 .*
          functions; functions/tallyroll-roll-up; environmentVariables.:.*.FIRESTORE_ENABLE_TRACING.:.OFF.*
          functions; changes; roll-up .*--trigger-topic=tallyroll-rollup --no-retry .*--cpu=.333 --memory=512Mi --concurrency=1 .*--max-instances=4 .*--env-vars-file=.*
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
    assertThat(changes)
        .last()
        .asString()
        .contains("publish tallyroll-rollup --message=sweep --attribute=kind=sweep,pass=all");
  }

  /** Before the first change, deploy says what will be there, and what it costs. */
  @Test
  @Tag("core")
  void end_isSaidFirst() {
    assertThat(SAID)
        .containsSubsequence(
            "# counters (new): sum of count in counters/{1}/shards; in rollups/{counter}",
            "#   0 documents and 0 totals now: the pass reads up to 0, $0",
            "# In the end there are the functions",
            "# This undoes it: deploy/gcloud/destroy --settings '",
            "gcloud iam service-accounts create");
  }

  @Test
  void fact2_fact4_whatPasses_isTriedAgain() {
    List<String> texts =
        List.of(
            "*databases describe*|3|PERMISSION_DENIED: Firestore API has not been used in project 1",
            "*topics list*|3|403 SERVICE_DISABLED",
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
  void fact6_fact7_readersNeedNoQuotaProject_andASecondDeployChangesNothing() {
    project = Project.deployed();
    Map<String, String> before = project.things();

    project.exits(0, "status");
    assertThat(project.calls().toString()).doesNotContain("x-goog-user-project", "billing-project");
    assertThat(project.exits(0, "deploy")).doesNotContain("that change");

    assertThat(project.things()).isEqualTo(before);
    assertThat(project.changes()).noneMatch(one -> one.contains(" create "));
    assertThat(project.calls()).noneMatch(one -> one.contains("alpha") || one.contains("beta"));
  }

  /** Each line: what is there, the command, its exit code and words of it; no function is made. */
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          settings.env WORKERS=many\\nNAME=T; deploy; 2; WORKERS: expected a whole number
          settings.env WORKERS=many\\nNAME=T; status; 2; NAME: expected 2 to 13 lower-case letters
          settings.env TOCK=1; rules; 2; expected KEY=VALUE with a key of deploy/gcloud/settings.env; found 'TOCK=1'
          settings.env TOTALS=none.json; deploy; 2; none.json: expected a file of totals; found
          settings.env TOTALS=totals.json && totals.json {"likes": {"in": "posts"}}; status; 2; totals.json: likes.in: expected one of the keys of, sum
          triggers/tallyroll-on-shard-written-861b20d4 {"name": "projects/p/locations/us-central1/triggers/tallyroll-on-shard-written-861b20d4"} && settings.env TOTALS=totals.json && totals.json {"a": {"of": "a/{x}/y"}, "b": {"of": "b/{x}/y"}}; deploy; 2; expected the mark of the deployment tallyroll on the trigger tallyroll-on-shard-written-
          settings.env NAME=$(reboot); deploy; 2; NAME: expected 2 to 13 lower-case letters
          settings.env FOLD=PT1S; deploy; 2; FOLD_DOCUMENTS: expected documents' paths
          settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page}; deploy --artifact=../../../../functions/target/function/tallyroll.jar; 2; --artifact: expected tallyroll-fold.jar, with the class dev.tallyroll.fold.OnShardCreated, found another file
          topics/tallyroll-rollup {"name": "x/topics/tallyroll-rollup"}; deploy; 2; expected the mark of the deployment tallyroll on the topic tallyroll-rollup
          apis x; deploy --total=x; 2; found --total
          apis x; deploy --totals=x; 2; x: expected a file of totals; found no such file
          apis x; deploy --monitoring=me; 2; expected an e-mail address
          apis x; deploy --artifact=no.jar; 2; --artifact: expected a file
          apis x; status --yes; 2; found --yes
          fails *databases describe*|9|NOT_FOUND: no; deploy; 2; FIRESTORE_DATABASE: expected a database; found none
          fails *services enable*|99|PERMISSION_DENIED: Permission denied on resource; deploy; 1; PERMISSION_DENIED
          fails *pubsub topics create*|99|PERMISSION_DENIED: no; deploy; 1; goes on from there
          fails *services enable*|99|Unable to find the server at serviceusage.googleapis.com; deploy; 1; Unable to find the server
          fails *firestore indexes fields list*|99|500 INTERNAL; deploy; 1; 500 INTERNAL
          fails *functions deploy*|99|Validation failed for trigger x; deploy; 1; try 30 of 30
          fails *alpha*|99|You do not currently have this command group; deploy --monitoring=a@b.c; 1; have this command group
          warns regions were fully or partially unreachable for query: us-central1; deploy; 1; unreachable
          """)
  void whatIsInTheWay_endsItBeforeAnyFunction(
      String given, String command, int code, String words) {
    project.given(given);

    assertThat(project.exits(code, command)).contains(words);

    assertThat(project.changes()).noneMatch(one -> one.contains("functions deploy tallyroll-x"));
    if (code == 2) {
      assertThat(project.changes()).isEmpty();
    }
  }

  @Test
  void anotherRegionThatIsUnreachable_isNotInTheWay() {
    project.put("warns", "regions were fully or partially unreachable for query: us-east1");

    project.exits(0, "deploy");
  }

  @Test
  void changedSettings_areShownAndAsked_andAJarMayComeFromAnAddress() {
    project = Project.deployed("counters.every=PT2S", "counters.sum=Cnt");
    project.settings("counters.sum=Cnt");

    assertThat(project.exits(2, "deploy"))
        .contains(
            "# < counters.every=\"PT2S\"",
            "# > counters.every=",
            "expected yes as the answer, or --yes");
    assertThat(project.changes()).isEmpty();
    String jar = "https://storage.googleapis.com/releases/tallyroll.jar";
    project.exits(0, "deploy --yes --artifact=" + jar);

    assertThat(project.lines("functions/tallyroll-roll-up").toString())
        .contains("Cnt")
        .doesNotContain("PT2S");
    assertThat(project.calls().toString()).contains(jar);
  }

  /** One function and one schedule. RollUp sums by itself before the trigger goes. */
  @Test
  void totalsWithoutEvents_needNoTrigger() {
    String minute = "counters.events=false";
    project = Project.deployed(minute);
    assertThat(project.things().keySet()).noneMatch(one -> one.contains("on-shard-written"));
    assertThat(project.things().toString()).doesNotContain("on-shard-written@");
    Map<String, String> alone = project.things();

    project.settings();
    assertThat(project.exits(0, "deploy --yes"))
        .contains("< counters.events=false", "No fault found.");
    assertThat(place(project, "functions deploy tallyroll-roll-up"))
        .isLessThan(place(project, "functions deploy tallyroll-on-shard-written"));

    project.remove("changes");
    project.settings(minute);
    assertThat(project.exits(0, "deploy --yes")).contains("No fault found.");
    assertThat(place(project, "functions deploy tallyroll-roll-up"))
        .isLessThan(place(project, "functions delete tallyroll-on-shard-written"));
    assertThat(project.things()).isEqualTo(alone);

    project.exits(0, "destroy --yes --indexes");
    assertNothingOfOursIsLeft();
  }

  /** A sum with an equality, and a count with two, need an index of their own. */
  @Test
  void compositeIndexes_areMadeFirstNamedAndLeft() {
    Project project =
        Project.empty(
            "open.of=tickets",
            "open.where={'open':true}",
            "open.document=teams/{teamId}",
            "open.sum=hours",
            "published.of=posts/{post}/comments",
            "published.where={'state':'x'}");
    assertThat(project.exits(0, "deploy --yes"))
        .contains(
            "{\"collectionGroup\":\"tickets\",\"queryScope\":\"COLLECTION\",\"fields\":[{\"fieldPath\":\"open\"",
            "No fault found.");
    String made =
        "indexes composite create --collection-group=tickets --query-scope=collection"
            + " --field-config=field-path=open,order=ascending"
            + " --field-config=field-path=teamId,order=ascending"
            + " --field-config=field-path=hours,order=ascending";
    assertThat(project.changes()).filteredOn(one -> one.contains("composite")).hasSize(1);
    assertThat(place(project, made))
        .isLessThan(place(project, "functions deploy tallyroll-roll-up"));

    project.remove("changes");
    project.exits(0, "deploy --yes");
    assertThat(project.changes()).noneMatch(one -> one.contains("composite"));

    List<String> there = project.lines("indexes/i0");
    project.put("indexes/i0", String.join("", there).replace("READY", "CREATING"));
    assertThat(project.exits(0, "status"))
        .contains("open: the index on tickets: open, teamId, hours is not ready");
    project.remove("indexes/i0");
    assertThat(project.exits(1, "status")).contains("expected an index on tickets", made);
    project.put("indexes/i0", String.join("", there));
    assertThat(project.exits(0, "destroy --yes --indexes"))
        .contains("gcloud firestore indexes composite delete i0 ");
    assertThat(project.lines("indexes/i0")).isEqualTo(there);
  }

  /** Six kinds of totals, of which two are of one pattern, and one needs no events. */
  private static final String[] SIX = {
    "likes.of=posts/{post}/likes",
    "likes.into={'count':'likes'}",
    "comments.of=posts/{p}/comments",
    "comments.into={'count':'comments'}",
    "ratings.of=products/{product}/reviews",
    "ratings.sum=stars",
    "reviewers.of=products/{p}/reviews",
    "followers.of=users/{user}/followers",
    "followers.document=profiles/{user}",
    "visits.of=pages/{page}/visits",
    "visits.events=false",
    "visits.every=PT1M",
  };

  private static String[] six(String... others) {
    return Stream.concat(Stream.of(SIX), Stream.of(others)).toArray(String[]::new);
  }

  private static String[] without(String entry, String... lines) {
    return Stream.of(lines).filter(line -> !line.startsWith(entry)).toArray(String[]::new);
  }

  @Test
  void sixEntries_haveOneHandlerWithATriggerForEachPattern() {
    project = Project.deployed(SIX);

    assertThat(project.things().keySet())
        .filteredOn(one -> one.startsWith("functions/"))
        .containsExactly("functions/tallyroll-on-shard-written", "functions/tallyroll-roll-up");
    assertThat(project.things().keySet())
        .filteredOn(one -> one.matches("triggers/tallyroll-on-shard-written-[0-9a-f]{8}"))
        .hasSize(3);
    assertThat(project.lines("triggers/tallyroll-on-shard-written").toString())
        .contains("posts/{counter}/likes/{shard}");
    assertThat(project.lines("fields"))
        .hasSize(6 * 3 + 1); // and names of increments, as stars may be a count
    assertThat(project.exits(0, "status"))
        .contains("likes: 0 totals, 0 live", "visits: 0 totals, 0 live", "No fault found.");
    assertThat(project.exits(0, "deploy")).doesNotContain("that change");
    assertThat(project.changes()).noneMatch(one -> one.contains(" create "));
    assertThat(new Project(SIX).exits(0, "deploy --dry-run").lines())
        .hasSizeLessThan(MOST_LINES + 50);
  }

  /** Each line: what the file of six becomes, by lines that come, and an entry that goes. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "fans.of=teams/{team}/fans; none; fans (new): number of teams/{1}/fans",
        "hearts.of=posts/{post}/comments hearts.rollups=comments_rollups hearts.into={'count':'comments'}; comments; hearts (changed): number of posts/{1}/comments",
        "likes.into={'count':'stats.likes'}; none; likes.into: likes of posts/{post} keeps its last values",
        "likes.into={'count':'n'}; comments; comments: the totals in comments_rollups stay there"
      })
  void changeOfTheFile_isSaidAndMade(String lines, String gone, String said) {
    String[] is = without(gone, six(lines.split(" ", -1)));
    project = Project.deployed(SIX);
    project.settings(is);

    assertThat(project.exits(0, "deploy --yes")).contains(said, "No fault found.");

    assertLikeFresh(is);
  }

  /** Two entries more, one less, one renamed, and one shown elsewhere. */
  @Test
  void stopAfterEachStepOfAChangeOfTheFile_leadsToTheSameEnd() {
    String[] is =
        without(
            "comments",
            without(
                "ratings",
                six(
                    "fans.of=teams/{team}/fans",
                    "members.of=teams/{team}/members",
                    "stars.of=products/{product}/reviews",
                    "stars.sum=stars",
                    "stars.rollups=ratings_rollups",
                    "likes.into={'count':'stats.likes'}")));
    project = Project.deployed(SIX);
    project.put(
        "triggers/theirs", "{\"name\": \"projects/p/locations/us-central1/triggers/theirs\"}");
    project.settings(is);
    deployWithStops(3, 90);

    assertLikeFresh(is);
    project.exits(0, "destroy --yes");
    assertThat(project.lines("triggers/theirs")).hasSize(1);
    project.remove("triggers/theirs");
    assertNothingOfOursIsLeft();
  }

  /** But for the exemptions of roll-ups that nobody keeps any more. */
  private void assertLikeFresh(String... settings) {
    Map<String, String> things = new TreeMap<>(project.things());
    things.remove("triggers/theirs");
    Map<String, String> fresh = new TreeMap<>(Project.deployed(settings).things());
    assertThat(String.valueOf(things.remove("fields")).lines().toList())
        .containsAll(String.valueOf(fresh.remove("fields")).lines().toList());
    assertThat(things).isEqualTo(fresh);
  }

  /** The trigger cannot be changed, and no event may be lost for it. */
  @Test
  void triggerOfTheFunction_staysWhenItsEntryGoes() {
    project = Project.deployed(SIX);
    project.settings(without("likes", SIX));

    assertThat(project.exits(0, "deploy --yes"))
        .contains(
            "The trigger that OnShardWritten was made with watches posts/{counter}/likes/{shard}",
            "OnShardWritten's own trigger watches posts/{counter}/likes/{shard}, which no entry counts",
            "No fault found.");
    assertThat(project.things().keySet())
        .filteredOn(one -> one.startsWith("triggers/tallyroll-on-shard-written"))
        .hasSize(4);
  }

  /** An old instance may write the field until it is gone. */
  @Test
  void fieldThatChangesHands_isMendedAfterTenMinutes() {
    project = Project.deployed(SIX);
    project.settings(six("likes.into={'count':'comments'}", "comments.into="));

    assertThat(project.exits(0, "deploy --yes")).contains("Ten minutes, until no old instance");
    List<List<String>> calls = project.calls();
    assertThat(calls).contains(List.of("sleep", "600"));
    project.remove("calls");
    project.exits(0, "deploy --yes");
    assertThat(project.calls()).doesNotContain(List.of("sleep", "600"));
  }

  private void assertNothingOfOursIsLeft() {
    assertThat(project.things().keySet())
        .noneMatch(
            one ->
                one.matches(
                    "(functions|triggers|jobs|accounts|topics|metrics|policies|channels|dashboards)/.*"));
    assertThat(project.lines("bindings")).noneMatch(one -> one.contains("tallyroll"));
    assertThat(project.lines("exclusions")).isEmpty();
  }

  /** Log settings only save money: an account without that right deploys, too. */
  @Test
  void deniedLogSettings_doNotEndIt() {
    project.put("fails", "*logging sinks *|99|PERMISSION_DENIED: logging.sinks");

    assertThat(project.exits(0, "deploy"))
        .contains("This account may not write log settings", "No fault found.");

    project = Project.empty();
    project.put("fails", "*logging sinks update*|99|500 INTERNAL");
    assertThat(project.exits(1, "deploy")).contains("500 INTERNAL", "goes on from there");
  }

  /** An account that may not look at everything is told what it has not seen. */
  @Test
  void status_saysWhatItMayNotSee_andWhatIsWrong() {
    project = Project.deployed();
    project.put(
        "fails",
        "*logging read*|99|PERMISSION_DENIED: no",
        "*get-iam-policy p*|99|PERMISSION_DENIED: no");
    assertThat(project.exits(1, "status"))
        .contains(
            "NOT SEEN: this account may not look at policy",
            "NOT SEEN: this account may not look at runs")
        .doesNotContain("WRONG", "No fault found.");

    project.put("fails", "*logging read*|99|500 INTERNAL");
    assertThat(project.exits(1, "status")).contains("500 INTERNAL");
    project.put("fails");
    project.put("jobs/tallyroll-run", "{\"name\": \"x/tallyroll-run\", \"state\": \"PAUSED\"}");
    assertThat(project.exits(1, "status")).contains("expected ENABLED, found PAUSED");
    assertThat(project.changes()).isEmpty();
    assertThat(project.sleeps()).isZero();
  }

  @Test
  void dryRunOfDestroy_saysThatNothingIsGone() {
    assertThat(Project.deployed().exits(0, "destroy --dry-run"))
        .contains("# A dry run: nothing was removed.")
        .doesNotContain("# Removed", "Signed out");
    assertThat(new Project().exits(0, "destroy --dry-run"))
        .contains(
            "# A dry run: nothing was removed.", "# Signed out, it cannot see what is there.");
    assertThat(project.exits(2, "destroy --yes")).contains("found nothing with the mark");
    assertThat(Project.deployed().exits(2, "destroy")).contains("expected tallyroll as the answer");
  }

  @Test
  void dryRunOfAStranger_saysWhereItsWordsComeFrom() {
    assertThat(new Project().exits(0, "deploy --dry-run"))
        .contains(
            "# PROJECT_NUMBER: gcloud projects describe p ",
            "# SUBSCRIPTION-OF-tallyroll-roll-up: gcloud eventarc triggers list --location=us-central1",
            "Maven builds it: mvn --batch-mode -pl functions -am");
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

  /** Deploys until it comes to its end; each time it may take so many steps more. */
  private void deployWithStops(int more, int most) {
    project.put("stop", "0");
    for (int done = 1; project.run("deploy --yes").code() != 0; done += more) {
      assertThat(done).isLessThan(most);
      project.remove("calls", "changes");
      project.put("stop", Integer.toString(done));
    }
    project.remove("stop");
  }

  /** A change of each kind: of the trigger, of what is summed, and of what is written. */
  @ParameterizedTest
  @CsvSource({
    "counters.every=PT1S, counters.events=false",
    "counters.events=false, counters.every=PT1S"
  })
  void stopAfterEachStepOfAChange_leadsToTheSameEnd(String old, String another) {
    String[] is = {another, "counters.sum=Cnt", "counters.index=false", "counters.rollups=sums"};
    Map<String, String> fresh = Project.deployed(is).things();
    project = Project.deployed(old, "counters.index=false");
    project.settings(is);
    deployWithStops(2, 60);

    // The exemptions of the old roll-ups stay.
    Map<String, String> things = new TreeMap<>(project.things());
    things.computeIfPresent("fields", (file, all) -> all.replaceAll("(?m)^rollups.*\n", ""));
    assertThat(things).isEqualTo(fresh);
  }

  /** A shell that gets the printed commands makes what deploy makes. */
  @Test
  void dryRun_isShortAndChangesNothingAndCanBePasted() {
    assertThat(new Project().exits(0, "deploy --dry-run").lines()).hasSizeLessThan(MOST_LINES);
    String said = project.exits(0, "deploy --dry-run");
    assertThat(project.changes()).isEmpty();
    String commands =
        said.replaceAll("(?m)^gcloud pubsub subscriptions .*$|(?<=^mkdir .{0,99}) && cp .*$", "");

    assertThat(said.lines().toList())
        .last()
        .asString()
        .startsWith("#   firebase deploy --only firestore:rules --project p");
    assertThat(project.shell(List.of("bash", "-ec", commands)).code()).isZero();
    project.remove("changes");
    project.exits(0, "deploy --yes");

    assertThat(project.changes()).noneMatch(one -> one.contains(" create "));
  }

  @Test
  void settings_reachTheFunctionsAndAreTakenBack() {
    String anywhere = "counters.of={parent=**}/counters/{counter}/shards";
    project =
        Project.deployed(
            anywhere, "WORKERS=3 # with a comment", "counters.index=false", "BILLING=instance");
    assertThat(project.lines("functions/tallyroll-roll-up").toString())
        .contains(
            "\"TOTALS\":\"{\\\"counters\\\":{\\\"",
            "{parent=**}/counters",
            "\"WORKERS\":\"3\"",
            "\"NAME\":\"tally",
            "\"JAVA_TOOL_OPTIONS\":\"-XX:MaxRAMPercentage=60 -XX:")
        .doesNotContain("totals.json", "PROJECT", "REGION");
    assertThat(project.lines("throttling-tallyroll-on-shard-written")).containsExactly("false");
    assertThat(project.lines("exclusions")).containsExactly("tallyroll-request-logs");
    assertThat(project.lines("fields")).contains("shards|count|0");

    project.settings(anywhere, "WORKERS=4");
    project.exits(0, "deploy --yes");

    assertThat(project.changes())
        .anyMatch(one -> one.contains("document={parent=**}/counters/{counter}/shards/{shard}"))
        .anyMatch(one -> one.contains("roll-up") && one.contains("--max-instances=10"));
    assertThat(project.lines("throttling-tallyroll-on-shard-written")).containsExactly("true");
    // Sums read the index, so it is there before the functions.
    assertThat(project.lines("fields")).doesNotContain("shards|count|0");
    assertThat(place(project, "--clear-exemption")).isLessThan(place(project, "functions deploy"));
  }

  @Test
  void destroy_takesAwayWhatDeployMade() {
    project.exits(0, "deploy --monitoring=a@b.c");
    assertThat(project.lines("metrics/tallyroll-drift").toString()).contains("metricDescriptor");
    assertThat(project.lines("policies/drift").toString()).contains("conditions");

    project.exits(0, "destroy --yes");

    assertNothingOfOursIsLeft();
    assertThat(project.lines("fields")).hasSize(4);
    project.exits(0, "destroy --yes --indexes");
    assertThat(project.lines("fields")).isEmpty();
    assertThat(project.lines("ttls")).isEmpty();
  }

  /** An address without alerts is found, too. */
  @Test
  void destroyAfterHalfOfTheMonitoring_leavesNothing() {
    project.put("fails", "*alpha monitoring policies create*|99|INTERNAL");
    project.exits(1, "deploy --monitoring=a@b.c");
    assertThat(project.things().keySet()).contains("channels/channel-1");

    project.exits(0, "destroy --yes");

    assertNothingOfOursIsLeft();
  }

  /** After a failed step, destroy goes on. */
  @Test
  void destroyThatStops_goesOn() {
    project = Project.deployed();
    for (int done = 0; done < 12; done++) {
      project.remove("changes");
      project.put("stop", Integer.toString(done % 3));
      project.run("destroy --yes");
    }
    project.remove("stop");
    project.run("destroy --yes");

    assertNothingOfOursIsLeft();
  }

  /** The region of what is deployed counts, also if the file has another. */
  @Test
  void destroy_findsTheDeploymentWhereItIs() {
    project = Project.deployed();
    String elsewhere = " --settings=settings.env --project=p --region=us-east1";
    assertThat(project.exits(2, "deploy --yes" + elsewhere))
        .contains(
            "NAME: expected one that no other deployment has; found 'tallyroll' in us-central1");

    assertThat(project.exits(0, "destroy --yes" + elsewhere)).contains("region us-central1 stop");

    assertNothingOfOursIsLeft();
  }

  /** In the extension's place there are no totals, so nothing of an index is touched. */
  @Test
  void fold_watchesTheShardsOfAnyDocument_andNeedsNoIndexes() {
    project.settings(
        "FOLD=PT1S",
        "FOLD_DOCUMENTS=pages/{page} rooms/{room}/posts/{post}",
        "FOLD_FIELDS=visits stats.likes");

    assertThat(project.exits(0, "deploy")).contains("No fault found.");

    assertThat(project.changes())
        .anyMatch(one -> one.contains("pattern=document={parent=**}/_counter_shards_/{shard}"))
        .anyMatch(one -> one.contains("type=google.cloud.firestore.document.v1.created"))
        .noneMatch(one -> one.contains("indexes fields") || one.contains("ttls"));
    assertThat(project.lines("functions/tallyroll-roll-up").toString())
        .contains(
            "\"FOLD\":\"PT1S\"",
            "\"FOLD_DOCUMENTS\":\"pages/{page} rooms/{room}/posts/{post}\"",
            "\"FOLD_FIELDS\":\"visits stats.likes\"");
    assertThat(project.changes())
        .anyMatch(one -> one.contains("entry-point=dev.tallyroll.fold.OnShardCreated"))
        .anyMatch(one -> one.contains("entry-point=dev.tallyroll.fold.Fold"))
        .last()
        .asString()
        .endsWith(" --attribute=kind=sweep --project=p");
    assertThat(project.exits(0, "deploy")).doesNotContain("that change");
  }

  /** Each counts one, or its number. */
  @ParameterizedTest
  @ValueSource(strings = {"", "review.stars"})
  void documents_areCountedByDeployedSettings(String field) {
    project = Project.deployed("counters.of=posts/{counter}/reviews", "counters.sum=" + field);

    assertThat(project.lines("functions/tallyroll-on-shard-written").toString())
        .contains("posts/{counter}/reviews", field);
    assertThat(project.exits(0, "status")).contains("No fault found.");
    assertThat(project.exits(0, "deploy")).doesNotContain("that change");
  }

  /** Rights on another database, which an older destroy left; not what somebody gave. */
  @Test
  void deploy_removesRightsOnOtherDatabases() {
    project = Project.deployed();
    String right = "serviceAccount:" + ROLLER + "|roles/datastore.user";
    String theirs = right + "|audit|resource.name==\"projects/p/databases/second\"";
    List<String> bindings = new ArrayList<>(project.lines("bindings"));
    bindings.add(right);
    bindings.add(right + "|tallyroll|resource.name==\"projects/p/databases/second\"");
    bindings.add(theirs);
    project.put("bindings", bindings.toArray(String[]::new));

    assertThat(project.exits(1, "deploy --yes")).contains("found it for more: expression=");

    assertThat(project.lines("bindings"))
        .filteredOn(one -> one.startsWith("serviceAccount:" + ROLLER))
        .containsExactly(
            theirs, right + "|tallyroll|resource.name==\"projects/p/databases/(default)\"");
  }

  /** remove-totals refuses while a deployed function keeps such totals. */
  @Test
  void removeTotals_asksAndLooksAtTheFunctions() {
    project = Project.deployed();
    String[] command = {
      Shell.SCRIPTS.resolve("remove-totals").toString(),
      "sum of count in counters/{1}/shards",
      "rollups"
    };
    String[] where = {"--project", "p", "--region", "us-central1"};

    List<String> kept = new ArrayList<>(List.of(command));
    kept.addAll(List.of(where));
    assertThat(project.shell(kept).text()).contains("expected yes as the answer");
    kept.add("--yes");
    assertThat(project.shell(kept).text())
        .contains("which keeps 'sum of count in counters/{1}/shards'");
    assertThat(project.shell(List.of(command[0], command[1])).text())
        .contains("expected the collection of the totals after 'sum of count");
    kept.set(2, "old");
    assertThat(project.shell(kept))
        .isEqualTo(
            new Shell.Result(
                0,
                "looked at 0 documents; removed 0 roll-ups, and our fields from 0 that have others\n"));
  }
}
