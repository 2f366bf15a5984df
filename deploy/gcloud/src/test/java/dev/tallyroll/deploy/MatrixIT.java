package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Foreign, edited, half-finished and repeated states: what a command says in each, and touches.
 *
 * <p>A row has what was done before, the command, its exit code, a part of its words, and a part of
 * each change that it makes, MORE for further ones; changes of the deployment's own document and
 * sweeps are left out.
 */
class MatrixIT {

  /** Things of somebody else under our names. */
  private static final String FOREIGN =
      """
      set job nightly-run name=x/nightly-run, description=Rebuilds the search | deploy NIGHTLY | 2 | the job nightly-run: expected one of nightly by its description, found 'Rebuilds the search'. It is somebody else's: take another --name
      set function nightly-roll-up name=AT/functions/nightly-roll-up | deploy NIGHTLY | 2 | the function nightly-roll-up: expected one of nightly by its label, found none
      set service nightly-roll-up metadata/name=nightly-roll-up | deploy NIGHTLY | 2 | the Cloud Run service nightly-roll-up: expected none
      set account x email=nightly-delivery@p.iam.gserviceaccount.com, description=CI | deploy NIGHTLY | 2 | take another --name
      set account x email=nightly-roll-up@p.iam.gserviceaccount.com, description=Tallyroll: other runs RollUp | deploy NIGHTLY | 2 | found 'Tallyroll: other runs RollUp'
      set topic rollup name=x/rollup | deploy | 2 | ROLLUP_TOPIC: expected a topic of tallyroll, found one without a label
      set topic rollup name=x/rollup | deploy | 2 | gcloud pubsub topics update rollup --update-labels=tallyroll=tallyroll --project=p
      set topic rollup name=x/rollup, labels/tallyroll=second | deploy | 2 | found one of second
      set exclusion tallyroll-request-logs name=tallyroll-request-logs, description=PII | deploy --exclude-request-logs | 2 | the log exclusion tallyroll-request-logs: expected one of tallyroll by its description, found 'PII'
      set topic tallyroll-dead-letters name=x/tallyroll-dead-letters | deploy | 2 | the topic tallyroll-dead-letters: expected one of tallyroll by its label, found none
      set subscription x name=projects/p/subscriptions/tallyroll-dead-letters, labels/tallyroll=x | deploy | 2 | the subscription tallyroll-dead-letters: expected one of tallyroll by its label, found 'x'
      set repository x name=AT/repositories/tallyroll-images, description=CI | deploy | 2 | the repository tallyroll-images: expected one of tallyroll by its description, found 'CI'
      doc rollup_runs/counters counters=x | deploy | 2 | RUNS_COLLECTION: expected no document of others at rollup_runs/counters
      run deploy & set function tallyroll-roll-up labels/tallyroll=theirs | deploy --yes | 2 | found 'theirs'
      run deploy & set job tallyroll-run description=ours now | deploy --yes | 2 | the job tallyroll-run
      run deploy & set function far name=projects/p/locations/europe-west1/functions/far, labels/tallyroll=tallyroll | deploy --yes | 2 | NAME: expected one that no other deployment of the project has
      set database (default) locationId=nam5 | deploy | 2 | TRIGGER_LOCATION: expected nam5, where the database is
      set database (default) type=DATASTORE_MODE | deploy | 2 | expected one in native mode, found DATASTORE_MODE
      set database (default) databaseEdition=ENTERPRISE | deploy | 2 | expected the Standard edition, found ENTERPRISE
      drop database | deploy | 2 | gcloud firestore databases create --database='(default)'
      drop database & drop api firestore.googleapis.com | deploy | 1 | gcloud firestore databases create | services enable firestore.googleapis.com
      set document x y=z & set function x name=x/x | status | 1 | WRONG: function tallyroll-roll-up: expected one, found none
      """;

