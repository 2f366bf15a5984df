package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of a running system, in front of the stand-in, when a setting is changed. */
class ChangesIT {
  private static final String ELSEWHERE = "resource.name==\"projects/p/databases/second\"";

  private static final Pattern ROW = Pattern.compile("(?m)^\\| (`[`A-Z_, =]+`) \\|");

  private Project project = Project.deployed();

  /**
   * The table of deploy/README, row by row: the settings, their old and new values, whether deploy
   * refuses the change, what it says, and which index settings stay behind, by deploy, and by
   * destroy and deploy. All else is then as in a new project.
   */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          COUNTERS; COUNTERS={parent=**}/counters; COUNTERS=counters; refuses; COUNTERS: expected it as deployed; ; ''
          POLL; WORKERS=1; POLL=PT1M; asks; > POLL=PT1M; ''; ''
          SHARDS_COLLECTION; WORKERS=1; SHARDS_COLLECTION=parts; refuses; SHARDS_COLLECTION: expected it as deployed; ; ''
          ROLLUPS_COLLECTION; WORKERS=1; ROLLUPS_COLLECTION=sums; asks; the totals in rollups stay there, and stand still.; rollups|as_of|0 rollups|counter|0 rollups|live_until|0; rollups|as_of|0 rollups|counter|0 rollups|live_until|0
          INCREMENTS_COLLECTION; WORKERS=1; INCREMENTS_COLLECTION=names; asks; the exemption and the TTL policy of increment_names stay; increment_names|expire_at increment_names|expire_at|0; increment_names|expire_at increment_names|expire_at|0
          TOTAL_FIELD, NUMBER_FIELD, AVERAGE_FIELD; TOTAL_FIELD=likes; TOTAL_FIELD=hearts NUMBER_FIELD=given AVERAGE_FIELD=mean; asks; likes of the counters' documents keeps its last values; ''; ''
          COUNT_FIELD; SUM=documents; SUM=documents COUNT_FIELD=Cnt; refuses; ROLLUPS_COLLECTION: expected no totals of others; ; shards|count|0
          SUM; SUM=documents; SUM=aggregate; asks; > SUM=aggregate; ''; ''
          FIRESTORE_DATABASE; WORKERS=1; FIRESTORE_DATABASE=second; refuses; FIRESTORE_DATABASE: expected it as deployed; ; ''
          FOLD; WORKERS=1; FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; refuses; FOLD: expected it as deployed; ; increment_names|expire_at increment_names|expire_at|0 rollups|as_of|0 rollups|counter|0 rollups|live_until|0
          FOLD_DOCUMENTS, FOLD_FIELDS; FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; FOLD=PT2S FOLD_DOCUMENTS=posts/{post} FOLD_FIELDS=visits; asks; > FOLD=PT2S; ''; ''
          ROLLUP_TOPIC; WORKERS=1; ROLLUP_TOPIC=ticks; asks; > ROLLUP_TOPIC=ticks; ''; ''
          TICK, LEASE, SLACK, BURST, HOLD, PRECISION, WORKERS, RUN, IDLE_EXIT, SWEEP, SWEEP_COUNTERS; WORKERS=1; TICK=PT2S LEASE=PT9S SLACK=PT2S BURST=9 HOLD=PT9S PRECISION=0.1 WORKERS=2 RUN=PT9S IDLE_EXIT=PT9S SWEEP=PT9S SWEEP_COUNTERS=999; asks; < WORKERS=1; ''; ''
          MAX_INSTANCES, HANDLER_CPU, ROLLUP_CPU, ROLLUP_MEMORY, RUNTIME, BILLING, REQUEST_LOGS; HANDLER_CPU=.5; MAX_INSTANCES=9 HANDLER_CPU=1 ROLLUP_CPU=1 ROLLUP_MEMORY=1Gi RUNTIME=java25 BILLING=instance REQUEST_LOGS=all; asks; < HANDLER_CPU=.5; ''; ''
          """)
  void change_leavesWhatTheTableSays(
      String settings,
      String was,
      String is,
      String how,
      String words,
      String left,
      String leftByDestroy) {
    project = Project.deployed(was.split(" "));
    Map<String, String> fresh = Project.deployed(is.split(" ")).things();
    if (settings.equals("COUNT_FIELD")) {
      totalsAre("counters/a", "sum of count in counters/{1}/shards");
    }
    project.settings(is.split(" "));

    String said = project.exits(2, how.equals("asks") ? "deploy" : "deploy --yes");
    assertThat(said).contains(words);
    assertThat(project.changes()).isEmpty();
    if (how.equals("asks")) {
      assertThat(settings.replaceAll("=|,", "").split(" "))
          .allMatch(key -> said.contains("\n> " + key + "="));
      assertThat(project.exits(1, "status")).contains("has other settings");
      assertThat(project.exits(0, "deploy --yes")).contains("No fault found.");
      assertThat(beyond(fresh)).isEqualTo(left);
    }

    project = Project.deployed(was.split(" "));
    project.settings(is.split(" "));
    project.exits(0, "destroy --yes" + (settings.equals("SUM") ? " --indexes" : ""));
    assertNothingOfOursIsLeft();
    assertThat(project.exits(0, "deploy --yes")).contains("No fault found.");
    assertThat(beyond(fresh)).isEqualTo(leftByDestroy);
  }

  /** The index settings that a new project does not have; all else is the same. */
  private String beyond(Map<String, String> fresh) {
    Map<String, String> things = project.things();
    things.keySet().removeIf(file -> file.startsWith("documents/"));
    TreeSet<String> more = new TreeSet<>();
    for (String file : List.of("fields", "ttls")) {
      more.addAll(things.getOrDefault(file, "").lines().toList());
      assertThat(more).containsAll(fresh.getOrDefault(file, "").lines().toList());
      fresh.getOrDefault(file, "").lines().toList().forEach(more::remove);
    }
    things.keySet().removeAll(List.of("fields", "ttls"));
    assertThat(things)
        .containsExactlyInAnyOrderEntriesOf(
            fresh.entrySet().stream()
                .filter(one -> !one.getKey().matches("fields|ttls"))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    return String.join(" ", more);
  }

  @Test
  void table_hasEverySetting_andTheRowsOfTheTests() throws Exception {
    String text = Shell.read(Shell.ROOT.resolve("deploy/README.md"));
    text = text.substring(text.indexOf("### Change a setting"));
    List<String> rows =
        ROW.matcher(text.substring(0, text.indexOf("\n## ")))
            .results()
            .map(row -> row.group(1).replace("`", ""))
            .toList();
    Stream<String> tested =
        Stream.of(ChangesIT.class.getDeclaredMethods())
            .map(method -> method.getAnnotation(CsvSource.class))
            .filter(source -> source != null && source.textBlock().contains("asks;"))
            .flatMap(source -> source.textBlock().lines())
            .map(row -> row.strip().split(";", -1)[0]);

    assertThat(rows)
        .containsExactlyElementsOf(
            Stream.concat(
                    Stream.of("PROJECT", "REGION", "NAME"),
                    Stream.concat(
                        tested, Stream.of("RULES, RULES_NUM_SHARDS, RULES_VALUES, RULES_VARIANTS")))
                .toList());
    assertThat(rows.stream().flatMap(row -> Stream.of(row.split("[=, ]+"))).distinct())
        .containsExactlyInAnyOrderElementsOf(
            Shell.read(Shell.SCRIPTS.resolve("settings.env"))
                .lines()
                .filter(line -> line.matches("[A-Z_]+=.*"))
                .map(line -> line.replaceFirst("=.*", ""))
                .toList());
  }

  /** Another project is another stand-in, in which nothing is. */
  @Test
  void project_isAnotherDeployment() {
    project = Project.empty();
    assertThat(project.exits(2, "destroy --yes")).contains("found nothing with the mark");
    assertThat(project.exits(0, "deploy")).contains("No fault found.");
  }

  @Test
  void region_changesByDestroyAndDeploy() {
    assertThat(project.exits(2, "deploy --yes" + in("p", "us-east1")))
        .contains(
            "NAME: expected one that no other deployment has, found tallyroll in us-central1");
    project.exits(0, "destroy --yes" + in("p", "us-east1"));
    project.exits(0, "deploy" + in("p", "us-east1") + " --artifact=own.jar");

    assertThat(project.lines("functions/tallyroll-roll-up")).contains("region=us-east1");
    assertThat(project.lines("jobs/tallyroll-run")).contains("region=us-east1");
  }

  @Test
  void name_changesByDestroyOfTheOldAndDeploy() {
    Map<String, String> fresh = Project.deployed("NAME=another").things();
    project.settings("NAME=another");
    assertThat(project.exits(2, "deploy --yes")).contains("take another ROLLUP_TOPIC");
    project.settings("NAME=another", "ROLLUP_TOPIC=ticks");
    assertThat(project.exits(2, "deploy --yes")).contains("and counters of tallyroll in us-cent");
    project.settings();
    project.exits(0, "destroy --yes");
    project.settings("NAME=another");
    project.exits(0, "deploy --yes");

    assertThat(beyond(fresh)).isEmpty();
  }

  @Test
  void rules_areNotDeployed() {
    project.settings("RULES=strict", "RULES_VARIANTS=down");
    assertThat(project.exits(0, "status")).contains("No fault found.");
    assertThat(project.exits(0, "deploy")).doesNotContain("that change");
    assertThat(project.exits(0, "rules")).isNotEqualTo(Project.empty().exits(0, "rules"));
  }

  private void assertNothingOfOursIsLeft() {
    assertThat(project.things().keySet())
        .noneMatch(one -> one.matches("(functions|jobs|accounts|topics)/.*"));
    assertThat(project.lines("bindings")).noneMatch(one -> one.contains("tallyroll"));
  }

  @Test
  void database_destroyRemovesTheRightsOnTheOldOne() {
    project.settings("FIRESTORE_DATABASE=second");

    assertThat(project.exits(0, "destroy --yes --indexes"))
        .contains("database (default), region us-central1 stop moving");

    assertNothingOfOursIsLeft();
    assertThat(project.changes())
        .filteredOn(one -> one.contains("exemption"))
        .hasSize(4)
        .allMatch(one -> one.contains("--database=(default)"));
  }

  /** Rights on another database, or on all, which an older destroy left or somebody gave. */
  @Test
  void database_deployRemovesRightsOnOthers() {
    String account = "serviceAccount:tallyroll-roll-up@p.iam.gserviceaccount.com";
    String right = account + "|roles/datastore.user";
    String theirs = right + "|audit|" + ELSEWHERE;
    project.put(
        "bindings",
        (String.join("\n", project.lines("bindings"))
                + "\n"
                + right
                + "\n"
                + right
                + "|tallyroll|"
                + ELSEWHERE
                + "\n"
                + theirs)
            .split("\n", -1));

    assertThat(project.exits(1, "status"))
        .contains("expected roles/datastore.user for (default) only, found it for more: |")
        .contains("\ntallyroll|" + ELSEWHERE);
    assertThat(project.exits(1, "deploy --yes"))
        .contains("found it for more: audit|" + ELSEWHERE + "\n");

    assertThat(project.lines("bindings"))
        .filteredOn(one -> one.startsWith(account))
        .containsExactly(
            theirs, right + "|tallyroll|resource.name==\"projects/p/databases/(default)\"");
  }

  @Test
  void database_statusMissesTheRightOnIt() {
    project.settings("FIRESTORE_DATABASE=second");

    assertThat(project.exits(1, "status"))
        .contains("tallyroll-roll-up: expected roles/datastore.user|tallyroll|" + ELSEWHERE);
  }

  @Test
  void region_destroyFindsTheDeploymentWhereItIs() {
    assertThat(project.exits(0, "destroy --yes" + in("p", "us-east1")))
        .contains("database (default), region us-central1 stop moving", "# Removed");

    assertNothingOfOursIsLeft();
  }

  private String in(String id, String region) {
    return " --settings=settings.env --project=%s --region=%s".formatted(id, region);
  }

  @Test
  void name_destroyOfNothingSaysSo() {
    project.settings("NAME=another");

    assertThat(project.exits(2, "destroy --yes"))
        .contains("NAME: expected a deployment's, found nothing with the mark of another");
    assertThat(project.changes()).isEmpty();
    // Index settings have no mark, so they are removed by their names.
    project.exits(0, "destroy --yes --indexes");
    assertThat(project.lines("fields")).hasSize(4);
    project.settings();
    project.exits(0, "destroy --yes");
    project.exits(0, "destroy --yes --indexes");
    assertThat(project.lines("fields")).isEmpty();
  }

  @Test
  void fold_destroyLeavesIndexSettingsAlone() {
    project = Project.deployed("FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}");
    project.put("fields", "rollups|as_of|0");
    project.settings("ROLLUP_TOPIC=rollup"); // FOLD was forgotten

    assertThat(project.exits(0, "destroy --yes --indexes")).contains("Totals of pages/{page} in");

    assertNothingOfOursIsLeft();
    assertThat(project.lines("fields")).containsExactly("rollups|as_of|0");
  }

  /** A roll-up is there, beside the counter with this document. */
  private void totalsAre(String counter, String totalOf) {
    String above = counter.replaceFirst("[^/]+/[^/]+$", "");
    String id = counter.substring(counter.lastIndexOf('/') + 1);
    project.put("documents-rollups", above + "rollups/" + id + "|" + counter + "|1|1|" + totalOf);
  }

  @ParameterizedTest(name = "{0}: {2}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          COUNTERS=counters; counters/a; sum of count in counters/{1}/shards
          COUNTERS={parent=**}/counters; rooms/r1/counters/a; sum of count in {**}/counters/{1}/shards
          COUNTERS=rooms/{room}/counters; rooms/r1/counters/a; sum of count in rooms/{1}/counters/{2}/shards
          COUNTERS=rooms/r-1/counters; rooms/r-1/counters/a; sum of count in rooms/r-1/counters/{1}/shards
          COUNTERS=posts SHARDS_COLLECTION=likes COUNT_FIELD=; posts/a; number of posts/{1}/likes
          COUNTERS=posts SHARDS_COLLECTION=likes COUNT_FIELD=a.b; posts/a; sum of a.b in posts/{1}/likes
          COUNTERS=a/b/hot POLL=PT1M; a/b/hot/a; sum of count in a/b/hot/{1}/shards
          """)
  void totalsOfSomethingElse_areLeftToThoseWhoMadeThem(
      String settings, String counter, String totalOf) {
    project = Project.empty(settings.split(" "));
    totalsAre(counter, "sum of this in that");

    assertThat(project.exits(2, "deploy --yes"))
        .contains("which are the '" + totalOf + "'", "that is the 'sum of this in that'.");
    assertThat(project.changes()).isEmpty();
    totalsAre(counter, totalOf);
    project.exits(0, "deploy --yes");
    totalsAre("elsewhere/a", "sum of this in that");
    project.exits(0, "deploy --yes");
  }

  /** Whoever may write a document there has no word in the operator's shell. */
  @Test
  void textOfOthers_isQuotedInTheCommandToPaste() {
    totalsAre("counters/a", "it's; reboot");

    assertThat(project.exits(2, "deploy --yes"))
        .contains("deploy/gcloud/remove-totals 'it'\\''s; reboot' --settings '");
  }

  /** Ten shards that hold 5,000 are ten documents. */
  @Test
  void countFieldThatIsForgotten_isRefused_alsoAfterDestroy_andBesideTheOldTotalsMade() {
    totalsAre("counters/a", "sum of count in counters/{1}/shards");
    project.exits(0, "status");
    project.settings("COUNT_FIELD=");

    assertThat(project.exits(1, "status"))
        .contains("WRONG: rollups: expected totals that are the 'number of counters/{1}/");
    String refusal = "What totals are of cannot change:\n  set another ROLLUPS_COLLECTION";
    assertThat(project.exits(2, "deploy --yes")).contains(refusal);
    project.exits(0, "destroy --yes");
    assertThat(project.exits(2, "deploy --yes")).contains(refusal);
    project.settings("COUNT_FIELD=", "ROLLUPS_COLLECTION=sums");
    assertThat(project.exits(0, "deploy --yes")).contains("No fault found.");
  }

  @Test
  void topic_deployRemovesTheOldOneWhenTheJobHasTheNew() {
    project.settings("ROLLUP_TOPIC=ticks");
    project.put("fails", "*topics delete*|1|500 INTERNAL");

    assertThat(project.exits(1, "deploy --yes")).contains("500 INTERNAL");
    assertThat(project.lines("jobs/tallyroll-run")).contains("topic=ticks");
    assertThat(project.exits(1, "status")).contains("expected no topic but ticks, found rollup");
    assertThat(project.exits(0, "deploy")).contains("No fault found.");

    assertThat(project.folder.resolve("topics").toFile().list()).containsExactly("ticks");
  }

  @Test
  void topic_destroyRemovesAllOfTheDeployment() {
    project.given("topics/rollup2 tallyroll=tallyroll && topics/theirs tallyroll=other");
    project.settings("ROLLUP_TOPIC=ticks");

    project.exits(0, "destroy --yes");

    assertThat(project.folder.resolve("topics").toFile().list()).containsExactly("theirs");
  }

  @Test
  void trigger_goesWithItsAccountAndRoles_andStatusNamesWhatIsLeft() {
    project.settings("POLL=PT1M");
    project.put("fails", "*functions delete*|1|500 INTERNAL");

    assertThat(project.exits(1, "deploy --yes")).contains("500 INTERNAL");
    assertThat(project.exits(1, "status"))
        .contains("WRONG: tallyroll-on-shard-written: expected no such function with POLL")
        .contains("WRONG: tallyroll-on-shard-written: expected no role with POLL");
    assertThat(project.exits(0, "deploy --yes")).contains("No fault found.");

    assertThat(project.things().toString()).doesNotContain("tallyroll-on-shard-written");
  }

  @Test
  void totalFieldAndRollups_saysWhatStaysBehind() {
    project = Project.deployed("TOTAL_FIELD=likes");
    project.settings("ROLLUPS_COLLECTION=sums", "INCREMENTS_COLLECTION=names");

    assertThat(project.exits(0, "deploy --yes"))
        .contains("# TOTAL_FIELD: likes of the counters' documents keeps its last values")
        .contains("# ROLLUPS_COLLECTION: the totals in rollups stay there, and stand still.")
        .contains("The index exemptions of rollups stay.")
        .contains("# INCREMENTS_COLLECTION: the exemption and the TTL policy of increment_names")
        .contains("No fault found.");
  }

  @Test
  void countField_withSumOfDocuments_takesTheOldExemptionBack() {
    project = Project.deployed("SUM=documents");
    project.settings("SUM=documents", "COUNT_FIELD=Cnt");
    project.exits(0, "deploy --yes");
    assertThat(project.lines("fields")).contains("shards|Cnt|0").doesNotContain("shards|count|0");

    // Another deployment sums the old field in the same way.
    project.put("neighbours", "us-east1|other|posts|(default)|shards||documents|Cnt|sums");
    project.settings("COUNT_FIELD=count");
    project.exits(0, "deploy --yes");
    assertThat(project.lines("fields")).contains("shards|Cnt|0").hasSize(5);
  }

  @ParameterizedTest
  @CsvSource({
    "TICK=PT1S, POLL=PT1M",
    "POLL=PT1M, TICK=PT1S",
  })
  void stopAfterEachStepOfAChange_leadsToTheSameEnd(String old, String another) {
    String[] is = {another, "COUNT_FIELD=Cnt", "SUM=documents", "ROLLUP_TOPIC=ticks"};
    Map<String, String> fresh = Project.deployed(is).things();
    project = Project.deployed(old, "SUM=documents");
    project.settings(is);
    project.put("stop", "0");

    for (int done = 1; project.run("deploy --yes").code() != 0; done += 2) {
      assertThat(done).isLessThan(60);
      project.remove("calls", "changes");
      project.put("stop", Integer.toString(done));
    }

    assertThat(beyond(fresh)).isEmpty();
  }
}
