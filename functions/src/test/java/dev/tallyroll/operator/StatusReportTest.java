package dev.tallyroll.operator;

import static dev.tallyroll.operator.Given.settings;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each thing that is wrong is told, with a command that helps. */
class StatusReportTest {
  private static final Prices PRICES = new Prices(0.03 / 100_000, 0, 0, 0, 0);
  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
  private static final String DEPLOY =
      "  deploy/gcloud/deploy --settings 'my.env' --project p --region us-central1";

  @TempDir private Path folder;
  private Given given;

  /** A deployment that is old, and healthy. */
  @BeforeEach
  void healthy() {
    given =
        new Given(folder)
            .deployed("NAME=tallyroll", "PLATFORM=its-own")
            .exempted()
            .more("jobs", "{'name': 'x/jobs/tallyroll-run', 'state': 'ENABLED', 'status': {}}")
            .more("runs", line("2026-06-01T11:59:30Z", "'message': 'run ended'"))
            .more(
                "sweeps",
                line(
                    "2026-06-01T11:17:30Z",
                    "'message': 'sweep', 'entry': 'counters', 'behind': 'false', 'looked': 10000, 'complete': 'false'"));
    policies("roles/datastore.user");
    subscription("tallyroll-on-shard-written", 120);
    subscription("tallyroll-roll-up", 600);
  }

  private void policies(String databaseRole) {
    String accounts =
        "'serviceAccount:tallyroll-on-shard-written@p.iam.gserviceaccount.com',"
            + " 'serviceAccount:tallyroll-roll-up@p.iam.gserviceaccount.com'";
    String delivery = "'serviceAccount:tallyroll-delivery@p.iam.gserviceaccount.com'";
    given.one(
        "policy",
        """
        {'bindings': [
          {'role': 'roles/eventarc.eventReceiver', 'members': [%s]},
          {'role': '%s', 'members': [%s], 'condition': {'title': 'tallyroll',
            'expression': 'resource.name==\\'projects/p/databases/(default)\\''}}]}
        """
            .formatted(delivery, databaseRole, accounts));
    given.one(
        "topic-policy",
        "{'bindings': [{'role': 'roles/pubsub.publisher', 'members': [%s]}]}".formatted(accounts));
    for (String function : List.of("tallyroll-on-shard-written", "tallyroll-roll-up")) {
      given.one(
          "invokers-" + function,
          "{'bindings': [{'role': 'roles/run.invoker', 'members': [%s]}]}".formatted(delivery));
    }
  }

  private void subscription(String function, int seconds) {
    given.deadline(function, seconds);
  }

  private static String line(String time, String payload) {
    return "{'timestamp': '%s', 'severity': 'WARNING', 'resource': {'labels': {'service_name': 'tallyroll-roll-up'}}, 'jsonPayload': {%s}}"
        .formatted(time, payload);
  }

  private List<String> report(String... lines) {
    StatusReport report = new StatusReport(settings(lines), given.answers(), PRICES, "my.env", NOW);
    report.look();
    settings(lines).entries().forEach(entry -> report.tell(entry, Optional.empty()));
    assertThat(report.isFine()).isEqualTo(report.lines().contains("No fault found."));
    return report.lines();
  }

  private void assertWrong(String reason, String command, String... lines) {
    assertThat(report(lines))
        .containsSubsequence(List.of("WRONG: " + reason, command))
        .doesNotContain("No fault found.");
  }

  @Test
  void healthyDeployment_isFine() {
    assertThat(report())
        .containsExactly(
            "counters: the newest sweep: looked at 10000 documents, and goes on; sweeps cost $6.48 a month",
            "No fault found.");
  }