  /** Another deployment in the database, and what lies where totals go. */
  private static final String NEIGHBOURS =
      """
      SECOND counters | deploy --counters=counters | 2 | COUNTERS: expected a path that no other deployment covers, found counters, and counters of second in us-central1
      SECOND counters | deploy --counters={parent=**}/counters | 2 | found {parent=**}/counters, and counters of second in us-central1
      SECOND {parent=**}/counters | deploy --counters=rooms/{room}/counters | 2 | found rooms/{room}/counters, and {parent=**}/counters of second
      SECOND rooms/{room}/counters | deploy --counters=rooms/{house}/counters | 2 | found rooms/{house}/counters, and rooms/{room}/counters of second
      SECOND rooms/lobby/counters | deploy --counters=rooms/{room}/counters | 2 | found rooms/{room}/counters, and rooms/lobby/counters of second
      SECOND polls | deploy | 0 | second (us-central1) counts polls in this database, too; both use: the ... the TTL policy on increment_names | MORE
      SECOND polls | deploy --counters={parent=**}/counters | 0 | counts polls in this database, too; both use: the ... the TTL policy on increment_names | MORE
      SECOND rooms/{room}/counters | deploy | 0 | counts rooms/{room}/counters in this database, too; both use: the ... the TTL policy on increment_names | MORE
      SECOND rooms/{room}/counters | deploy --counters=houses/{house}/counters | 0 | counts rooms/{room}/counters in this database, too; both use: the ... the TTL policy on increment_names | MORE
      SECOND rooms/lobby/counters | deploy --counters=rooms/garden/counters | 0 | counts rooms/lobby/counters in this database, too; both use: the ... the TTL policy on increment_names | MORE
      SECOND polls | deploy --shards-collection=rollups --rollups-collection=totals | 2 | SHARDS_COLLECTION: expected a name that is not another deployment's collection
      SECOND polls & set function second-roll-up VARIABLES/COUNTERS= | deploy | 2 | and a path that cannot be read of second
      SECOND polls & set function second-roll-up ELSEWHERE & set function second-on-shard-written ELSEWHERE | deploy | 0 | All is as | MORE
      SECOND polls & run deploy & doc rollups/likes counter=counters/likes & doc rollups/votes counter=polls/votes & doc rollups/2024-05 & doc rollups/views counter=strangers/views | deploy | 0 | # 2 of 4 documents in collections named rollups lie where a total would go ... remove them, or hand them over: set the field counter ... #   rollups/2024-05\\n#   rollups/views (marked strangers/views)\\n
      """;

  private static final String INDEXES =
      """
      doc tenants/t1/rollups/2024-05 | deploy | 2 | ROLLUPS_COLLECTION: expected only documents of counters in collections named rollups
      doc rollups/2024-05 | deploy | 2 | found 1 of others:\\n  rollups/2024-05\\n  Name another collection (--rollups-collection)
      doc rollups/likes counter=counters/likes & doc rollups/views counter=polls/views | deploy | 2 | found 1 of others:\\n  rollups/views (marked polls/views)\\n
      doc jobs/j1/increment_names/x | deploy | 2 | INCREMENTS_COLLECTION: expected only documents of counters
      doc disks/d1/shards/0 | deploy --sum=documents | 2 | SHARDS_COLLECTION: expected only documents of counters
      indexes shards.count 0 | deploy | 2 | found that somebody has exempted it
      indexes shards.count 3 | deploy --sum=documents | 2 | expected no index settings of others on shards.count, found 3
      indexes rollups.live_until 3 | deploy | 2 | expected no index settings of others on rollups.live_until, found 3
      indexes rollups.as_of 3 | deploy | 2 | expected no index settings of others on rollups.as_of, found 3
      indexes rollups.counter 3 | deploy | 2 | --clear-exemption
      indexes increment_names.expire_at 3 | deploy | 2 | found 3 indexes of its own
      ttl increment_names.until | deploy | 2 | found one on increment_names.until
      run deploy & doc tenants/t1/rollups/2024-05 | deploy | 0 | All is as it should be
      run deploy & doc rollups/2024-05 | deploy | 0 | 1 of 1 documents in collections named rollups lie where a total would go
      """;

