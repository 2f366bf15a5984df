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
  private static final Prices PRICES =
      new Prices(0.03 / 100_000, 0.09 / 100_000, 0.4 / 1_000_000, 0.000024, 0.0000025);
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
                + " as_of, live_until, counter of rollups, nor on increment_names.expire_at.",
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
          WORKERS=1; counters.of=counters/{counter}/shards; counters.rollups: expected a collection in which no other deployment has totals; found rollups, and rollups for counters of other in us-east1
          WORKERS=1; counters.of={parent=**}/counters/{counter}/shards; counters.rollups: expected a collection
          counters.of=rooms/{room}/counters/{counter}/shards; counters.of=rooms/a/counters/{counter}/shards; counters.rollups: expected a collection
          counters.of=rooms/{room}/counters/{counter}/shards; counters.of=rooms/{hall}/counters/{counter}/shards; counters.rollups: expected a collection
          counters.events=false counters.every=PT1M; counters.of={parent=**}/counters/{counter}/shards; found rollups, and {parent=**}/rollups for counters of other
          counters.of=rooms/{room}/counters/{counter}/shards; counters.of={parent=**}/likes/{counter}/shards; counters.rollups: expected a collection in which no other deployment has totals; found rooms/{room}/rollups, and {parent=**}/rollups for counters of other in us-east1
          counters.of=rooms/{room}/counters/{counter}/shards; counters.of={parent=**}/likes/{counter}/shards counters.rollups=sums; ''
          counters.of=rooms/{room}/counters/{counter}/shards; counters.of=halls/{hall}/counters/{counter}/shards; ''
          counters.of=rooms/a/counters/{counter}/shards; counters.of=rooms/b/counters/{counter}/shards; ''
          WORKERS=1; counters.of=rooms/{room}/counters/{counter}/shards; ''
          WORKERS=1; counters.of=counters/{counter}/shards FIRESTORE_DATABASE=another-database; ''
          WORKERS=1; counters.of=counters/{counter}/votes counters.rollups=sums; ''
          counters.into={'sum':'stats.likes'}; counters.of=counters/{counter}/v counters.rollups=s counters.into={'sum':'stats.likes'}; counters.into: expected fields that no other deployment writes, nor any on the way to one; found stats.likes, and [stats.likes] for counters of other
          counters.into={'sum':'stats.likes'}; counters.of=counters/{counter}/v counters.rollups=s counters.into={'count':'stats'}; found stats.likes, and [stats] for counters of other
          counters.into={'average':'s'}; counters.of=counters/{counter}/v counters.rollups=s counters.into={'sum':'s.stars'}; counters.into: expected fields
          counters.into={'sum':'stats.likes'}; counters.of=counters/{counter}/v counters.rollups=s counters.into={'sum':'stats.like'}; ''
          counters.into={'sum':'likes'}; counters.of=pages/{counter}/v counters.rollups=s counters.into={'sum':'likes'}; ''
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; counters.of=posts/{post}/_counter_shards_; FOLD: expected shards that are a fold's alone; found _counter_shards_ of other in us-east1, too
          counters.of=posts/{post}/_counter_shards_; FOLD=PT1S FOLD_DOCUMENTS=a/{b}; counters.of: expected shards that are a fold's alone
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; FOLD=PT1S FOLD_DOCUMENTS=a/{b}+pages/{p}; FOLD_DOCUMENTS: expected documents that no other deployment folds; found pages/{page}, and pages/{p} of other in us-east1
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; FOLD=PT1S FOLD_DOCUMENTS=a/{b}; ''
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; counters.of=counters/{counter}/shards; ''
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; FOLD=PT1S FOLD_DOCUMENTS=a/{b} FIRESTORE_DATABASE=another; ''
          counters.index=false; counters.of=rooms/{room}/counters/{counter}/shards; counters.index: expected true, as other in us-east1 has for shards.count, or another collection; found false
          WORKERS=1; counters.of=rooms/{room}/counters/{counter}/shards counters.index=false; counters.index: expected false, as other
          counters.index=false counters.sum=review; counters.of=rooms/{room}/counters/{counter}/shards counters.sum=review.stars; counters.index: expected true, as other in us-east1 has for shards.review.stars
          counters.sum=review.stars; counters.of=rooms/{room}/counters/{counter}/shards counters.sum=review counters.index=false; counters.index: expected false, as other in us-east1 has for shards.review,
          counters.index=false counters.sum=review.stars; counters.of=rooms/{room}/counters/{counter}/shards counters.sum=review; ''
          counters.index=false; counters.of=rooms/{room}/counters/{counter}/shards counters.sum=Count; ''
          counters.index=false; counters.of=rooms/{room}/counters/{counter}/shards counters.index=false; ''
          counters.sum=; counters.of=rooms/{room}/counters/{counter}/shards counters.index=false; ''
          counters.index=false; counters.of=rooms/{room}/counters/{counter}/parts; ''
          WORKERS=1; counters.of=//; expected settings of other-roll-up that this version can read; found: counters.of: expected
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

    assertThat(planned("likes.of=posts/{post}/likes", "NAME=another")).contains("question=''");
  }

  /** Each line: our settings, the index settings of fields, what is in the way, if anything. */
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          WORKERS=1; shards|count|0; counters.index: expected an index on shards.count, which sums read; found an exemption of shards.count
          WORKERS=1; shards|count|0; update count --collection-group=shards --database='(default)' --clear-exemption --project=p
          WORKERS=1; shards|count|0 __default__|*|0; update count --collection-group=shards --database='(default)' --index=order=ascending --project=p
          WORKERS=1; __default__|*|0; found an exemption of __default__.*, of a deployment that is gone
          WORKERS=1; shards|*|0 __default__|*|4; found an exemption of shards.*,
          counters.sum=a.b.c; shards|a.b|0 shards|a|2; found an exemption of shards.a.b,
          counters.sum=a.b.c; shards|a|0 shards|*|2; update a.b.c --collection-group=shards --database='(default)' --index=order=ascending
          counters.index=false; shards|count|1; shards.count: expected no index settings of others; found 1 indexes
          counters.rollups=sums; sums|counter|1; sums.counter: expected no index settings
          WORKERS=1; increment_names|expire_at|3; increment_names.expire_at: expected no index settings of others; found 3
          WORKERS=1; myshards|count|0; ''
          counters.sum=a.b.c; shards|a.b.c|1 shards|a.b|0 shards|a|0 shards|*|0 __default__|*|0; ''
          counters.sum=a.b.c; shards|a|1 shards|*|0 __default__|*|0; ''
          WORKERS=1; shards|*|1 __default__|*|0; ''
          counters.sum=a.b; shards|a.b.c|0 shards|a.c|0 shards|a_b|0 parts|a|0 parts|*|0 __default__|*|4; ''
          counters.sum=; shards|*|0 __default__|*|0; ''
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
    given.deployed("counters.index=false").field("shards", "count", 0);
    assertThat(planned()).contains("index_again='shards/count|--clear-exemption'", "unexempt=''");

    given.field("__default__", "*", 0);
    assertThat(planned()).contains("index_again='shards/count|--index=order=ascending'");
  }

  @Test
  void fieldThatIsNotCountedAnyMore_getsItsIndexBack_unlessOthersNeedNone() throws Exception {
    given.deployed("counters.index=false").field("shards", "count", 0);

    assertThat(planned("counters.sum=", "counters.rollups=sums"))
        .contains("unexempt='shards/count'", "index_again=''");
    assertThat(planned("counters.index=false", "counters.sum=Cnt", "counters.rollups=sums"))
        .contains("unexempt='shards/count'")
        .anyMatch(line -> line.startsWith("exempt='") && line.contains("shards/Cnt"));
    given.beside(
        "other", "counters.of=rooms/{room}/counters/{counter}/shards", "counters.index=false");
    assertThat(planned("counters.index=false", "counters.sum=Cnt", "counters.rollups=sums"))
        .contains("unexempt=''");
  }

  /** Each line: deployed settings, ours, and what is said, or why it is refused. */
  @ParameterizedTest(name = "{0} to {1}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          counters.of={parent=**}/counters/{counter}/shards; counters.of=counters/{counter}/shards; refused; counters.rollups: expected no totals of others where these go, which are the 'sum of count in counters/{1}/shards'; found one in rollups that is the 'sum of count in {**}/counters/{1}/shards'.
          WORKERS=1; counters.of=counters/{counter}/parts; refused; deploy/gcloud/remove-totals 'sum of count in counters/{1}/shards' 'rollups' --settings
          counters.sum=; counters.sum=count; refused; counters.rollups: expected no totals of others where these go
          WORKERS=1; parts.of=counters/{counter}/parts parts.rollups=rollups; refused; parts.rollups: expected no totals of others
          WORKERS=1; counters.of=counters/{counter}/parts counters.rollups=sums; counters (new): sum of count in counters/{1}/parts; counters: the totals in rollups stay there
          WORKERS=1; FIRESTORE_DATABASE=second; refused; FIRESTORE_DATABASE: expected it as deployed
          WORKERS=1; FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; refused; FOLD: expected it as deployed; found another. Take another NAME
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; FOLD=PT1S FOLD_DOCUMENTS=pages/{page} FIRESTORE_DATABASE=second; refused; FIRESTORE_DATABASE: expected it as deployed
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; FOLD=PT1S FOLD_DOCUMENTS=pages/{page} WORKERS=2 SWEEP_COUNTERS=500; > WORKERS=2; > SWEEP_COUNTERS=500
          FOLD=PT1S FOLD_DOCUMENTS=pages/{page}; WORKERS=1; refused; FOLD: expected it as deployed
          counters.every=PT2S; WORKERS=1; < counters.every="PT2S"; > counters.every=
          WORKERS=1; WORKERS=2 counters.hold=PT9S; < WORKERS=1; > counters.hold="PT9S"
          HANDLER_CPU=.5; RUNTIME=java25; > RUNTIME=java25; > HANDLER_CPU=1
          WORKERS=1; counters.events=false counters.every=PT1M; > counters.events=false; Settings of the functions that change, < deployed > new:
          counters.rollups=old; WORKERS=1; counters: the totals in old stay there, and stand still.; Security rules depend on these settings
          counters.into={'sum':'likes'}; counters.into={'count':'n'}; counters.into: likes of counters/{counter} keeps its last values; > counters.into={"count":"n"}
          counters.into={'sum':'likes'}; counters.into={'count':'likes'}; < counters.into={"sum":"likes"}; Security rules depend on these settings
          likes.of=posts/{post}/likes; hearts.of=posts/{post}/likes; likes: the totals in likes_rollups stay there; > hearts.of="posts/{post}/likes"
          likes.of=posts/{post}/likes; likes.of=posts/{p}/likes; < likes.of="posts/{post}/likes"; > likes.of="posts/{p}/likes"
          likes.of=posts/{post}/likes; likes.of=posts/{p}/likes; likes (changed): number of posts/{1}/likes; triggers_go=''
          likes.of=posts/{post}/likes; hearts.of=posts/{p}/likes hearts.rollups=likes_rollups; hearts (changed): number of posts/{1}/likes; new_triggers=''
          likes.of=posts/{post}/likes; WORKERS=1; likes: the totals in likes_rollups stay there; counters (new): sum of count in counters/{1}/shards
          likes.of=posts/{post}/likes likes.into={'count':'n'}; fans.of=posts/{p}/fans fans.into={'count':'n'}; wait_for_old='yes'; The pass at the end begins after ten minutes
          likes.of=posts/{post}/likes likes.into={'count':'n'}; fans.of=posts/{p}/fans fans.into={'count':'m'}; wait_for_old=''; likes.into: n of posts/{post} keeps its last values
          TOTALS={; WORKERS=1; refused; TOTALS: expected a text in tallyroll-on-shard-written that this version can read; found: expected JSON
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
    given.deployed("NAME=tallyroll", "WORKERS=1", "LEASE=PT9S");

    assertThat(
            planned(
                "WORKERS=1",
                "TOTALS={'counters': {'rollups':'rollups', 'sum': 'count', 'of': 'counters/{counter}/shards'}}"))
        .contains("question=''");
  }

  /** Where one function has failed to deploy, both have what differs. */
  @Test
  void changesOfOneFunction_areShown() throws Exception {
    given
        .function("tallyroll-on-shard-written", "tallyroll", "us-central1", "counters.every=PT2S")
        .function("tallyroll-roll-up", "tallyroll", "us-central1", "counters.every=PT3S");

    assertThat(planned("counters.every=PT3S"))
        .contains("< counters.every=\"PT2S\"", "> counters.every=\"PT3S\"");
  }

  @Test
  void withoutEvents_theHandlerGoes() throws Exception {
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

    assertThat(planned("counters.events=false", "counters.every=PT1M"))
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
    List<FieldIndexes.Field> exempted = DeployPlan.exempted(settings().entries());

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
            "counters (new): sum of count in counters/{1}/shards; in rollups/{counter}",
            "  for 1,000 documents and their totals: the pass reads up to 4,000, $0.0012, in 1 min; a"
                + " month at rest $0.0270; a thousand writes, one by one, $0.0052, and a thousand without"
                + " effect $0.0037.");
    assertThat(planned("counters.index=false", "counters.into={'sum':'likes'}"))
        .anyMatch(line -> line.contains("up to 5,000, and one a shard, $0.0015"));
    assertThat(planned("counters.events=false", "counters.every=PT1M"))
        .anyMatch(
            line -> line.endsWith("a month of sums each PT1M $12.99; writes cost nothing more."));
    assertThat(planned("counters.events=false", "counters.every=PT10S"))
        .anyMatch(
            line -> line.startsWith("RollUp works without pause, which costs $23.96 a month"));
    assertThat(planned("FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}"))
        .noneMatch(line -> line.contains("the pass reads"));
  }
}
