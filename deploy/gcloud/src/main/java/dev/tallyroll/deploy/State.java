package dev.tallyroll.deploy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All things in a project that a deployment has, needs or would collide with. Each is read once, at
 * the first question. State reads lists, so that it can tell absence from an error.
 */
final class State {
  /** The APIs that a deployment needs, in the order in which they are turned on. */
  static final List<String> APIS =
      Stream.of(
              "artifactregistry cloudbuild cloudfunctions cloudscheduler eventarc firebaserules",
              "firestore iam logging monitoring pubsub run")
          .flatMap(line -> Stream.of(line.split(" ", -1)))
          .map(api -> api + ".googleapis.com")
          .toList();

  /** The place of the environment in a function's description. */
  static final String VARIABLES = "serviceConfig.environmentVariables.";

  /** The title of all questions about the project. */
  private static final String READING = "Reading the project";

  /** One page: enough to warn by, and cheap in a database of any size. */
  static final int MOST_DOCUMENTS = 300;

  private static final String LIVE_UNTIL = "found.fields.live_until.timestampValue";

  /** Measurements come some minutes late. */
  private static final Duration MEASURED = Duration.ofMinutes(10);

  /** A document of a collection group, and its mark, if any. */
  record Found(String path, String mark) {
    /** The path of the document that its collection is in, with a slash at its end. */
    String parent() {
      return path.replaceFirst("[^/]*/[^/]*$", "");
    }

    @Override
    public String toString() {
      return mark.isEmpty() ? path : path + " (marked " + mark + ")";
    }
  }

  private final Console console;
  private final Deployment ours;
  private final Map<String, JsonElement> answers;

  State(Console console, Deployment ours) {
    this(console, ours, new HashMap<>());
    console.title(READING);
  }

  private State(Console console, Deployment ours, Map<String, JsonElement> answers) {
    this.console = console;
    this.ours = ours;
    this.answers = answers;
  }

  /** The same project, for a deployment whose settings are known by now. */
  State of(Deployment deployment) {
    return new State(console, deployment, answers);
  }

  Set<String> apis() {
    JsonElement all = once(Step.words(ours, "services list --enabled"));
    return Json.objects(all, "").stream()
        .map(api -> Json.text(api, "config.name"))
        .collect(Collectors.toSet());
  }

  boolean has(String api) {
    return apis().contains(api + ".googleapis.com");
  }

  private JsonElement once(List<String> question) {
    return answers.computeIfAbsent(question.toString(), key -> console.ask(question).json());
  }

  /**
   * Asks gcloud. Where the API is off, the answer is empty: the project has nothing of that kind.
   */
  private JsonElement ask(String command, String... values) {
    List<String> words = Step.words(ours, command, values);
    String api = words.get(0).matches("alpha|beta") ? words.get(1) : words.get(0);
    return has(api.replace("scheduler", "cloudscheduler")) ? once(words) : new JsonArray();
  }

  JsonElement askHttp(String url, String body) {
    return has(Step.api(url))
        ? answers.computeIfAbsent(url + body, key -> console.askHttp(url, body))
        : new JsonArray();
  }

  /** The one of a list that has that value; null if there is none. */
  static @Nullable JsonObject one(List<JsonObject> list, String key, String value) {
    for (JsonObject one : list) {
      if (Json.text(one, key).equals(value)) {
        return one;
      }
    }
    return null;
  }

  private static Map<String, JsonObject> byId(JsonElement list, String key) {
    Map<String, JsonObject> map = new LinkedHashMap<>();
    Json.objects(list, "").forEach(one -> map.put(Json.id(Json.text(one, key)), one));
    return map;
  }

  /** All functions of the project. A region that did not answer may hold ours, or a neighbour's. */
  List<JsonObject> functions() {
    return has("cloudfunctions")
        ? Json.objects(answers.computeIfAbsent("functions", key -> readFunctions()), "")
        : List.of();
  }

  private JsonElement readFunctions() {
    List<String> question = Step.words(ours, "functions list");
    Cloud.Answer answer = console.ask(question);
    for (String far : answer.unreachable()) {
      if (far.equals(ours.region()) || far.equals(ours.place())) {
        throw new Console.Failure(
            Step.gcloud(READING, question),
            new CloudException(CloudException.UNAVAILABLE, far + " could not be reached"));
      }
      console.say(far + " could not be reached: functions there are not known");
    }
    return answer.json();
  }