  private static final String EDITED =
      """
      run deploy & set function tallyroll-on-shard-written serviceConfig/availableMemory=1Gi | deploy --yes | 0 | tallyroll-on-shard-written memory: expected 512Mi, found 1024Mi | deploy tallyroll-on
      run deploy & set function tallyroll-roll-up serviceConfig/availableCpu=333m | deploy | 0 | No differences
      run deploy & set function tallyroll-roll-up serviceConfig/ingressSettings=ALLOW_ALL | deploy --yes | 0 | found ALLOW_ALL: anyone on the internet can reach it | deploy tallyroll-roll-up
      run deploy & set function tallyroll-roll-up serviceConfig/ingressSettings=ALLOW_ALL | deploy | 2 | expected somebody at a terminal
      run deploy & set function tallyroll-roll-up serviceConfig/ingressSettings=ALLOW_ALL | status | 1 | WRONG: tallyroll-roll-up ingress-settings: expected ALLOW_INTERNAL_ONLY
      run deploy & set function tallyroll-on-shard-written eventTrigger/retryPolicy=RETRY_POLICY_DO_NOT_RETRY | deploy --yes | 0 | lost events would show | deploy tallyroll-on
      run deploy & set function tallyroll-roll-up VARIABLES/SLACK=PT9S | deploy --yes | 2 | SLACK: expected one value in both functions, found 'PT1S' and 'PT9S'; say which: --slack VALUE
      run deploy & set function tallyroll-roll-up VARIABLES/SLACK=PT9S | deploy --yes --slack=PT1S | 0 | tallyroll-roll-up SLACK: expected PT1S, found PT9S | deploy tallyroll-roll-up
      run deploy & set function tallyroll-roll-up VARIABLES/DEBUG=1 | deploy --yes | 0 | tallyroll-roll-up DEBUG: expected none, found 1 | deploy tallyroll-roll-up
      run deploy & set function tallyroll-roll-up VARIABLES/JAVA_TOOL_OPTIONS=-Xmx1g | deploy --yes | 0 | it may run out of memory | deploy tallyroll-roll-up
      run deploy & set function tallyroll-roll-up state=FAILED | deploy --yes | 0 | state: expected ACTIVE, found FAILED | deploy tallyroll-roll-up
      run deploy & set repository tallyroll-images cleanupPolicies/keep-two/mostRecentVersions/keepCount=9 | deploy --yes | 0 | images that are kept in tallyroll-images: expected 2, found 9 | set-cleanup-policies tallyroll-images
      run deploy & set function tallyroll-roll-up buildConfig/dockerRepository=AT/repositories/gcf-artifacts | deploy --yes | 0 | docker-repository: expected projects/p/locations/us-central1/repositories/tallyroll-images, found | deploy tallyroll-roll-up
      run deploy & set job tallyroll-run schedule=*/5 * * * * | deploy --yes | 0 | found */5 * * * * | jobs update pubsub tallyroll-run
      run deploy & set job tallyroll-run state=PAUSED | deploy | 1 | expected an ENABLED job, found PAUSED
      run deploy & bind tallyroll-roll-up|roles/run.invoker| allUsers | deploy | 1 | expected no public invoker, found allUsers
      run deploy & set subscription projects/p/subscriptions/eventarc-tallyroll-roll-up ackDeadlineSeconds=60 | deploy --yes | 0 | expected 600 s, found 60 s | subscriptions update
      run deploy & set subscription projects/p/subscriptions/eventarc-tallyroll-on-shard-written deadLetterPolicy/deadLetterTopic=x | deploy --yes | 0 | expected projects/p/topics/tallyroll-dead-letters, found x | subscriptions update projects/p/subscriptions/eventarc-tallyroll-on-shard-written --project=p --dead-letter-topic=tallyroll-dead-letters
      run deploy & drop subscription tallyroll-dead-letters | deploy | 0 | subscription tallyroll-dead-letters: expected one, found none | subscriptions create tallyroll-dead-letters
      run deploy & drop trigger tallyroll-roll-up | deploy | 1 | expected a subscription, found none
      run deploy & set account tallyroll-roll-up@p.iam.gserviceaccount.com disabled=true | deploy | 1 | is disabled
      """;

