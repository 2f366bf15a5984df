package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** deploy and destroy in front of the stand-in for a project: each state, danger and fact. */
class DeployIT {
  private static final int MOST_LINES = 80;

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
  void firstDeploy_leaves(String fact, String file, String words) {
    assertThat(FIRST.lines(file)).as(fact).anyMatch(line -> line.matches("(.*\\W)?" + words));
  }

  @Test
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

  /** Each line: what is there, the command, its exit code, what it says. */
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          danger 2: others' things; functions/tallyroll-roll-up state=ACTIVE; deploy; 2; tallyroll-roll-up: expected the mark of the deployment tallyroll
          danger 2: others' things; functions/tallyroll-on-shard-written tallyroll=other; deploy; 2; found 'other'. It is somebody else's: take another NAME
          danger 2: others' things; topics/rollup x; deploy; 2; pubsub topics rollup: expected the mark
          danger 2: others' things; jobs/tallyroll-run description=theirs; deploy; 2; found 'theirs'. It is somebody else's: take another NAME
          danger 2: others' things; accounts/tallyroll-build@p.iam.gserviceaccount.com description=theirs; deploy; 2; It is somebody else's: take another NAME
          danger 2: others' things; neighbours us-east1|tallyroll|other|(default); deploy; 2; NAME: expected one that no other deployment has
          danger 3: others' documents; documents-rollups tenants/t/rollups/a|; deploy; 2; ROLLUPS_COLLECTION: expected documents of counters only
          danger 3: others' documents; documents-rollups tenants/t/rollups/a|tenants/t/counters/b; deploy; 2; found tenants/t/rollups/a. Name another collection
          danger 3: others' documents; documents-increment_names polls/p/increment_names/x|; deploy; 2; INCREMENTS_COLLECTION: expected documents of counters
          danger 3: ours; documents-rollups tenants/t/rollups/a|tenants/t/counters/a && documents-increment_names counters/a/increment_names/x|; deploy --dry-run; 0; gcloud functions deploy
          danger 3: ours; documents-rollups rollups/a|counters/a && documents-increment_names polled_counters/a/increment_names/x|; deploy --dry-run; 0; gcloud functions deploy
          danger 3: ours; documents-rollups rollups/a|polled_counters/a; deploy --dry-run; 0; gcloud functions deploy
          danger 3: others' indexes; fields rollups|as_of|2; deploy; 2; found 2 indexes
          danger 3: others' indexes; fields shards|count|0; deploy; 2; SUM: expected an index on shards.count
          danger 3: others' indexes; fields shards|count|0; deploy; 2; update count --collection-group=shards --database='(default)' --clear-exemption --project=p
          danger 3: others' indexes; fields shards|count|0\\n__default__|*|0; deploy; 2; update count --collection-group=shards --database='(default)' --index=order=ascending --project=p
          danger 3: others' indexes; fields __default__|*|0; deploy; 2; found an exemption of __default__.*, of a deployment that is gone
          danger 3: others' indexes; fields shards|*|0\\n__default__|*|4; deploy; 2; found an exemption of shards.*,
          danger 3: others' indexes; settings.env COUNT_FIELD=a.b.c && fields shards|a.b.c|0; deploy; 2; update a.b.c --collection-group=shards --database='(default)' --clear-exemption --project=p
          danger 3: others' indexes; settings.env COUNT_FIELD=a.b.c && fields shards|a.b|0\\nshards|a|2; deploy; 2; found an exemption of shards.a.b,
          danger 3: others' indexes; settings.env COUNT_FIELD=a.b.c && fields shards|a|0\\nshards|*|2; deploy; 2; update a.b.c --collection-group=shards --database='(default)' --index=order=ascending --project=p
          danger 3: nearer indexes; settings.env COUNT_FIELD=a.b.c && fields shards|a.b.c|1\\nshards|a.b|0\\nshards|a|0\\nshards|*|0\\n__default__|*|0; deploy --dry-run; 0; gcloud functions deploy
          danger 3: nearer indexes; settings.env COUNT_FIELD=a.b.c && fields shards|a|1\\nshards|*|0\\n__default__|*|0; deploy --dry-run; 0; gcloud functions deploy
          danger 3: nearer indexes; fields shards|*|1\\n__default__|*|0; deploy --dry-run; 0; gcloud functions deploy
          danger 3: other fields' indexes; settings.env COUNT_FIELD=a.b && fields shards|a.b.c|0\\nshards|a.c|0\\nshards|a_b|0\\nparts|a|0\\nparts|*|0\\n__default__|*|4; deploy --dry-run; 0; gcloud functions deploy
          danger 3: no index; settings.env COUNT_FIELD= && fields shards|*|0\\n__default__|*|0; deploy --dry-run; 0; gcloud functions deploy
          danger 3: no index; settings.env SUM=documents\\nCOUNT_FIELD=a.b && fields shards|a|0; deploy --dry-run; 0; fields update a.b --collection-group=shards --disable-indexes
          danger 3: others' indexes; fields myshards|count|0; deploy --dry-run; 0; gcloud functions deploy
          danger 3: others' policy; ttls my_increment_names|expire_at; deploy --dry-run; 0; fields ttls update expire_at --collection-group=increment_names
          danger 3: same counters; neighbours us-east1|other|counters|(default); deploy; 2; COUNTERS: expected counters that no other deployment has
          danger 3: same counters; neighbours us-east1|other|{parent=**}/counters|(default); deploy; 2; COUNTERS: expected counters
          danger 3: same counters; settings.env COUNTERS=rooms/{room}/counters && neighbours us-east1|other|rooms/a/counters|(default); deploy; 2; COUNTERS: expected counters
          danger 3: other counters; settings.env COUNTERS=rooms/{room}/counters && neighbours us-east1|a|{parent=**}/likes|(default)\\nus-east1|b|halls/{hall}/counters|(default); deploy --dry-run; 0; gcloud functions deploy
          danger 3: other counters; neighbours us-east1|a|rooms/{room}/counters|(default)\\nus-east1|b|counters|another-database; deploy --dry-run; 0; gcloud functions deploy
          danger 3: a fold's shards; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page}\\nSHARDS_COLLECTION=shards && neighbours us-east1|other|counters|(default)|shards|rollup_runs|; deploy; 2; SHARDS_COLLECTION: expected one that is a fold's alone, found shards of other
          danger 3: a fold's shards; settings.env SHARDS_COLLECTION=parts && neighbours us-east1|other||(default)|parts|turns|PT1S; deploy; 2; SHARDS_COLLECTION: expected one that is a fold's alone
          danger 3: a fold's shards; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page} && neighbours us-east1|other||(default)|_counter_shards_|turns|PT1S; deploy; 2; SHARDS_COLLECTION: expected one that is a fold's alone
          danger 3: a fold's runs; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page} && neighbours us-east1|other||(default)|parts|rollup_runs|PT1S; deploy; 2; RUNS_COLLECTION: expected one that no other fold has, found rollup_runs of other
          danger 3: other shards; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page} && neighbours us-east1|a|counters|(default)|shards|rollup_runs|\\nus-east1|b||(default)|parts|turns|PT1S\\nus-east1|c||d|_counter_shards_|rollup_runs|PT1S; deploy --dry-run; 0; gcloud functions deploy
          danger 3: shards of counters; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page}\\nSHARDS_COLLECTION=shards && documents-shards pages/p/shards/0| && owners "name": "projects/p/databases/d/documents/pages/p",\\n"num_shards": {; deploy; 2; SHARDS_COLLECTION: expected no shards of sharded counters, which a fold would delete,
          danger 3: shards of counters; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page}\\nSHARDS_COLLECTION=shards && documents-shards pages/p/shards/0| && owners "name": "projects/p/databases/d/documents/pages/p",; deploy --dry-run; 0; gcloud functions deploy
          danger 3: shards of counters; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page}\\nSHARDS_COLLECTION=shards && documents-shards pages/p/shards/a0|\\npolls/p/shards/0| && owners "name": "projects/p/databases/d/documents/pages/p",\\n"num_shards": {; deploy --dry-run; 0; gcloud functions deploy
          danger 3: same polled; neighbours us-east1|other|rooms/{room}/counters|(default)|parts|turns||polled_counters|aggregate|count; deploy; 2; POLLED: expected counters that no other deployment has, or another ROLLUPS_COLLECTION, found polled_counters, and polled_counters of other
          danger 3: same counters; settings.env COUNTERS=\\nPOLLED=counters && neighbours us-east1|other|{parent=**}/counters|(default); deploy; 2; POLLED: expected counters that no other deployment has, or another ROLLUPS_COLLECTION, found counters, and {parent=**}/counters of other
          danger 3: same counters; neighbours us-east1|other||(default)|parts|turns||counters|aggregate|count; deploy; 2; COUNTERS: expected counters that no other deployment has, or another ROLLUPS_COLLECTION, found counters, and counters of other
          danger 3: beside; settings.env COUNTERS=posts\\nSHARDS_COLLECTION=likes\\nROLLUPS_COLLECTION=post_likes\\nTOTAL_FIELD=stats.likes && neighbours us-east1|a|posts|(default)|reviews|rollup_runs|||aggregate|stars|post_reviews|stars\\nus-east1|b|counters|(default)|shards|rollup_runs||polled_counters|aggregate|count|rollups; deploy --dry-run; 0; ,COUNTERS=posts,POLLED=,
          danger 3: same totals; settings.env COUNTERS=posts\\nSHARDS_COLLECTION=likes\\nROLLUPS_COLLECTION=post_likes\\nTOTAL_FIELD=stats.likes && neighbours us-east1|a|{parent=**}/posts|(default)|reviews|rollup_runs|||aggregate|stars|post_likes; deploy; 2; COUNTERS: expected counters that no other deployment has, or another ROLLUPS_COLLECTION
          danger 3: same field; settings.env COUNTERS=posts\\nSHARDS_COLLECTION=likes\\nROLLUPS_COLLECTION=post_likes\\nTOTAL_FIELD=stats.likes && neighbours us-east1|a|posts|(default)|reviews|rollup_runs|||aggregate|stars|post_reviews|stats.likes; deploy; 2; TOTAL_FIELD: expected a field that no other deployment writes
          danger 3: same field; settings.env COUNTERS=posts\\nSHARDS_COLLECTION=likes\\nROLLUPS_COLLECTION=post_likes\\nTOTAL_FIELD=stats.likes && neighbours us-east1|a|posts|(default)|reviews|rollup_runs|||aggregate|stars|post_reviews|stats; deploy; 2; found stats.likes, and stats for posts of a in us-east1
          danger 3: same field; settings.env COUNTERS=posts\\nSHARDS_COLLECTION=likes\\nROLLUPS_COLLECTION=post_likes\\nTOTAL_FIELD=stats.likes && neighbours us-east1|a|posts|(default)|reviews|rollup_runs|||aggregate|stars|post_reviews|stats.likes.all; deploy; 2; TOTAL_FIELD: expected a field
          danger 3: other field; settings.env COUNTERS=posts\\nSHARDS_COLLECTION=likes\\nROLLUPS_COLLECTION=post_likes\\nTOTAL_FIELD=stats.likes && neighbours us-east1|a|posts|(default)|reviews|rollup_runs|||aggregate|stars|post_reviews|stats.like\\nus-east1|b|pages|(default)|parts|turns|||aggregate|n|sums|stats.likes; deploy --dry-run; 0; gcloud functions deploy
          danger 3: same totals; settings.env COUNTERS=rooms/{room}/posts\\nSHARDS_COLLECTION=likes\\nROLLUPS_COLLECTION=sums && neighbours us-east1|a|rooms/{hall}/posts|(default)|reviews|turns|||aggregate||sums; deploy; 2; COUNTERS: expected counters that no other deployment has, or another ROLLUPS_COLLECTION, found rooms/{room}/posts, and rooms/{hall}/posts of a
          danger 3: same field; settings.env COUNTERS=posts\\nSHARDS_COLLECTION=likes\\nROLLUPS_COLLECTION=post_likes\\nNUMBER_FIELD=likes && neighbours us-east1|a|posts|(default)|reviews|rollup_runs|||aggregate|stars|post_reviews||likes; deploy; 2; NUMBER_FIELD: expected a field that no other deployment writes, nor one on the way to it, found likes, and likes for posts of a in us-east1
          danger 3: same field; settings.env COUNTERS=posts\\nSHARDS_COLLECTION=likes\\nROLLUPS_COLLECTION=post_likes\\nTOTAL_FIELD=s.likes && neighbours us-east1|a|posts|(default)|reviews|rollup_runs|||aggregate|stars|post_reviews|stars|stars_number|s; deploy; 2; TOTAL_FIELD: expected a field that no other deployment writes, nor one on the way to it, found s.likes, and s for posts
          danger 3: same field; settings.env COUNTERS=posts\\nSHARDS_COLLECTION=likes\\nROLLUPS_COLLECTION=post_likes\\nAVERAGE_FIELD=s && neighbours us-east1|a|posts|(default)|reviews|rollup_runs|||aggregate|stars|post_reviews|s.stars; deploy; 2; AVERAGE_FIELD: expected a field that no other deployment writes, nor one on the way to it, found s, and s.stars for posts
          danger 3: same field; settings.env COUNTERS={parent=**}/posts\\nSHARDS_COLLECTION=likes\\nROLLUPS_COLLECTION=post_likes\\nNUMBER_FIELD=n && neighbours us-east1|a|posts|(default)|reviews|rollup_runs|||aggregate|stars|post_reviews|||n; deploy; 2; NUMBER_FIELD: expected a field that no other deployment writes
          danger 3: other fields; settings.env COUNTERS=posts\\nSHARDS_COLLECTION=likes\\nROLLUPS_COLLECTION=post_likes\\nCOUNT_FIELD=\\nTOTAL_FIELD=likes && neighbours us-east1|a|posts|(default)|reviews|rollup_runs|||aggregate|stars|post_reviews|stars|ratings|stars_average\\nus-east1|b|pages|(default)|likes|rollup_runs|||aggregate||post_likes|likes|likes_number|; deploy --dry-run; 0; ,TOTAL_FIELD=likes,COUNT_FIELD=,
          danger 3: polled shards; settings.env COUNTERS={parent=**}/hot\\nROLLUPS_COLLECTION=sums && neighbours us-east1|a|likes|(default)|shards|rollup_runs||hot|aggregate|count|rollups; deploy; 2; COUNTERS: expected no trigger on polled counters, or another SHARDS_COLLECTION, found {parent=**}/hot, and as POLLED hot of a
          danger 3: polled shards; settings.env POLLED=hot\\nROLLUPS_COLLECTION=sums && neighbours us-east1|a|{parent=**}/hot|(default)|shards|rollup_runs|||aggregate|count|rollups; deploy; 2; POLLED: expected no trigger on polled counters
          danger 3: other polled shards; settings.env COUNTERS={parent=**}/hot\\nROLLUPS_COLLECTION=sums && neighbours us-east1|a|likes|(default)|parts|rollup_runs||hot|aggregate|count|rollups; deploy --dry-run; 0; gcloud functions deploy
          danger 3: other rooms; settings.env COUNTERS=rooms/a/counters && neighbours us-east1|a|rooms/b/counters|(default)|shards|rollup_runs; deploy --dry-run; 0; gcloud functions deploy
          danger 3: other sums; settings.env POLLED=\\nSUM=documents && neighbours us-east1|other|rooms/{room}/counters|(default)|shards|turns|||aggregate|count; deploy; 2; SUM: expected aggregate, as other in us-east1 has for shards.count
          danger 3: other sums; settings.env POLLED= && neighbours us-east1|other|rooms/{room}/counters|(default)|shards|turns|||documents|count; deploy; 2; SUM: expected documents, as other
          danger 3: other sums; settings.env POLLED=\\nSUM=documents\\nCOUNT_FIELD=review && neighbours us-east1|other|rooms/{room}/counters|(default)|shards|turns|||aggregate|review.stars; deploy; 2; SUM: expected aggregate, as other in us-east1 has for shards.review.stars
          danger 3: other sums; settings.env POLLED=\\nCOUNT_FIELD=review.stars && neighbours us-east1|other|rooms/{room}/counters|(default)|shards|turns|||documents|review; deploy; 2; SUM: expected documents, as other in us-east1 has for shards.review,
          danger 3: own sums; settings.env POLLED=\\nSUM=documents\\nCOUNT_FIELD=review.stars && neighbours us-east1|a|rooms/{room}/counters|(default)|shards|turns|||aggregate|review\\nus-east1|b|rooms/{room}/counters|(default)|shards|turns|||aggregate|; deploy --dry-run; 0; gcloud functions deploy
          danger 3: own sums; settings.env POLLED=\\nCOUNT_FIELD= && neighbours us-east1|a|rooms/{room}/counters|(default)|shards|turns|||documents|count; deploy --dry-run; 0; gcloud functions deploy
          danger 3: own sums; settings.env POLLED=\\nSUM=documents && neighbours us-east1|a|rooms/{room}/counters|(default)|shards|turns|||aggregate|Count\\nus-east1|b|rooms/{room}/counters|(default)|parts|turns||hot|aggregate|count\\nus-east1|c|rooms/{room}/counters|(default)|shards|turns|||documents|count; deploy --dry-run; 0; gcloud functions deploy
          danger 4: database; database us-central1|DATASTORE_MODE|STANDARD; deploy; 2; expected native mode and the Standard edition, found DATASTORE_MODE
          danger 4: database; database us-central1|FIRESTORE_NATIVE|ENTERPRISE; deploy; 2; Standard edition, found FIRESTORE_NATIVE, ENTERPRISE
          danger 4: database; fails *databases describe*|9|NOT_FOUND: no; deploy; 2; expected a database, found none
          danger 4: database; database nam5|FIRESTORE_NATIVE|STANDARD; deploy --dry-run; 0; --trigger-location=nam5
          settings; settings.env COUNTER=x; deploy; 2; expected KEY=VALUE with a key of deploy/gcloud/settings.env, found 'COUNTER=x'
          settings; settings.env TICK; deploy; 2; expected KEY=VALUE
          settings; settings.env TICK="PT1S"; deploy; 2; TICK: expected an ISO-8601 duration such as PT1S, found '"PT1S"'
          settings; settings.env NAME=$(reboot); deploy; 2; NAME: expected 2 to 13 small letters
          settings; settings.env ROLLUPS_COLLECTION=shards; deploy; 2; ROLLUPS_COLLECTION: expected a name that no other collection has
          settings; settings.env SHARDS_COLLECTION=counters; deploy; 2; expected a name that no other collection has, found 'counters'
          settings; settings.env POLLED=rooms/{room}/hot; deploy; 2; POLLED: expected the path of a collection without variables
          settings; settings.env POLLED=rooms/r1/shards; deploy; 2; POLLED: expected a name that no other collection has, found 'rooms/r1/shards'
          settings; settings.env POLLED=counters; deploy; 2; POLLED: expected a collection outside of counters, which the trigger watches
          settings; settings.env COUNTERS=\\nPOLLED=; deploy; 2; POLLED: expected a collection if COUNTERS is empty, found nothing in both
          settings; settings.env SHARDS_COLLECTION=__parts__; deploy; 2; SHARDS_COLLECTION: expected names other than __.*__, found '__parts__'
          settings; settings.env COUNTERS=rooms/__r__/counters; deploy; 2; COUNTERS: expected names other than __.*__
          settings; settings.env COUNTERS=rollup_runs/r1/likes; deploy; 2; COUNTERS: expected counters outside of rollup_runs
          settings; settings.env POLLED=rollup_runs/r1/hot; deploy; 2; POLLED: expected counters outside of rollup_runs
          settings; settings.env COUNTERS=a/{x}/b/{x}/counters; deploy; 2; COUNTERS: expected each variable once, found 'a/{x}/b/{x}/counters'
          settings; settings.env TOTAL_FIELD=stats.__likes__; deploy; 2; TOTAL_FIELD: expected names other than __.*__
          settings; settings.env TOTAL_FIELD=num_shards; deploy; 2; TOTAL_FIELD: expected a field other than those of the library
          settings; settings.env COUNT_FIELD=review.__stars__; deploy; 2; COUNT_FIELD: expected names other than __.*__
          settings; settings.env COUNT_FIELD=\\nSUM=documents; deploy; 2; SUM: expected aggregate if COUNT_FIELD is empty, found documents
          settings; settings.env TOTAL_FIELD=stats\\nNUMBER_FIELD=stats.number; deploy; 2; NUMBER_FIELD: expected a field other than TOTAL_FIELD, and none on the way to it, found 'stats.number' and 'stats'
          settings; settings.env TOTAL_FIELD=stats.sum\\nAVERAGE_FIELD=stats; deploy; 2; AVERAGE_FIELD: expected a field other than TOTAL_FIELD, and none
          settings; settings.env NUMBER_FIELD=stars\\nAVERAGE_FIELD=stars; deploy; 2; AVERAGE_FIELD: expected a field other than NUMBER_FIELD, and none
          settings; settings.env TOTAL_FIELD=stars\\nNUMBER_FIELD=stars_number\\nAVERAGE_FIELD=s.stars; deploy --dry-run; 0; ,TOTAL_FIELD=stars,NUMBER_FIELD=stars_number,AVERAGE_FIELD=s.stars,
          settings; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page}\\nCOUNT_FIELD=; deploy; 2; COUNT_FIELD: expected a field's name with FOLD, found ''
          settings; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page}\\nCOUNT_FIELD=a.b; deploy; 2; COUNT_FIELD: expected a field's name with FOLD, found 'a.b'
          settings; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page}\\nNUMBER_FIELD=n; deploy; 2; NUMBER_FIELD: expected nothing with FOLD, found 'n'
          settings; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page}\\nAVERAGE_FIELD=n; deploy; 2; AVERAGE_FIELD: expected nothing with FOLD, found 'n'
          settings; settings.env POLL=tick; deploy; 2; POLL=PT1M says the same
          settings; settings.env POLL=minute; deploy; 2; POLL=PT1M TICK=PT1M says the same
          settings; settings.env PRECISION=2; deploy; 2; PRECISION: expected a number from 0.0 to 0.999999, found '2'
          settings; settings.env HOLD=PT0.9S; deploy; 2; HOLD: expected PT0S, or a TICK to PT4M, found 'PT0.9S'
          settings; settings.env HOLD=PT4M0.001S; deploy; 2; HOLD: expected PT0S, or a TICK to PT4M
          settings; settings.env FOLD_FIELDS=visits; deploy; 2; FOLD_FIELDS: expected nothing without FOLD, found 'visits'
          settings; settings.env FOLD_DOCUMENTS=pages/{page}; deploy; 2; FOLD_DOCUMENTS: expected nothing without FOLD, found 'pages/{page}'
          settings; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages; deploy; 2; FOLD_DOCUMENTS: expected documents' paths with a space between
          settings; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS={parent=**}/pages/{page}; deploy; 2; FOLD_DOCUMENTS: expected documents' paths
          settings; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page} posts/x{post}; deploy; 2; FOLD_DOCUMENTS: expected documents' paths
          settings; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=a/{x}/b/{x}; deploy; 2; FOLD_DOCUMENTS: expected variables that differ within a path
          settings; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page} rooms/{room}/rollups/{any}; deploy; 2; FOLD_DOCUMENTS: expected no collection of the functions, which rollups is
          settings; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=rollup_runs/{a}/live/{b}; deploy; 2; FOLD_DOCUMENTS: expected no collection of the functions, which rollup_runs is
          settings; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page}/_counter_shards_/{shard}; deploy; 2; FOLD_DOCUMENTS: expected no collection of the functions
          settings; settings.env RULES_VARIANTS=make; deploy; 2; RULES_VARIANTS: expected without FOLD some of once, down, list, more, with commas between, found 'make'
          settings; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page}\\nRULES_VARIANTS=once; deploy; 2; RULES_VARIANTS: expected with FOLD make, or nothing, found 'once'
          settings; settings.env RULES=own; deploy; 2; RULES_VALUES: expected with RULES=own the least and the most of count, such as 1..5, found none
          settings; settings.env RULES=own\\nRULES_VALUES=5..-1; deploy; 2; RULES_VALUES: expected the least before the most, found '5..-1'
          settings; settings.env RULES=own\\nRULES_VALUES=1..1234567890123456; deploy; 2; RULES_VALUES: expected two integers of at most 15 digits, such as 1..5, or nothing, found
          settings; settings.env RULES_NUM_SHARDS=n.s; deploy; 2; RULES_NUM_SHARDS: expected a field's name such as num_shards, found 'n.s'
          settings; settings.env RULES_NUM_SHARDS=n\\nTOTAL_FIELD=n.x; deploy; 2; TOTAL_FIELD: expected a field other than RULES_NUM_SHARDS, and none on the way to it, found 'n.x' and 'n'
          settings; settings.env RULES_VALUES=1..5; deploy; 2; RULES_VALUES: expected nothing without RULES=own and a COUNT_FIELD, found '1..5'
          settings; settings.env RULES=own\\nCOUNT_FIELD=\\nRULES_VALUES=1..5; deploy; 2; RULES_VALUES: expected nothing without RULES=own and a COUNT_FIELD
          settings; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page}\\nRULES=own; deploy; 2; RULES: expected plain with FOLD, found own
          settings; settings.env RULES=own\\nCOUNT_FIELD=; deploy --dry-run; 0; gcloud functions deploy
          rules; settings.env COUNT_FIELD=; rules; 2; COUNT_FIELD: expected a field's name with RULES=plain, found ''.
          rules; settings.env RULES=strict\\nCOUNT_FIELD=review.stars; rules; 2; COUNT_FIELD: expected a field's name with RULES=strict, found 'review.stars'.
          rules; settings.env RULES_VARIANTS=once; rules; 2; RULES_VARIANTS: expected RULES=strict for once, found plain
          rules; settings.env RULES=own\\nCOUNT_FIELD=\\nRULES_VARIANTS=once; rules; 2; RULES_VARIANTS: expected list or nothing with RULES=own, found 'once'
          rules; settings.env RULES=own\\nCOUNT_FIELD=\\nRULES_VARIANTS=list,down; rules; 2; RULES_VARIANTS: expected list or nothing with RULES=own, found 'list,down'
          rules; settings.env RULES=own\\nCOUNT_FIELD=\\nRULES_VARIANTS=more; rules; 2; RULES_VARIANTS: expected list or nothing with RULES=own, found 'more'
          rules; settings.env RULES=own\\nCOUNT_FIELD=\\nCOUNTERS={parent=**}/posts; rules; 2; RULES: expected plain for counters under any parent, found own.
          settings; settings.env HANDLER_CPU=.333\\nBILLING=instance; deploy; 2; HANDLER_CPU: expected 1 with BILLING=instance, found .333
          settings; settings.env HANDLER_CPU=.333; deploy --dry-run; 0; tallyroll-on-shard-written@p.iam.gserviceaccount.com --cpu=.333
          settings; settings.env WORKERS=many; deploy; 2; WORKERS: expected a number from 1 to 64, found 'many'
          settings; settings.env BILLING=free; deploy; 2; BILLING: expected request or instance
          options; x x; deploy --tick=PT1S; 2; found --tick
          options; x x; deploy --monitoring=me; 2; expected an e-mail address
          options; x x; deploy --artifact=no.jar; 2; --artifact: expected a file
          options; own.jar dev/tallyroll/fold/OnShardCreated.class; deploy; 2; --artifact: expected tallyroll.jar, with the class dev.tallyroll.functions.OnShardWritten, found another file
          options; settings.env FOLD=PT1S\\nFOLD_DOCUMENTS=pages/{page} && own.jar dev/tallyroll/functions/OnShardWritten.class; deploy; 2; --artifact: expected with FOLD tallyroll-fold.jar, with the class dev.tallyroll.fold.OnShardCreated, found another file
          options; x x; status --yes; 2; found --yes
          options; x x; destroy --indexes; 2; expected tallyroll as the answer
          no rights; fails *services enable*|99|PERMISSION_DENIED: Permission denied on resource; deploy; 1; PERMISSION_DENIED
          no rights; fails *pubsub topics create*|99|PERMISSION_DENIED: no; deploy; 1; goes on from there
          no network; fails *services enable*|99|Unable to find the server at serviceusage.googleapis.com; deploy; 1; Unable to find the server
          no network; fails *firestore indexes fields list*|99|500 INTERNAL; deploy; 1; 500 INTERNAL
          no network; warns regions were fully or partially unreachable for query: us-central1; deploy; 1; unreachable
          another region; warns regions were fully or partially unreachable for query: us-east1; deploy --dry-run; 0; gcloud functions deploy
          fact 4: error that stays; fails *functions deploy*|99|Validation failed for trigger x; deploy; 1; try 30 of 30
          fact 9: components; fails *alpha*|99|You do not currently have this command group; deploy --monitoring=a@b.c; 1; have this command group
          """)
  void whatIsInTheWay_endsItBeforeAnyFunction(
      String what, String given, String command, int code, String words) {
    project.given(given);

    assertThat(project.exits(code, command)).as(what).contains(words);

    assertThat(project.sleeps()).isEqualTo(words.equals("try 30 of 30") ? 29 : 0);
    assertThat(project.changes()).noneMatch(one -> one.contains("functions deploy"));
    if (code == 2) {
      assertThat(project.changes()).isEmpty();
    }
    if (given.matches("[^ ]*/.*")) {
      assertThat(project.exits(0, "destroy --yes --indexes")).doesNotContain(" delete ");
    }
  }

  @Test
  void danger1_forgottenSetting_isShownAndAsked_danger4_patternOfATrigger_doesNotChange() {
    project = Project.deployed("TICK=PT2S", "LEASE=PT6S", "COUNT_FIELD=Cnt");
    project.settings("COUNTERS=rooms/{room}/counters");
    assertThat(project.exits(2, "deploy --yes"))
        .contains("COUNTERS: expected the counters that are deployed, counters, found rooms/");
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
          POLLED; a/b; rooms/{room}/hot
          POLL; PT0.5S; PT2M
          SHARDS_COLLECTION; a/b; __x__
          ROLLUPS_COLLECTION; a/b; shards
          RUNS_COLLECTION; {x}; live
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
   * One function and one schedule. From a trigger to none, RollUp polls before the trigger goes.
   */
  @Test
  void withoutCounters_thereIsNoTrigger() {
    String[] minute = {"COUNTERS=", "POLLED=counters", "TICK=PT1M"};
    project = Project.deployed(minute);
    assertThat(project.lines("functions/tallyroll-roll-up"))
        .contains("COUNTERS=", "POLLED=counters", "TICK=PT1M");
    assertThat(project.things().keySet()).noneMatch(one -> one.contains("on-shard-written"));
    assertThat(project.things().toString()).doesNotContain("on-shard-written@");
    assertThat(project.exits(0, "status")).contains("No fault found.");
    Map<String, String> alone = project.things();

    project.settings();
    assertThat(project.exits(0, "deploy --yes")).contains("< COUNTERS=", "> COUNTERS=counters");
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
  void withoutCounters_theOthersStay() {
    project = Project.deployed("COUNTERS={parent=**}/counters");
    project.settings("COUNTERS=", "POLLED=counters");

    assertThat(project.exits(2, "deploy --yes"))
        .contains(
            "COUNTERS: expected the counters that are deployed, {parent=**}/counters, found"
                + " counters.",
            "Else destroy, and then deploy");
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
    assertThat(project.exits(2, "deploy")).contains("FOLD: expected it as the trigger was made");
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
          COUNTERS=posts; posts/a; 7; polled_counters/a; 7; true
          COUNTERS=posts; posts/\\"a; 7; posts/\\"a; 7; false
          COUNTERS=posts; posts/\\"a; 7; posts/\\"a; 8; true
          COUNTERS=posts; rooms/r/posts/a; 7; ; ; false
          COUNTERS=rooms/{room}/posts; rooms/r/posts/a; 7; ; ; true
          COUNTERS=rooms/{room}/posts; rooms/r/posts/a; 7; rooms/r/posts/a; 7; false
          COUNTERS=rooms/{room}/posts; rooms/r/s/t/posts/a; 7; ; ; false
          COUNTERS={parent=**}/posts; posts/a; 7; ; ; true
          COUNTERS={parent=**}/posts; rooms/r/s/t/posts/a; 7; ; ; true
          POLLED=posts; posts/a; 7; ; ; true
          POLLED=posts; rooms/r/posts/a; 7; ; ; false
          COUNTERS=rooms/{room}/posts POLLED=posts; posts/a; 7; ; ; true
          COUNTERS= POLLED=posts; posts/a; 7; ; ; true
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
    project.put(
        "answer-documents-polled_counters",
        document("polled_counters/h", "likes", "\"stringValue\": \"\""));

    assertThat(project.exits(0, "deploy --dry-run"))
        .contains("# 7 of 8 documents of counters hold")
        .contains("#   posts/p1: 1\n", "#   posts/p5: 5\n")
        .doesNotContain("posts/p6")
        .contains("start the counters from them first, by startAll", "to another field.");
    assertThat(project.exits(2, "deploy")).doesNotContain("gcloud iam");
    assertThat(project.changes()).isEmpty();
    assertThat(project.exits(0, "deploy --yes")).contains("# 7 of 8 documents of counters hold");
    assertThat(project.exits(0, "deploy")).doesNotContain("of the app's own");
    project.settings(settings[0], "TOTAL_FIELD=hearts");
    assertThat(project.exits(2, "deploy")).contains("7 of 8", "in hearts");
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
    project.settings("COUNTERS=posts", "POLLED=", "TOTAL_FIELD=likes", "NUMBER_FIELD=fans");
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
          POLLED=; count-counters 100000 && count-rollups 0; now 100000 and 0: up to 400000 reads, $0.12; , in 17 min (an estimate).
          POLLED= TOTAL_FIELD=likes; count-counters 100000 && count-rollups 100000; now 100000 and 100000: up to 500000 reads, $0.15; , in 34 min (an estimate).
          NUMBER_FIELD=likes; count-counters 5 && count-polled_counters 7; now 12 and 0: up to 60 reads; , $0.00, in 1 min (an estimate).
          COUNTERS= POLLED=counters SUM=documents; count-rollups 9; now 0 and 9: up to 36 reads, and one a shard,; $0.00, in
          COUNTERS=rooms/{room}/posts POLLED= ROLLUPS_COLLECTION=sums; count-posts 3 && count-sums 2; now 3 and 2: up to 12; , $0.00, in 1 min (an estimate).
          POLLED=; count-counters x; for 1,000 and their totals: up to 4000 reads; , $0.00, in 1 min (an estimate).
          POLLED=; count-counters 5 && count-rollups x; for 1,000 and their totals: up to 4000 reads; , $0.00, in 1 min (an estimate).
          POLLED=a/b/hot; count-hot x; for 1,000 and their totals: up to 4000 reads; , $0.00, in 1 min (an estimate).
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
    project.settings("COUNTERS=" + counters, "POLLED=");

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