  @Nullable JsonObject function(String who) {
    String place = "projects/" + ours.project() + "/locations/" + ours.region();
    return one(functions(), "name", place + "/functions/" + ours.named(who));
  }

  static String labelOf(@Nullable JsonObject thing) {
    return Json.text(thing, "labels.tallyroll");
  }

  static String regionOf(JsonObject function) {
    return Json.text(function, "name").replaceFirst(".*/locations/([^/]*)/.*", "$1");
  }

  Map<String, JsonObject> services() {
    return byId(ask("run services list --region=%", ours.region()), "metadata.name");
  }

  /** The accounts that may call a function. */
  List<String> invokers(String who) {
    String name = ours.named(who);
    String question = "run services get-iam-policy % --region=%";
    return services().containsKey(name)
        ? members(ask(question, name, ours.region()), "roles/run.invoker", "")
        : List.of();
  }

  Map<String, JsonObject> jobs() {
    return byId(ask("scheduler jobs list --location=%", ours.region()), "name");
  }

  Map<String, JsonObject> topics() {
    return byId(ask("pubsub topics list"), "name");
  }

  /** The accounts that may publish to a topic. */
  List<String> publishers(String topic) {
    return topics().containsKey(topic)
        ? members(ask("pubsub topics get-iam-policy %", topic), "roles/pubsub.publisher", "")
        : List.of();
  }

  /** The subscription of a function's trigger; empty if it cannot be found. */
  String subscription(String who) {
    String trigger = Json.text(function(who), "eventTrigger.trigger");
    List<JsonObject> triggers =
        Stream.of(ours.region(), ours.place())
            .distinct()
            .map(at -> ask("eventarc triggers list --location=%", at))
            .flatMap(list -> Json.objects(list, "").stream())
            .toList();
    return Json.text(one(triggers, "name", trigger), "transport.pubsub.subscription");
  }

  /** The repository of our images, or one of that name. gcloud's list takes an error for none. */
  @Nullable JsonObject images() {
    String url =
        "https://artifactregistry.googleapis.com/v1/projects/%s/locations/%s/repositories?pageSize=1000"
            .formatted(ours.project(), ours.region());
    return one(Json.objects(askHttp(url, ""), "repositories"), "name", ours.images());
  }

  /** A subscription, by its whole name or its id. */
  @Nullable JsonObject subscriptionNamed(String name) {
    String whole = "projects/" + ours.project() + "/subscriptions/" + Json.id(name);
    return one(Json.objects(ask("pubsub subscriptions list"), ""), "name", whole);
  }

  /** In seconds; 0 without a subscription. */
  int ackDeadline(String who) {
    JsonObject subscription = subscriptionNamed(subscription(who));
    return Integer.parseInt("0" + Json.text(subscription, "ackDeadlineSeconds"));
  }

  List<String> subscribers(String subscription) {
    String question = "pubsub subscriptions get-iam-policy %";
    return subscriptionNamed(subscription) == null
        ? List.of()
        : members(ask(question, subscription), "roles/pubsub.subscriber", "");
  }

  /** The account that carries dead letters from one topic to another: Pub/Sub itself. */
  String carrier() {
    JsonElement project = once(List.of("projects", "describe", ours.project()));
    String number = Json.text(project, "projectNumber");
    return "serviceAccount:service-%s@gcp-sa-pubsub.iam.gserviceaccount.com"
        .formatted(number.isEmpty() ? "PROJECT_NUMBER" : number);
  }

  Map<String, JsonObject> accounts() {
    return byId(ask("iam service-accounts list"), "email");
  }

  /** Whether an account has its role in the project. */
  boolean isBound(String who) {
    List<String> question = List.of("projects", "get-iam-policy", ours.project());
    return members(once(question), Deployment.roleOf(who), ours.conditionOf(who))
        .contains(ours.member(who));
  }

  private static List<String> members(JsonElement policy, String role, String expression) {
    return Json.objects(policy, "bindings").stream()
        .filter(one -> Json.text(one, "role").equals(role))
        .filter(one -> Json.text(one, "condition.expression").equals(expression))
        .flatMap(one -> Json.texts(one, "members").stream())
        .toList();
  }

  Map<String, JsonObject> exclusions() {
    JsonElement sinks = ask("logging sinks list");
    JsonObject sink = byId(sinks, "name").getOrDefault("_Default", new JsonObject());
    return byId(Json.array(Json.objects(sink, "exclusions")), "name");
  }

