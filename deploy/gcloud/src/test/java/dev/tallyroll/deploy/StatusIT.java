package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** status tells each thing that is wrong, and changes nothing; smoke proves a deployment. */
class StatusIT {
  private final Project project = Project.deployed();

  /** An old deployment with a healthy log. */
  @BeforeEach
  void live() {
    project.given("old x && log-runs \"run ended\"\\n2026 && log-sweeps behind=\"false\"\\n2026");
  }

  @Test
  void healthyAndNew_areFine() {
    assertThat(project.exits(0, "status")).contains("No fault found.");

    project.remove("old", "log-runs", "log-sweeps");
    project.exits(0, "status");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          log-runs x; no run has ended for three minutes; scheduler jobs describe tallyroll-run
          log-sweeps x; no sweep for two hours, or a round of more than a day; topics publish rollup --project=p --message=sweep --attribute=kind=sweep,pass=all
          log-cut cut>0\\n2026; a worker has more live counters than it reads: raise WORKERS; deploy/gcloud/deploy
          log-overdue (jsonPayload.oldest_lease_ms>120000\\n2026; a lease ended more than two minutes ago; --attribute=kind=run
          waits 301; an event has waited for 301 s; gcloud logging read
          log-errors severity>=ERROR\\n2026 tallyroll-roll-up no; errors in the last hour, the last: 2026; logging read
          jobs/tallyroll-run state=PAUSED; expected ENABLED|0, found PAUSED; scheduler jobs resume
          jobs/tallyroll-run state=ENABLED\\ncode=7; expected ENABLED|0, found ENABLED|7; scheduler jobs run
          subscriptions/eventarc-tallyroll-roll-up 10; expected an ack deadline of 600 s, found 10; deploy/gcloud/deploy
          bindings x; tallyroll-delivery: expected roles/eventarc.eventReceiver; deploy/gcloud/deploy
          topic-rollup x; expected roles/pubsub.publisher on the topic; deploy/gcloud/deploy
          run-tallyroll-roll-up x; tallyroll-delivery: expected roles/run.invoker on tallyroll-roll-up; deploy/gcloud/deploy
          functions/tallyroll-roll-up state=FAILED; expected it to be ACTIVE, found FAILED; deploy/gcloud/deploy
          ttls x; increment_names.expire_at: expected a TTL policy, found none; deploy/gcloud/deploy
          fields x; rollups.as_of: expected no index, found one; deploy/gcloud/deploy
          fields rollups|as_of|0\\nrollups|live_until|0\\nrollups|counter|0\\nincrement_names|expire_at|0\\nshards|count|0; shards.count: expected an index, which sums read; --clear-exemption
          fields rollups|as_of|0\\nrollups|live_until|0\\nrollups|counter|0\\nincrement_names|expire_at|0\\n__default__|*|0; shards.count: expected an index, which sums read, found an exemption of __default__.*; update count --collection-group=shards --index=order=ascending --database='(default)' --project=p
          settings.env TICK=PT2S; < TICK=PT1S; > TICK=PT2S
          settings.env COUNT_FIELD=\\nHOLD=PT30S; < COUNT_FIELD=count; > HOLD=PT30S
          fails *logging read*|99|PERMISSION_DENIED: no; PERMISSION_DENIED; ERROR
          """)
  void whatIsWrong_isToldWithACommand(String given, String words, String command) {
    project.given(given);

    assertThat(project.exits(1, "status"))
        .contains(words, command)
        .doesNotContain("No fault found.");
    assertThat(project.changes()).isEmpty();
    assertThat(project.sleeps()).isZero();
  }

  /** Each line: the newest sweep's time, pass, looked and complete, and what status says of it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          2999|all|1200|false; the newest sweep of everything: looked at 1200 documents, and goes on; 0
          2999|all|1200|true; the newest sweep of everything: looked at 1200 documents, complete; 1
          2020|all|1200|false; the newest sweep of everything: looked at 1200 documents, and goes on; 1
          2999||10000|false; the newest sweep: looked at 10000 documents, and goes on@ sweeps cost $6.48 a month; 1
          2999||10000|false|70000|7; the newest sweep: looked at 10000 documents, and goes on@ 70000 in its round, which began 7 hours ago@ sweeps cost $6.48 a month; 1
          """)
  void newestSweep_isTold_andOneOfEverythingMayTakeItsTime(String line, String words, int code) {
    project.put("log-pass", "jsonPayload.pass", line);
    assertThat(project.exits(0, "status")).contains(words.replace('@', ';') + "\n");

    project.remove("log-sweeps");

    assertThat(project.exits(code, "status").contains("no sweep for two hours"))
        .isEqualTo(code == 1);
  }

  @Test
  void tooFewShards_areRemarkedOnceForEachCounter() {
    project.put(
        "log-shards",
        "severity>=WARNING AND jsonPayload.message:\"too few shards\"",
        "40|10|counters/likes",
        "9|3|posts/hot",
        "120|10|counters/likes");

    assertThat(project.exits(0, "status"))
        .containsOnlyOnce("counters/likes has")
        .contains("counters/likes has 10, needs 120", "posts/hot has 3, needs 9");
  }

  @Test
  void valuesThatAreNotFolded_areAFault() {
    Project fold = Project.deployed("FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}");
    assertThat(fold.exits(0, "status")).contains("No fault found.");

    fold.put(
        "log-values",
        "severity>=WARNING AND jsonPayload.message=\"a value of a shard stays there\"",
        "pages/a|visits||expected a finite number; found String",
        "pages/a|visits||expected a finite number; found String",
        "pages/b||s1|Firestore refuses the write: is the document full?");
    assertThat(fold.exits(1, "status"))
        .contains("WRONG: values of some shards were not folded")
        .containsOnlyOnce("not folded: pages/a visits: expected a finite number; found String")
        .contains("not folded: pages/b s1: Firestore refuses the write");
    fold.put("log-stuck", "jsonPayload.message=(\"fold summary\" OR \"sweep\") AND", "201");
    assertThat(fold.exits(1, "status")).contains("values of 201 shards were not folded");
    fold.remove("log-values");
    assertThat(fold.exits(1, "status")).contains("values of 201 shards were not folded");
    assertThat(fold.changes()).isEmpty();
  }

  @Test
  void smoke_countsAndCleansUp() {
    project.put("total", "5");

    assertThat(project.exits(0, "smoke")).contains("the total is 5; lag 750 ms");
    assertThat(project.changes()).hasSize(7).last().asString().contains("\"delete\"");
  }

  /** Documents are counted as an app makes them; only figures in the post ask for a post. */
  @ParameterizedTest
  @CsvSource({
    "COUNT_FIELD=, {}",
    "COUNT_FIELD=review.stars, '{\"review\":{\"mapValue\":{\"fields\":{\"stars\":{\"integerValue\":\"1\"}}}}}'",
    "COUNT_FIELD=stars AVERAGE_FIELD=average, '{\"stars\":{\"integerValue\":\"1\"}}'",
    "COUNT_FIELD=stars RULES=own RULES_VALUES=1..5, '{\"stars\":{\"integerValue\":\"1\"}}'"
  })
  void smokeOfDocuments_makesFive(String settings, String fields) {
    project.put("total", "5");
    project.settings(("COUNTERS=posts SHARDS_COLLECTION=likes " + settings).split(" ", -1));

    assertThat(project.exits(0, "smoke")).contains("the total is 5");

    List<String> changes = new ArrayList<>(project.changes());
    if (settings.contains("AVERAGE_FIELD=average")) {
      assertThat(changes.remove(0)).matches(".*/posts/tallyroll-smoke-[0-9]+\".*");
    }
    assertThat(changes).hasSize(6);
    assertThat(changes.subList(0, 5))
        .allMatch(one -> one.matches(".*/posts/tallyroll-smoke-[0-9]+/likes/[0-4]\".*"))
        .allMatch(one -> one.contains("\"fields\":" + fields + "}"));
    assertThat(changes.get(5).split("\"delete\"", -1)).hasSize(1 + 6);
  }

  @Test
  void smokeOfAFold_countsInTheDocumentItself() {
    project.put("total", "5");
    String documents = "FOLD_DOCUMENTS=pages/home rooms/{room}/posts/{post} pages/{page}";
    project.settings("FOLD=PT1S", documents);

    assertThat(project.exits(0, "smoke"))
        .containsPattern("a counter: rooms/(tallyroll-smoke-[0-9]+)/posts/\\1\n")
        .contains("the total is 5");

    assertThat(project.changes())
        .hasSize(7)
        .noneMatch(one -> one.contains("num_shards"))
        .element(1)
        .asString()
        .contains("/_counter_shards_/0");
    project.settings("FOLD=PT1S", documents, "FOLD_FIELDS=stats.likes");
    assertThat(project.exits(2, "smoke")).contains("FOLD_FIELDS: expected one outside of maps");
    project.settings("FOLD=PT1S", "FOLD_DOCUMENTS=pages/home");
    assertThat(project.exits(2, "smoke")).contains("FOLD_DOCUMENTS: expected one that ends in a");
  }

  @Test
  void fact5_smoke_waitsTenMinutesForANewTrigger() {
    project.put("total", "4");

    assertThat(project.exits(1, "smoke")).contains("a new trigger takes minutes", "found none");
    assertThat(project.sleeps()).isEqualTo(60);
  }

  @Test
  void smoke_waitsTwoMinutesForAPoll() {
    project.put("total", "4");
    project.settings("POLL=PT1M");

    assertThat(project.exits(1, "smoke")).contains("begins at a full minute", "within 120 s");
    assertThat(project.sleeps()).isEqualTo(12);
  }
}