  private static final String OTHER_FLAGS =
      """
      run deploy | deploy | 0 | No differences
      run deploy --count-field=Cnt --rollups-collection=totals | deploy | 0 | as deployed: COUNT_FIELD=Cnt
      run deploy & type no | deploy --slack=PT2S | 2 | expected yes, found 'no'
      run deploy & type yes | deploy --slack=PT2S | 0 | All is as | SLACK=PT2S | SLACK=PT2S
      nothing | deploy --artifact=nothing | 2 | ARTIFACT: expected a folder with one jar, found 'nothing'; make it: mvn package
      run deploy | deploy --yes --roller-cpu=2 --roller-memory=1Gi | 0 | memory: expected 1024Mi, found 512Mi | --concurrency=80 --cpu=2
      run deploy --count-field=Cnt | deploy --reset=count-field | 2 | !!! TOTALS, COUNT_FIELD is to become count, and was Cnt
      run deploy --count-field=Cnt | deploy --reset count-field --yes | 0 | !!! TOTALS | deploy tallyroll-on | deploy tallyroll-roll-up
      run deploy --roller-cpu=1 --max-instances=7 --runtime=java25 | deploy | 0 | as deployed: ROLLER_CPU=1
      run deploy --roller-cpu=1 | deploy --yes --reset=roller-cpu | 0 | cpu: expected 0.333, found 1 | deploy tallyroll-roll-up
      run deploy --tick=PT2S --lease=PT10S | deploy --yes --tick=PT1S | 0 | IDLE_EXIT: expected PT1S | deploy tallyroll-on | deploy tallyroll-roll-up
      run deploy | deploy --yes --counters=rooms/{room}/counters | 2 | is not recreated, since that loses events
      run deploy | deploy --yes --runs-collection=turns | 2 | RUNS_COLLECTION: expected rollup_runs, which holds the live list
      run deploy | deploy --yes --rollup-topic=ticks | 0 | trigger-topic: expected ticks, found rollup | topics create ticks | topics add-iam | topics add-iam | deploy tallyroll-on | deploy tallyroll-roll-up | jobs update
      run deploy | deploy --exclude-request-logs | 0 | All is as | --add-exclusion=name=tallyroll-request-logs
      run deploy --exclude-request-logs | deploy | 0 | No differences
      run deploy --exclude-request-logs | deploy --yes --reset=exclude-request-logs | 0 | All is as | --remove-exclusions=tallyroll-request-logs
      run deploy --sum=documents | deploy --yes --sum=aggregate | 0 | it is being built; once more in 10 s | update count --project=p --collection-group=shards | deploy tallyroll-on | deploy tallyroll-roll-up
      run deploy --name=second --counters=polls --rollup-topic=second | deploy --sum=documents | 2 | SUM: expected aggregate as second has it, found documents
      nothing | deploy --project=example.com:p --dry-run | 0 | serviceAccount:tallyroll-delivery@p.example.com.iam.gserviceaccount.com
      deny :runQuery | canary | 1 | canary: this step failed: Reading the project ... needs roles/datastore.
      deny functions.list | deploy --dry-run | 0 | this look was left out, which needs roles/cloudfunctions.viewer: deny functions.list
      run deploy --sum=documents & BUILDING | deploy --yes --sum=aggregate | 1 | the index is still being built, and the functions are as they were | update count --project=p --collection-group=shards
      """;