  /** Each line: an answer that differs, what is said, and the command that helps. */
  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          jobs; [{'name': 'x/jobs/tallyroll-run', 'state': 'PAUSED'}]; the job tallyroll-run: expected ENABLED, found PAUSED: totals of busy counters stand still;   gcloud scheduler jobs resume tallyroll-run --location=us-central1 --project=p && gcloud scheduler jobs run tallyroll-run --location=us-central1 --project=p
          jobs; [{'name': 'x/jobs/tallyroll-run', 'state': 'ENABLED', 'status': {'code': 7}}]; the job tallyroll-run: expected ENABLED, found ENABLED 7: totals of busy counters stand still;   gcloud scheduler jobs resume tallyroll-run --location=us-central1 --project=p && gcloud scheduler jobs run tallyroll-run --location=us-central1 --project=p
          jobs; []; the job tallyroll-run: expected ENABLED, found none: totals of busy counters stand still;   gcloud scheduler jobs resume tallyroll-run --location=us-central1 --project=p && gcloud scheduler jobs run tallyroll-run --location=us-central1 --project=p
          runs; []; no run has ended for three minutes: totals of busy counters stand still;   gcloud scheduler jobs describe tallyroll-run --location=us-central1 --project=p
          sweeps; []; counters: no sweep for two hours, or a round of more than a day: totals whose events were lost stay wrong;   gcloud pubsub topics publish tallyroll-rollup --project=p --message=sweep --attribute=kind=sweep,pass=all
          subscriptions; [{'name': 'x/eventarc-us-central1-tallyroll-roll-up-sub', 'ackDeadlineSeconds': 10}]; tallyroll-roll-up: expected an ack deadline of 600 s, found 10; deploy
          subscriptions; []; tallyroll-on-shard-written: expected an ack deadline of 120 s, found no subscription; deploy
          invokers-tallyroll-roll-up; {}; tallyroll-delivery@p.iam.gserviceaccount.com: expected roles/run.invoker on tallyroll-roll-up, or no event arrives, found none; deploy
          topic-policy; {}; tallyroll-roll-up@p.iam.gserviceaccount.com: expected roles/pubsub.publisher on the topic tallyroll-rollup, found none; deploy
          policy; {}; tallyroll-delivery@p.iam.gserviceaccount.com: expected roles/eventarc.eventReceiver in the project, found none; deploy
          policy; {}; tallyroll-roll-up@p.iam.gserviceaccount.com: expected roles/datastore.user for this database in the project, found none; deploy
          ttls; []; increment_names.expire_at: expected a TTL policy, found none: names of increments stay for ever; deploy
          fields; []; rollups.as_of: expected no index, found one: from 500 writes a second on, it slows them all; deploy
          functions; []; tallyroll-roll-up: expected it to be ACTIVE, found none; deploy
          waits; {'timeSeries': [{'points': [{'value': {'int64Value': '301'}}]}]}; an event has waited for 301 s: OnShardWritten is too slow, or fails;   gcloud logging read 'resource.labels.service_name=("tallyroll-on-shard-written" OR "tallyroll-roll-up") AND severity>=WARNING' --freshness=1h --limit=20 --project=p
          """)
  void whatIsWrong_isToldWithACommand(String question, String json, String reason, String command) {
    given.one(question, json);

    assertWrong(reason, command.equals("deploy") ? DEPLOY : "  " + command);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          'message': 'summary', 'cut': 3; a worker has more live counters than it reads: raise WORKERS
          'message': 'summary', 'oldest_lease_ms': 120001; a lease ended more than two minutes ago, or counters or shards were not reached for ten: their totals stand still
          'message': 'fold summary', 'overdue': 1; a lease ended more than two minutes ago, or counters or shards were not reached for ten: their totals stand still
          'message': 'a poll of all counters takes more than ten minutes'; a lease ended more than two minutes ago, or counters or shards were not reached for ten: their totals stand still
          """)
  void whatARunSays_isTold(String payload, String reason) {
    given.more("runs", line("2026-06-01T11:59:40Z", payload));

    assertThat(report()).contains("WRONG: " + reason);
    given.one(
        "runs",
        "["
            + line(
                "2026-06-01T11:59:40Z",
                "'message': 'run ended', 'cut': 0, 'oldest_lease_ms': 120000, 'overdue': '0'")
            + "]");
    assertThat(report()).contains("No fault found.");
  }

  @Test
  void otherSettings_areShown() {
    assertThat(report("counters.every=PT2S"))
        .contains(
            "WRONG: tallyroll-roll-up has other settings than the file, < deployed > expected:\n"
                + "< counters.every=\n> counters.every=\"PT2S\"");
  }

  @Test
  void indexThatIsBeingMade_isTold() {
    given.more(
        "fields",
        "{'name': 'projects/p/databases/d/collectionGroups/shards/fields/count', 'indexConfig': {'indexes': [{'state': 'CREATING'}]}}");

    assertThat(report())
        .contains(
            "counters: the index on shards.count is not ready: its totals stand still until it is");
  }

  @Test
  void triggersOfOtherPatterns_areLookedAt() {
    String[] two = {"counters.of=counters/{counter}/shards", "a.of=a/{b}/c"};
    given.none("functions").deployed("NAME=tallyroll", "PLATFORM=its-own", two[0], two[1]);
    given.none("triggers");
    String missing = "tallyroll-on-shard-written-";

    assertThat(report(two))
        .anyMatch(
            line ->
                line.startsWith("WRONG: expected a trigger " + missing)
                    && line.endsWith(" for a/{counter}/c/{shard}, found none"));
    given
        .function("tallyroll-roll-up", "tallyroll", "us-central1", "NAME=tallyroll")
        .trigger(missing + "0b0b0b0b", "tallyroll", "d/{counter}/e/{shard}");
    assertThat(report(two))
        .contains("WRONG: expected no trigger " + missing + "0b0b0b0b, which no entry needs");
  }

  /** A function that was deployed a minute ago has not run. */
  @Test
  void newDeployment_needsNoRunAndNoSweep() {
    given.one("runs", "[]").one("sweeps", "[]").updated("2026-06-01T11:59:00Z");

    assertThat(report()).containsExactly("No fault found.");
  }

  /** Each line: the newest sweep and its time; what is said; whether one is missed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          11:50; 'pass': 'all', 'looked': 1200, 'complete': 'false'; the newest sweep of everything: looked at 1200 documents, and goes on; false
          11:50; 'pass': 'all', 'looked': 1200, 'complete': 'true'; the newest sweep of everything: looked at 1200 documents, complete; true
          11:20; 'pass': 'all', 'looked': 1200, 'complete': 'false'; the newest sweep of everything: looked at 1200 documents, and goes on; true
          11:50; 'looked': 70, 'complete': 'false', 'round_looked': 70000, 'round_hours': 7; the newest sweep: looked at 70 documents, and goes on, 70000 in its round, which began 7 hours ago, sweeps cost $0.05 a month; true
          """)
  void newestSweep_isTold_andOneOfEverythingMayTakeItsTime(
      String time, String payload, String words, boolean missed) {
    given.one(
        "sweeps",
        "["
            + line(
                "2026-06-01T" + time + ":00Z",
                "'message': 'sweep', 'entry': 'counters', " + payload)
            + "]");

    assertThat(report())
        .contains("counters: " + words.replaceAll(", (?=70000|sweeps)", "; "))
        .anyMatch(line -> line.startsWith("WRONG: counters: no sweep for two hours") == missed);
  }

  @Test
  void errorsOfTheLastHour_areTold() {
    String platforms =
        "{'timestamp': '2026-06-01T11:58:00Z', 'severity': 'ERROR', 'textPayload': 'Failed to execute dev.tallyroll.X'}";
    given
        .more("warnings", platforms)
        .more("warnings", line("2026-06-01T11:58:00Z", "'message': 'a warning'"));
    given.more(
        "warnings", line("2026-06-01T10:58:00Z", "'message': 'old'").replace("WARNING", "ERROR"));
    assertThat(report()).contains("No fault found.");

    given.more(
        "warnings", line("2026-06-01T11:57:00Z", "'message': 'no'").replace("WARNING", "ERROR"));

    assertThat(report())
        .contains(
            "WRONG: errors in the last hour, the last: 2026-06-01T11:57:00Z tallyroll-roll-up no");
  }

  /** Ids that others have chosen, in the log. */
  @Test
  void idsInTheLog_endNoLine() {
    given.more(
        "warnings",
        line(
            "2026-06-01T11:57:00Z",
            "'message': 'a counter has too few shards', 'would_do': 9, 'shards': 3, 'counter': 'a\\nNo fault found.'"));

    assertThat(report()).contains("too few shards: a\\u000aNo fault found. has 3, needs 9");
  }

  @Test
  void tooFewShards_areRemarkedOnceForEachCounter() {
    for (String one :
        List.of(
            "'would_do': 40, 'shards': 10, 'counter': 'counters/likes'",
            "'would_do': 9, 'shards': 3, 'counter': 'posts/hot'",
            "'would_do': 120, 'shards': 10, 'counter': 'counters/likes'")) {
      given.more(
          "warnings",
          line("2026-06-01T11:57:00Z", "'message': 'a counter has too few shards', " + one));
    }

    assertThat(report())
        .containsSubsequence(
            "too few shards: counters/likes has 10, needs 120",
            "too few shards: posts/hot has 3, needs 9")
        .filteredOn(line -> line.startsWith("too few shards"))
        .hasSize(2);
  }

  @Test
  void valuesThatAreNotFolded_areAFault() {
    String[] fold = {"FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}"};
    given.none("functions").deployed("FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}", "NAME=tallyroll");
    assertThat(report(fold)).contains("No fault found.");

    String stays =
        "'message': 'a value of a shard stays there', 'document': 'pages/a', 'field': 'visits', 'shard': '', 'why': 'expected a number'";
    given
        .more("warnings", line("2026-06-01T11:57:00Z", stays))
        .more("warnings", line("2026-06-01T11:56:00Z", stays));
    assertThat(report(fold))
        .contains(
            "WRONG: values of some shards were not folded in the last two hours, and wait there")
        .containsOnlyOnce("not folded: pages/a visits: expected a number");
    given.more(
        "sweeps",
        line("2026-06-01T11:20:00Z", "'message': 'sweep', 'behind': 'false', 'stuck': 201"));
    assertThat(report(fold))
        .anyMatch(line -> line.contains("values of 201 shards were not folded"));
  }

  /** What an earlier deploy has left, if a step of this one failed. */
  @Test
  void withoutEvents_thereIsNoHandler() {
    assertThat(report("counters.events=false", "counters.every=PT1M"))
        .contains(
            "WRONG: tallyroll-on-shard-written: expected no such function without events, found it",
            "WRONG: tallyroll-on-shard-written@p.iam.gserviceaccount.com: expected no role without events,"
                + " found roles/datastore.user");
  }

  @Test
  void rightsOnOtherDatabases_areTold() {
    policies("roles/datastore.user");
    assertThat(report("FIRESTORE_DATABASE=second"))
        .contains(
            "WRONG: tallyroll-roll-up@p.iam.gserviceaccount.com: expected roles/datastore.user for"
                + " second only, found it for more:"
                + " expression=resource.name==\"projects/p/databases/(default)\",title=tallyroll");
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          shards; count; WORKERS=1; shards.count: expected an index, which sums read, found an exemption of shards.count: no total moves;   gcloud firestore indexes fields update count --collection-group=shards --clear-exemption --database='(default)' --project=p
          __default__; *; WORKERS=1; shards.count: expected an index, which sums read, found an exemption of __default__.*: no total moves;   gcloud firestore indexes fields update count --collection-group=shards --index=order=ascending --database='(default)' --project=p
          x; y; counters.index=false; shards.count: expected no index with "index": false, found one; deploy
          """)
  void index_isThatOfTheSums(
      String collection, String field, String setting, String reason, String command) {
    given.field(collection, field, 0);

    assertWrong(reason, command.equals("deploy") ? DEPLOY : "  " + command, setting);
  }

  /** An account with few rights sees what it may; the rest is unknown, and not right. */
  @Test
  void whatMayNotBeSeen_isSaid_andNothingIsConcludedFromIt() {
    for (String question :
        List.of("functions", "policy", "topic-policy", "jobs", "fields", "runs")) {
      given.one(question, "[]");
    }
    given.denied("functions\npolicy\ntopic-policy\njobs\nfields\nruns");

    assertThat(report())
        .contains("NOT SEEN: this account may not look at jobs")
        .noneMatch(line -> line.startsWith("WRONG"))
        .doesNotContain("No fault found.");
  }
}