  Optional<JsonObject> database() {
    JsonElement all = ask("firestore databases list");
    return Optional.ofNullable(byId(all, "name").get(ours.database()));
  }

  private List<JsonObject> inDatabase(String kind) {
    String question = "firestore " + kind + " list --database=%";
    return database().isEmpty() ? List.of() : Json.objects(ask(question, ours.database()), "");
  }

  /** How many indexes GROUP.FIELD has; -1 if it has the default settings. */
  int indexes(String id) {
    for (JsonObject one : inDatabase("indexes fields")) {
      if (field(one).equals(id)) {
        return Json.objects(one, "indexConfig.indexes").size();
      }
    }
    return -1;
  }

  /** GROUP.FIELD of each TTL policy. */
  Set<String> ttls() {
    return inDatabase("fields ttls").stream().map(State::field).collect(Collectors.toSet());
  }

  private static String field(JsonObject field) {
    String name = Json.text(field, "name");
    return name.replaceFirst(".*/collectionGroups/([^/]*)/fields/", "$1.");
  }

  /** Ids of the composite indexes that an older version has made. */
  List<String> laneIndexes(String group) {
    return inDatabase("indexes composite").stream()
        .filter(one -> Json.text(one, "name").contains("/collectionGroups/" + group + "/"))
        .filter(one -> Json.text(one, "fields.0.fieldPath").equals("live_lane"))
        .map(one -> Json.id(Json.text(one, "name")))
        .toList();
  }

  /** All things of a kind, of all owners. */
  List<JsonObject> watching(Monitoring.Kind kind) {
    return Json.objects(ask(kind.command + " list"), "");
  }

  /** A measurement of a subscription, the last of some minutes; empty if nobody knows. */
  OptionalLong measured(String metric, String subscription, Instant now) {
    String type = "pubsub.googleapis.com/subscription/" + metric;
    String filter = Metrics.of("subscription_id", Json.id(subscription));
    String url = Metrics.url(ours.project(), type, filter, now.minus(MEASURED), now);
    return Json.objects(askHttp(url, ""), "timeSeries").stream()
        .map(series -> Json.objects(series, "points").get(0))
        .mapToLong(point -> (long) Double.parseDouble(Json.text(point, "value.int64Value")))
        .max();
  }

  /** How many events could not be handled and wait for replay; 0 if nobody knows. */
  long deadLetters() {
    return measured("num_undelivered_messages", ours.deadLetters(), document().readTime())
        .orElse(0);
  }

  /** The addresses for alerts; empty if there is none. */
  JsonObject channel() {
    List<JsonObject> all = Json.objects(ask("beta monitoring channels list"), "");
    JsonObject ours = one(all, "userLabels.tallyroll", this.ours.name());
    return ours == null ? new JsonObject() : ours;
  }

  static List<String> countQuestion(Deployment of) {
    return Step.words(
        of,
        "firestore indexes fields describe % --collection-group=% --database=% --format=json",
        of.get(Setting.COUNT_FIELD),
        of.get(Setting.SHARDS_COLLECTION),
        of.database());
  }

  boolean isCountIndexed() {
    return database().isEmpty() || isIndexed(once(countQuestion(ours)));
  }

  /** Is there an index, and is none being built? A field without settings has no answer. */
  static boolean isIndexed(JsonElement field) {
    List<JsonObject> indexes = Json.objects(field, "indexConfig.indexes");
    boolean byDefault = Json.text(field, "indexConfig.usesAncestorConfig").equals("true");
    boolean isThere = byDefault || !indexes.isEmpty() || !field.isJsonObject();
    return isThere
        && !Json.text(field, "indexConfig.reverting").equals("true")
        && indexes.stream()
            .noneMatch(one -> Json.text(one, "state").matches("CREATING|NEEDS_REPAIR"));
  }

  /** Documents by their paths, as they are now; a missing one is an answer and no error. */
  JsonElement readNow(List<String> paths) {
    List<String> names = paths.stream().map(path -> ours.documents() + "/" + path).toList();
    String body = Json.of("documents", Json.array(names)).toString();
    String url = DeploymentDocument.url(ours, "batchGet");
    return console.askHttp(url, body);
  }