  private static final String HALF_FINISHED =
      """
      run deploy & drop function tallyroll-roll-up | deploy | 2 | the Cloud Run service tallyroll-roll-up
      run deploy & drop function tallyroll-roll-up & drop service tallyroll-roll-up | deploy | 0 | function tallyroll-roll-up: expected one, found none | deploy tallyroll-roll-up | services add-iam-policy-binding tallyroll-roll-up | subscriptions update
      run deploy & drop job tallyroll-run | deploy | 0 | All is as | jobs create pubsub tallyroll-run
      run deploy & set job tallyroll-sweep name=x/tallyroll-sweep, description=Tallyroll: asks RollUp for a sweep | deploy --yes | 0 | job tallyroll-sweep: expected none | jobs delete tallyroll-sweep
      run deploy & set job tallyroll-sweep name=x/tallyroll-sweep, description=sweeps the floor | deploy | 0 | No differences
      run deploy & set job tallyroll-run pubsubTarget/attributes/sweep=90 | deploy --yes | 0 | attributes of tallyroll-run: expected kind=run,sweep=17, found kind=run,sweep=90 | jobs update pubsub tallyroll-run
      run deploy & unbind topic rollup|roles/pubsub.publisher| | deploy | 0 | All is as | topics add-iam-policy-binding | topics add-iam-policy-binding
      run deploy & drop account tallyroll-delivery@p.iam.gserviceaccount.com | deploy | 0 | All is as | service-accounts create tallyroll-delivery
      run deploy --count-field=Cnt & drop function & drop service | deploy | 0 | All is as | COUNT_FIELD=Cnt | COUNT_FIELD=Cnt | run services | run services | subscriptions | subscriptions | subscriptions | subscriptions
      run deploy --count-field=Cnt & drop function & drop service | deploy --count-field=Sum | 2 | !!! TOTALS, COUNT_FIELD is to become Sum, and was Cnt
      run deploy & LANES | deploy --yes | 0 | exemption of rollups.live_lane | deploy tallyroll-on | deploy tallyroll-roll-up | composite delete c1 | update live_lane
      run deploy --name=second --counters=polls --rollup-topic=second & run deploy & LANES & set function second-roll-up VARIABLES/LANES=16 | deploy --yes | 0 | All is as | deploy tallyroll-on | deploy tallyroll-roll-up
      drop api | deploy | 0 | All is as it should be | services enable artifactregistry | MORE
      far us-central1 | deploy | 1 | us-central1 could not be reached
      far asia-east1 | deploy | 0 | asia-east1 could not be reached | MORE
      drop api pubsub.googleapis.com & drop api run.googleapis.com & set job nightly-run name=x/nightly-run, description=x | deploy NIGHTLY | 2 | the job nightly-run
      """;

  private static final String DESTROYED =
      """
      run deploy | destroy --yes | 0 | left alone (no --indexes) | jobs delete | functions delete | functions delete | repositories delete tallyroll-images --project=p --location=us-central1 | subscriptions delete tallyroll-dead-letters | topics delete rollup | topics delete tallyroll-dead-letters | remove-iam | accounts delete | remove-iam | accounts delete | remove-iam | accounts delete
      run deploy --rollups-collection=totals | destroy --yes --rollups-collection=rollups | 2 | ROLLUPS_COLLECTION: expected 'totals', as deployed, found 'rollups'
      run deploy & ROLES & keep function tallyroll-on-shard-written & set function tallyroll-on-shard-written labels/tallyroll=theirs | destroy --yes | 1 | function tallyroll-on-shard-written: expected the mark of deploy, found none; it was left alone
      set job nightly-run name=x/nightly-run, description=Rebuilds the search | destroy --yes --name=nightly | 1 | job nightly-run: expected the mark of deploy
      set topic rollup name=x/rollup | destroy --yes | 1 | topic rollup: expected the mark of deploy
      run deploy --exclude-request-logs & ROLES & drop function | destroy --yes | 0 | All is as | --remove-exclusions=tallyroll-request-logs
      run deploy | destroy | 2 | Type the name, tallyroll, to remove it
      run deploy & letters 3 | destroy --dry-run | 0 | # 3 events could not be handled and go with tallyroll-dead-letters; replay
      nothing | replay | 2 | expected the subscription tallyroll-dead-letters of deploy, found none
      """;

