package dev.tallyroll.operator;

import static dev.tallyroll.operator.Given.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.settings.OperatorSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is in deploy's way, and what looks alike and is not; and what is done. */
class DeployPlanTest {
  private static final Prices PRICES = new Prices(0.03 / 100_000, 0.000024, 0.0000025);
  private static final String REFUSED = "refused";

  @TempDir private Path folder;
  private Given given;

  @BeforeEach
  void project() {
    given = new Given(folder);
  }

  private DeployPlan plan(OperatorSettings settings) {
    return new DeployPlan(settings, given.answers(), Optional.empty(), PRICES, "my.env");
  }

  /** All that is printed, for people and for bash. */
  private List<String> planned(String... lines) throws Exception {
    DeployPlan plan = plan(settings(lines));
    plan.check();
    List<String> all = new ArrayList<>(plan.remarks());
    all.addAll(plan.lines());
    return all;
  }

  private void assertRefused(String words, String... lines) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> planned(lines))
        .withMessageContaining(words);
  }

  @Test
  void newProject_getsEverything() throws Exception {
    given.one("project", "{'projectNumber': '12345'}");

    assertThat(planned())
        .contains(
            "question=''",
            "location='nam5'",
            "number='12345'",
            "new_accounts='build delivery on-shard-written roll-up'",
            "stale_roles=''",
            "new_topic='yes'",
            "new_job='yes'",
            "index_again=''",
            "unexempt=''",
            "exempt='rollups/as_of rollups/live_until rollups/counter increment_names/expire_at'",
            "new_ttl='increment_names/expire_at'",
            "handler_goes=''",
            "accounts_go=''",
            "publisher_goes=''",
            "new_exclusion='yes'")
        .contains(
            "In the end there are the functions tallyroll-on-shard-written and tallyroll-roll-up, the"
                + " topic tallyroll-rollup, the job tallyroll-run and 4 accounts, and no index on"
                + " rollups.as_of, rollups.live_until, rollups.counter, increment_names.expire_at.",
            "At rest they cost about $0.18 a month, and the hourly sweeps; deploy/local/bill says what"
                + " writes cost.",
            "This undoes it: deploy/gcloud/destroy --settings 'my.env' --project p --region us-central1");
  }

  @Test
  void whatIsThere_isNotMadeAgain() throws Exception {
    given
        .deployed("NAME=tallyroll")
        .exempted()
        .more(
            "topics",
            "{'name': 'projects/p/topics/tallyroll-rollup', 'labels': {'tallyroll': 'tallyroll'}}")
        .more(
            "jobs",
            "{'name': 'projects/p/locations/us-central1/jobs/tallyroll-run', 'description': 'Tallyroll: tallyroll: asks'}")
        .more(
            "accounts",
            "{'email': 'tallyroll-build@p.iam.gserviceaccount.com', 'description': 'Tallyroll: tallyroll: x'}")
        .one("sink", "{'exclusions': [{'name': 'theirs'}, {'name': 'tallyroll-request-logs'}]}");

    assertThat(planned())
        .contains(
            "question=''",
            "new_accounts='delivery on-shard-written roll-up'",
            "new_topic=''",
            "new_job=''",
            "exempt=''",
            "new_ttl=''",
            "new_exclusion=''");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          topics; {'name': 'projects/p/topics/tallyroll-rollup', 'labels': {'tallyroll': 'other'}}; topic tallyroll-rollup; other
          topics; {'name': 'projects/p/topics/tallyroll-rollup'}; topic tallyroll-rollup; ''
          jobs; {'name': 'x/jobs/tallyroll-run', 'description': 'theirs'}; job tallyroll-run; theirs
          jobs; {'name': 'x/jobs/tallyroll-run', 'description': 'Tallyroll: other: asks'}; job tallyroll-run; Tallyroll: other: asks
          accounts; {'email': 'tallyroll-build@p.iam.gserviceaccount.com', 'description': 'theirs'}; service account tallyroll-build@p.iam.gserviceaccount.com; theirs
          functions; {'name': 'projects/p/locations/us-central1/functions/tallyroll-roll-up'}; function tallyroll-roll-up; ''
          functions; {'name': 'projects/p/locations/us-central1/functions/tallyroll-on-shard-written', 'labels': {'tallyroll': 'other'}}; function tallyroll-on-shard-written; other
          """)
  void whatSomebodyElseMade_isInTheWay(String kind, String json, String what, String owner) {
    given.more(kind, json);

    assertRefused(
        "NAME: expected the mark of the deployment tallyroll on the %s; found '%s'. It is somebody else's: take another NAME"
            .formatted(what, owner));
  }

  @Test
  void resourcesWithOtherNames_areNot() throws Exception {
    given
        .more("topics", "{'name': 'projects/p/topics/my-tallyroll-rollup'}")
        .more("jobs", "{'name': 'x/jobs/tallyroll-run-2', 'description': 'theirs'}")
        .more("accounts", "{'email': 'tallyroll-build@q.iam.gserviceaccount.com'}")
        .function("tallyroll-roll-up", "", "europe-west1");

    assertThat(planned()).contains("new_topic='yes'", "new_job='yes'");
  }

  @Test
  void allThatIsInTheWay_isToldAtOnce() {
    given
        .one(
            "database",
            "{'locationId': 'nam5', 'type': 'DATASTORE_MODE', 'databaseEdition': 'STANDARD'}")
        .more("topics", "{'name': 'projects/p/topics/tallyroll-rollup'}")
        .field("rollups", "as_of", 2);

    assertThatIllegalArgumentException()
        .isThrownBy(this::planned)
        .withMessageContainingAll(
            "FIRESTORE_DATABASE: expected native mode and the Standard edition; found DATASTORE_MODE, STANDARD\n",
            "on the topic tallyroll-rollup",
            "rollups.as_of: expected no index settings of others; found 2 indexes. Name another collection, or clear them:\n"
                + "  gcloud firestore indexes fields update as_of --collection-group=rollups --database='(default)' --clear-exemption --project=p");
    given.one(
        "database",
        "{'locationId': 'x', 'type': 'FIRESTORE_NATIVE', 'databaseEdition': 'ENTERPRISE'}");
    assertRefused("Standard edition; found FIRESTORE_NATIVE, ENTERPRISE");
  }

  /** Each line: our settings, another deployment's, and what is in the way, if anything. */
  @ParameterizedTest(name = "{0} beside {1}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          TICK=PT1S; COUNTERS=counters; COUNTERS: expected counters that no other deployment has, or another ROLLUPS_COLLECTION; found counters, and counters of other in us-east1
          TICK=PT1S; COUNTERS={parent=**}/counters; COUNTERS: expected counters
          COUNTERS=rooms/{room}/counters; COUNTERS=rooms/a/counters; COUNTERS: expected counters
          COUNTERS=rooms/{room}/counters; COUNTERS=rooms/{hall}/counters; COUNTERS: expected counters
          POLL=PT1M; COUNTERS={parent=**}/counters; found counters, and {parent=**}/counters of other
          COUNTERS=rooms/{room}/counters; COUNTERS={parent=**}/likes; ''
          COUNTERS=rooms/{room}/counters; COUNTERS=halls/{hall}/counters; ''
          COUNTERS=rooms/a/counters; COUNTERS=rooms/b/counters; ''
          TICK=PT1S; COUNTERS=rooms/{room}/counters; ''
          TICK=PT1S; COUNTERS=counters FIRESTORE_DATABASE=another-database; ''
          TICK=PT1S; COUNTERS=counters SHARDS_COLLECTION=votes ROLLUPS_COLLECTION=sums; ''
          TOTAL_FIELD=stats.likes; COUNTERS=counters SHARDS_COLLECTION=v ROLLUPS_COLLECTION=s TOTAL_FIELD=stats.likes; TOTAL_FIELD: expected a field that no other deployment writes, nor one on the way to it; found stats.likes, and stats.likes for counters of other
          TOTAL_FIELD=stats.likes; COUNTERS=counters SHARDS_COLLECTION=v ROLLUPS_COLLECTION=s NUMBER_FIELD=stats; found stats.likes, and stats for counters of other
          AVERAGE_FIELD=s; COUNTERS=counters SHARDS_COLLECTION=v ROLLUPS_COLLECTION=s TOTAL_FIELD=s.stars; AVERAGE_FIELD: expected a field
          TOTAL_FIELD=stats.likes; COUNTERS=counters SHARDS_COLLECTION=v ROLLUPS_COLLECTION=s TOTAL_FIELD=stats.like; ''
          TOTAL_FIELD=likes; COUNTERS=pages SHARDS_COLLECTION=v ROLLUPS_COLLECTION=s TOTAL_FIELD=likes; ''
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page} SHARDS_COLLECTION=shards; COUNTERS=counters; SHARDS_COLLECTION: expected one that is a fold's alone; found shards of other in us-east1, too
          SHARDS_COLLECTION=parts; SHARDS_COLLECTION=parts FOLD=PT1S FOLD_DOCUMENTS=a/{b}; SHARDS_COLLECTION: expected one that is a fold's alone
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; FOLD=PT1S FOLD_DOCUMENTS=a/{b}; SHARDS_COLLECTION: expected one that is a fold's alone
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; COUNTERS=counters; ''
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; FOLD=PT1S FOLD_DOCUMENTS=a/{b} FIRESTORE_DATABASE=another; ''
          SUM=documents; COUNTERS=rooms/{room}/counters; SUM: expected aggregate, as other in us-east1 has for shards.count, or another SHARDS_COLLECTION; found documents
          TICK=PT1S; COUNTERS=rooms/{room}/counters SUM=documents; SUM: expected documents, as other
          SUM=documents COUNT_FIELD=review; COUNTERS=rooms/{room}/counters COUNT_FIELD=review.stars; SUM: expected aggregate, as other in us-east1 has for shards.review.stars
          COUNT_FIELD=review.stars; COUNTERS=rooms/{room}/counters COUNT_FIELD=review SUM=documents; SUM: expected documents, as other in us-east1 has for shards.review,
          SUM=documents COUNT_FIELD=review.stars; COUNTERS=rooms/{room}/counters COUNT_FIELD=review; ''
          SUM=documents; COUNTERS=rooms/{room}/counters COUNT_FIELD=Count; ''
          SUM=documents; COUNTERS=rooms/{room}/counters SUM=documents; ''
          COUNT_FIELD=; COUNTERS=rooms/{room}/counters SUM=documents; ''
          SUM=documents; COUNTERS=rooms/{room}/counters SHARDS_COLLECTION=parts; ''
          TICK=PT1S; COUNTERS=//; expected settings of other-roll-up that this version can read; found: COUNTERS: expected
          """)
  void otherDeployment_mayBeInTheWay(String ours, String theirs, String words) throws Exception {
    given.beside("other", theirs.split(" ", -1));

    if (words.isEmpty()) {
      assertThat(planned(ours.split(" ", -1))).contains("question=''");
    } else {
      assertRefused(words, ours.split(" ", -1));
    }
  }

  @Test
  void ourName_isTakenInOneRegionOnly() throws Exception {
    given.function("tallyroll-roll-up", "tallyroll", "us-east1");
    assertRefused(
        "NAME: expected one that no other deployment has; found 'tallyroll' in us-east1, too");

    assertThat(planned("NAME=another", "COUNTERS=likes")).contains("question=''");
  }

  /** Each line: our settings, the index settings of fields, what is in the way, if anything. */
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          TICK=PT1S; shards|count|0; SUM: expected an index on shards.count, which sums read; found an exemption of shards.count
          TICK=PT1S; shards|count|0; update count --collection-group=shards --database='(default)' --clear-exemption --project=p
          TICK=PT1S; shards|count|0 __default__|*|0; update count --collection-group=shards --database='(default)' --index=order=ascending --project=p
          TICK=PT1S; __default__|*|0; found an exemption of __default__.*, of a deployment that is gone
          TICK=PT1S; shards|*|0 __default__|*|4; found an exemption of shards.*,
          COUNT_FIELD=a.b.c; shards|a.b|0 shards|a|2; found an exemption of shards.a.b,
          COUNT_FIELD=a.b.c; shards|a|0 shards|*|2; update a.b.c --collection-group=shards --database='(default)' --index=order=ascending
          SUM=documents; shards|count|1; shards.count: expected no index settings of others; found 1 indexes
          ROLLUPS_COLLECTION=sums; sums|counter|1; sums.counter: expected no index settings
          TICK=PT1S; increment_names|expire_at|3; increment_names.expire_at: expected no index settings of others; found 3
          TICK=PT1S; myshards|count|0; ''
          COUNT_FIELD=a.b.c; shards|a.b.c|1 shards|a.b|0 shards|a|0 shards|*|0 __default__|*|0; ''
          COUNT_FIELD=a.b.c; shards|a|1 shards|*|0 __default__|*|0; ''
          TICK=PT1S; shards|*|1 __default__|*|0; ''
          COUNT_FIELD=a.b; shards|a.b.c|0 shards|a.c|0 shards|a_b|0 parts|a|0 parts|*|0 __default__|*|4; ''
          COUNT_FIELD=; shards|*|0 __default__|*|0; ''
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; _counter_shards_|*|0 rollups|as_of|2; ''
          """)
  void indexesOfOthers_mayBeInTheWay(String ours, String fields, String words) throws Exception {
    for (String field : fields.split(" ", -1)) {
      String[] parts = field.split("\\|", -1);
      given.field(parts[0], parts[1], Integer.parseInt(parts[2]));
    }

    if (words.isEmpty()) {
      assertThat(planned(ours.split(" ", -1))).contains("index_again=''");
    } else {
      assertRefused(words, ours.split(" ", -1));
    }
  }

  /** Our own exemption goes before the functions sum by the index. */
  @Test
  void ownExemption_becomesAnIndex() throws Exception {
    given.deployed("SUM=documents").field("shards", "count", 0);
    assertThat(planned())
        .contains("index_again='--clear-exemption'", "counted='shards/count'", "unexempt=''");

    given.field("__default__", "*", 0);
    assertThat(planned()).contains("index_again='--index=order=ascending'");
  }

  @Test
  void fieldThatIsNotCountedAnyMore_getsItsIndexBack_unlessOthersNeedNone() throws Exception {
    given.deployed("SUM=documents").field("shards", "count", 0);

    assertThat(planned("COUNT_FIELD=")).contains("unexempt='shards/count'", "counted=''");
    assertThat(planned("SUM=documents", "COUNT_FIELD=Cnt"))
        .contains("unexempt='shards/count'")
        .anyMatch(line -> line.startsWith("exempt='") && line.contains("shards/Cnt"));
    given.beside("other", "COUNTERS=rooms/{room}/counters", "SUM=documents");
    assertThat(planned("SUM=documents", "COUNT_FIELD=Cnt")).contains("unexempt=''");
  }

  /** Each line: deployed settings, ours, and what is said, or why it is refused. */
  @ParameterizedTest(name = "{0} to {1}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          COUNTERS={parent=**}/counters; COUNTERS=counters; refused; COUNTERS: expected it as deployed; found another. destroy, and then deploy, or take another NAME:
          TICK=PT1S; SHARDS_COLLECTION=parts; refused; SHARDS_COLLECTION: expected it as deployed
          TICK=PT1S; FIRESTORE_DATABASE=second; refused; FIRESTORE_DATABASE: expected it as deployed
          TICK=PT1S; FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; refused; FOLD: expected it as deployed; found another. Take another NAME
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; FOLD=PT1S FOLD_DOCUMENTS=pages/{page} FIRESTORE_DATABASE=second; refused; FIRESTORE_DATABASE: expected it as deployed
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; FOLD=PT1S FOLD_DOCUMENTS=pages/{page} WORKERS=2 SWEEP_COUNTERS=500; > WORKERS=2; > SWEEP_COUNTERS=500
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; TICK=PT1S; refused; FOLD: expected it as deployed
          TICK=PT2S; TICK=PT1S; < TICK=PT2S; > TICK=PT1S
          TICK=PT1S; WORKERS=2 HOLD=PT9S; < WORKERS=1; > HOLD=PT9S
          HANDLER_CPU=.5; RUNTIME=java25; > RUNTIME=java25; > HANDLER_CPU=1
          TICK=PT1S; POLL=PT1M; > POLL=PT1M; Settings of the functions that change, < deployed > new:
          ROLLUPS_COLLECTION=old; TICK=PT1S; the totals in old stay there, and stand still.; Security rules depend on these settings
          TOTAL_FIELD=likes; NUMBER_FIELD=n; TOTAL_FIELD: likes of the counters' documents keeps its last values; > NUMBER_FIELD=n
          COUNT_FIELD=; COUNT_FIELD=count; < COUNT_FIELD=; > COUNT_FIELD=count
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; FOLD=PT2S FOLD_DOCUMENTS=posts/{post}; > FOLD=PT2S; Security rules depend
          """)
  void changeOfSettings_isShownAndAsked_orRefused(
      String was, String is, String first, String second) throws Exception {
    given.deployed((was + " NAME=tallyroll PLATFORM=its-own").split(" ", -1));

    if (first.equals(REFUSED)) {
      assertRefused(second, is.split(" ", -1));
    } else {
      assertThat(planned(is.split(" ", -1)))
          .contains("question='Type yes to change these settings:'")
          .anyMatch(line -> line.contains(first))
          .anyMatch(line -> line.contains(second));
    }
  }

  @Test
  void defaultThatIsWritten_isNoChange() throws Exception {
    given.deployed("NAME=tallyroll", "TICK=PT1S", "LEASE=PT9S");

    assertThat(planned("WORKERS=1", "COUNTERS=counters")).contains("question=''");
  }

  /** Where one function has failed to deploy, both have what differs. */
  @Test
  void changesOfOneFunction_areShown() throws Exception {
    given
        .function("tallyroll-on-shard-written", "tallyroll", "us-central1", "TICK=PT2S")
        .function("tallyroll-roll-up", "tallyroll", "us-central1", "TICK=PT1S");

    assertThat(planned("TICK=PT1S")).contains("< TICK=PT2S", "> TICK=PT1S");
  }

  @Test
  void polls_takeTheHandlerAway() throws Exception {
    String handler = "tallyroll-on-shard-written@p.iam.gserviceaccount.com";
    given
        .deployed("NAME=tallyroll")
        .more(
            "accounts",
            "{'email': '%s', 'description': 'Tallyroll: tallyroll: x'}".formatted(handler))
        .one(
            "policy",
            "{'bindings': [{'role': 'roles/datastore.user', 'members': ['serviceAccount:%s', 'user:eve']}]}"
                .formatted(handler))
        .one(
            "topic-policy",
            "{'bindings': [{'role': 'roles/pubsub.publisher', 'members': ['serviceAccount:%s']}]}"
                .formatted(handler));

    assertThat(planned("POLL=PT1M"))
        .contains(
            "new_accounts='build delivery roll-up'",
            "handler_goes='yes'",
            "publisher_goes='yes'",
            "accounts_go='on-shard-written'",
            "roles_go='on-shard-written|roles/datastore.user'");
    assertThat(planned())
        .contains("handler_goes=''", "publisher_goes=''", "accounts_go=''", "roles_go=''");
  }

  /** Rights on another database, or on all, which an older destroy left; not what others made. */
  @Test
  void rightsOnOtherDatabases_goIfTheyAreOurs() throws Exception {
    String account = "serviceAccount:tallyroll-roll-up@p.iam.gserviceaccount.com";
    given.one(
        "policy",
        """
        {'bindings': [
          {'role': 'roles/datastore.user', 'members': ['%1$s']},
          {'role': 'roles/datastore.user', 'members': ['%1$s'], 'condition': {'title': 'tallyroll', 'expression': 'second'}},
          {'role': 'roles/datastore.user', 'members': ['%1$s'], 'condition': {'title': 'audit', 'expression': 'third'}},
          {'role': 'roles/datastore.user', 'members': ['%1$s'], 'condition': {'title': 'tallyroll',
            'expression': 'resource.name==\\'projects/p/databases/(default)\\''}}]}
        """
            .formatted(account));

    assertThat(planned())
        .contains("stale_roles='roll-up|None\nroll-up|expression=second,title=tallyroll'");
  }

  /** Who deploys indexes by the Firebase CLI has the same, and the guide names them. */
  @Test
  void exemptions_areThoseOfTheFile() throws Exception {
    JsonObject file =
        JsonParser.parseString(
                Files.readString(Path.of("../deploy/firestore/firestore.indexes.json")))
            .getAsJsonObject();
    List<FieldIndexes.Field> exempted =
        DeployPlan.exempted(settings().totals().orElseThrow()).toList();

    assertThat(Answers.objects(file, "fieldOverrides"))
        .allMatch(field -> field.getAsJsonArray("indexes").isEmpty())
        .extracting(
            field ->
                new FieldIndexes.Field(
                    Answers.text(field, "collectionGroup"), Answers.text(field, "fieldPath")))
        .containsExactlyElementsOf(exempted);
    assertThat(Files.readString(Path.of("../deploy/README.md")))
        .contains("| exemptions | `as_of`, `live_until`, `counter` of `rollups`; `expire_at` of");
  }

  @Test
  void passAtTheEnd_isPriced() throws Exception {
    assertThat(planned())
        .contains(
            "The pass at the end looks at all counters and totals, for 1,000 and their totals: up to"
                + " 4,000 reads, $0.00, in 1 min (an estimate).");
    assertThat(planned("SUM=documents", "TOTAL_FIELD=likes"))
        .anyMatch(line -> line.contains("up to 5,000 reads, and one a shard, $0.00"));
    assertThat(planned("POLL=PT10S"))
        .anyMatch(
            line -> line.startsWith("RollUp works without pause, which costs $23.96 a month"));
    assertThat(planned("FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}"))
        .noneMatch(line -> line.contains("The pass"));
  }
}