  JsonElement documents(List<String> paths) {
    return database().isEmpty()
        ? new JsonArray()
        : answers.computeIfAbsent(paths.toString(), key -> readNow(paths));
  }

  DeploymentDocument document() {
    return DeploymentDocument.of(documents(List.of(ours.document())), ours);
  }

  /** A page of the documents in all collections of a name, wherever they are. */
  List<Found> page(Setting group) {
    String query =
        """
        {"structuredQuery":{"select":{"fields":[{"fieldPath":"counter"}]},"limit":%d,\
        "from":[{"collectionId":"%s","allDescendants":true}]}}"""
            .formatted(MOST_DOCUMENTS, ours.get(group));
    String url = DeploymentDocument.url(ours, "runQuery");
    return Json.objects(askHttp(url, query), "").stream()
        .filter(one -> one.has("document"))
        .map(
            one ->
                new Found(
                    Json.text(one, "document.name").substring(ours.documents().length() + 1),
                    Json.text(one, "document.fields.counter.stringValue")))
        .toList();
  }

  /**
   * How many counters are live; empty if there is no answer. Firestore counts the entries of the
   * live list, whose names begin with a digit or a letter up to f.
   */
  String live() {
    String query =
        """
        {"structuredAggregationQuery":{"structuredQuery":%s,"aggregations":[{"alias":"live","count":{}}]}}"""
            .formatted(liveList(ours, "g", ""));
    String url = DeploymentDocument.url(ours, "runAggregationQuery");
    return Json.text(askHttp(url, query), "0.result.aggregateFields.live.integerValue");
  }

  /** For how long the oldest lease has ended, of some live counters; empty if none has. */
  Optional<Duration> oldestLease() {
    String limit = ",\"limit\":" + MOST_DOCUMENTS;
    String query = "{\"structuredQuery\":" + liveList(ours, "g", limit) + "}";
    List<JsonObject> entries =
        Json.objects(askHttp(DeploymentDocument.url(ours, "runQuery"), query), "");
    List<String> rollups =
        entries.stream()
            .map(entry -> Json.text(entry, "document.fields.counter.stringValue"))
            .filter(counter -> counter.contains("/"))
            .map(this::rollupOf)
            .toList();
    return rollups.isEmpty()
        ? Optional.empty()
        : Json.objects(readNow(rollups), "").stream()
            .filter(one -> !Json.text(one, LIVE_UNTIL).isEmpty())
            .map(
                one ->
                    Duration.between(
                        Instant.parse(Json.text(one, LIVE_UNTIL)),
                        Instant.parse(Json.text(one, "readTime"))))
            .filter(late -> !late.isNegative())
            .max(Comparator.naturalOrder());
  }

  private String rollupOf(String counter) {
    String id = Json.id(counter);
    String collection = counter.substring(0, counter.length() - id.length() - 1);
    return ours.rollupsBeside(collection) + "/" + id;
  }

  /**
   * The query for a live list, up to a name. It compares names: a URL could not name the list,
   * since a colon of an id would begin a method.
   */
  static String liveList(Deployment of, String end, String more) {
    return """
        {"from":[{"collectionId":"live","allDescendants":true}],\
        "where":{"compositeFilter":{"op":"AND","filters":[%s,%s]}}%s}"""
        .formatted(named("GREATER_THAN_OR_EQUAL", of, "0"), named("LESS_THAN", of, end), more);
  }

  /** A comparison of names, which are compared part by part. */
  private static String named(String op, Deployment of, String entry) {
    return """
        {"fieldFilter":{"field":{"fieldPath":"__name__"},"op":"%s","value":{"referenceValue":"%s/%s/live/%s"}}}"""
        .formatted(op, of.documents(), of.document(), entry);
  }

  /** The name of the rule set that holds. */
  Optional<String> ruleset() {
    String url = RulesText.releases(ours) + "?pageSize=100";
    List<JsonObject> releases = Json.objects(askHttp(url, ""), "releases");
    return Optional.ofNullable(one(releases, "name", RulesText.release(ours)))
        .map(one -> Json.text(one, "rulesetName"));
  }

  String rulesText() {
    return ruleset()
        .map(name -> askHttp(RulesText.API + name, ""))
        .map(ruleset -> Json.objects(ruleset, "source.files"))
        .orElse(List.of())
        .stream()
        .map(file -> Json.text(file, "content"))
        .collect(Collectors.joining());
  }
}