  /** TOLD stands for --monitoring with an address. */
  private static final String MONITORED =
      """
      run deploy TOLD | deploy | 0 | No differences
      run deploy TOLD | status | 0 | All is as
      nothing | deploy --monitoring=me | 2 | --monitoring: expected an e-mail address, found 'me'
      nothing | deploy --reset=monitoring | 0 | All is as | MORE
      run deploy | deploy TOLD | 0 | alert policy tallyroll: settings differ: expected one, found none | channels create --project=p --display-name=tallyroll: alerts | metrics create tallyroll-lag-p50 | metrics create tallyroll-lag-p99 | MORE
      run deploy TOLD | deploy --yes --monitoring=you@x.org | 0 | alerts to: expected you@x.org, found me@x.org | channels update projects/p/channel/0 --project=p --update-channel-labels=email_address=you@x.org
      run deploy TOLD | deploy --yes --reset=monitoring | 0 | dashboard tallyroll: counters: expected none, found one | metrics delete tallyroll-bad-values | MORE
      run deploy TOLD & set metric tallyroll-live filter=x | deploy | 2 | expected somebody at a terminal
      run deploy TOLD & set metric tallyroll-live filter=x | deploy --yes | 0 | log metric tallyroll-live.filter: expected resource.type= | metrics update tallyroll-live
      run deploy TOLD & set policy projects/p/policy/0 combiner=AND | deploy --yes | 0 | combiner: expected OR, found AND | policies update projects/p/policy/0
      run deploy TOLD & set dashboard projects/p/dashboard/0 gridLayout/columns=3 | deploy --yes | 0 | columns: expected 2, found 3 | dashboards update projects/p/dashboard/0 --project=p --config=
      run deploy TOLD --max-instances=7 | deploy --yes --max-instances=9 | 0 | thresholdValue: expected 8, found 6 | deploy tallyroll-on | policies update projects/p/policy/11
      run deploy TOLD & drop policy projects/p/policy/3 | deploy | 0 | All is as | policies create
      run deploy TOLD & set policy x name=x, displayName=tallyroll: old, userLabels/tallyroll=tallyroll | deploy --yes | 0 | alert policy tallyroll: old: expected none | policies delete x
      run deploy TOLD & set policy x name=x, displayName=tallyroll: old, userLabels/tallyroll=second | deploy --yes | 0 | No differences
      run deploy TOLD & drop channel | deploy TOLD | 0 | who is told of tallyroll: settings differ | channels create | policies update projects/p/policy/0 | MORE
      run deploy TOLD & drop channel | deploy | 0 | No differences
      set metric tallyroll-live name=tallyroll-live, description=theirs | deploy TOLD | 2 | the log metric tallyroll-live: expected one of tallyroll by its description, found 'theirs'
      set policy x displayName=tallyroll: settings differ | deploy TOLD | 2 | the alert policy tallyroll: settings differ: expected one of tallyroll by its label, found none
      set dashboard x displayName=tallyroll: counters, labels/tallyroll=x | deploy TOLD | 2 | the dashboard tallyroll: counters: expected one of tallyroll by its label, found 'x'
      set metric tallyroll-live name=tallyroll-live, description=theirs | destroy --yes | 0 | All is as
      run deploy TOLD & ROLES & drop function & drop metric & drop policy | destroy --yes | 0 | All is as | dashboards delete | channels delete
      """;

  private static final List<String> KINDS =
      List.of("job", "topic", "account", "subscription", "service", "repository");

  static Stream<String> rows() {
    List<String> rows =
        Stream.of(
                FOREIGN,
                NEIGHBOURS,
                INDEXES,
                EDITED,
                OTHER_FLAGS,
                HALF_FINISHED,
                DESTROYED,
                MONITORED)
            .flatMap(String::lines)
            .toList();
    assertThat(rows).hasSizeGreaterThan(115);
    return rows.stream();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void state_isMetAsItShouldBe(String row) {
    String[] cells =
        row.strip()
            .replace("SECOND ", "run deploy --name=second --rollup-topic=second --counters=")
            .replace("TOLD", "--monitoring=me@x.org")
            .replace("ELSEWHERE", "VARIABLES/FIRESTORE_DATABASE=other, VARIABLES/COUNTERS=counters")
            .split(" \\| ", -1);
    FakeProject project = FakeProject.empty();
    for (String each : cells[0].split(" & ", -1)) {
      prepare(project, each);
    }
    project.changes.clear();
    String before = project.snapshot();
    String line = cells[1].replace("NIGHTLY", "--name=nightly --rollup-topic=nightly");

    String said = project.exits(Integer.parseInt(cells[2]), line);

    assertThat(said).contains(cells[3].replace("\\n", "\n").split(" \\.\\.\\. ", -1));
    List<String> touched =
        project.changes.stream()
            .filter(change -> !change.contains(":commit ") && !change.contains("topics publish"))
            .toList();
    boolean isMore = cells[cells.length - 1].equals("MORE");
    int expected = cells.length - 4 - (isMore ? 1 : 0);
    assertThat(touched.size() - expected).isBetween(0, isMore ? 99 : 0);
    for (int i = 0; i < expected; i++) {
      assertThat(touched.get(i)).contains(cells[i + 4]);
    }
    if (cells[2].equals("2")) {
      assertThat(project.changes).isEmpty();
      assertThat(project.snapshot()).isEqualTo(before);
    }
  }

  static void prepare(FakeProject project, String words) {
    String[] parts = words.split(" ", 4);
    switch (parts[0]) {
      case "run" -> project.exits(0, words.substring("run ".length()));
      case "set" -> project.set(parts[1], parts[2], parts[3]);
      case "doc" ->
          project.document(parts[1], parts.length > 2 ? parts[2].split("=", 2) : new String[0]);
      case "drop" ->
          project.all(parts[1]).keySet().removeIf(id -> parts.length < 3 || id.equals(parts[2]));
      case "keep" -> project.all(parts[1]).keySet().removeIf(id -> !id.equals(parts[2]));
      case "bind" ->
          project.policies.computeIfAbsent(parts[1], key -> new TreeSet<>()).add(parts[2]);
      case "unbind" -> project.policies.remove(words.substring("unbind ".length()));
      case "indexes" -> project.indexes(parts[1], Integer.parseInt(parts[2]));
      case "letters" -> project.letters = Integer.parseInt(parts[1]);
      case "waiting" -> project.waiting = Integer.parseInt(parts[1]);
      case "type" -> project.typed = Optional.of(parts[1]);
      case "far" -> project.unreachable = List.of(parts[1]);
      case "nothing" -> {}
      case "deny" -> project.fail(parts[1], CloudException.DENIED, words);
      case "ttl" -> project.ttl(parts[1]);
      case "ROLES" -> KINDS.forEach(kind -> project.all(kind).clear());
      case "LANES" -> lanes(project);
      case "BUILDING" ->
          project.answer(
              "fields describe", () -> Json.of("indexConfig", Json.of("reverting", true)));
      default -> throw new IllegalArgumentException(words);
    }
  }

  /** The state that the version before made: lanes, their index, and no document. */
  static void lanes(FakeProject project) {
    for (String who : Deployment.FUNCTIONS) {
      project.set("function", "tallyroll-" + who, "VARIABLES/LANES=16");
    }
    project.all("document").remove("rollup_runs/counters");
    project.indexes("rollups.live_lane", 0);
    List<JsonObject> fields =
        Stream.of("live_lane", "live_until", "__name__").map(f -> Json.of("fieldPath", f)).toList();
    String name = "projects/p/databases/(default)/collectionGroups/rollups/indexes/c1";
    project.put("composite", "c1", Json.of("name", name, "fields", Json.array(fields)));
  }
}
