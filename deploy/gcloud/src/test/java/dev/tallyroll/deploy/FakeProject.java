package dev.tallyroll.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A project in memory that answers as gcloud and the REST APIs do, keeps what is made, and records
 * each call. A test may prepare anything in it, and script failures. Not thread-safe.
 */
final class FakeProject implements Cloud, Console.Surroundings {
  private static final String DATABASE = "projects/p/databases/(default)/";
  private static final String DOCUMENTS = DATABASE + "documents/";

  private static final String CANARY = "tallyroll_canary_";

  /** A command: its kind of thing, its verb, and the id. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "(.*?) (list|read|describe|create|deploy|update|delete|enable|publish|pull|ack|set-cleanup-policies|pause|resume|run|[a-z]+-iam-policy\\S*)"
              + "( pubsub)?( (?!--)(\\S+))?.*",
          Pattern.DOTALL);

  /** The kinds of things, by what gcloud calls them. */
  private static final Map<String, String> KINDS =
      pairs(
          "services=api,functions=function,run services=service,scheduler jobs=job,pubsub topics=topic,"
              + "pubsub subscriptions=subscription,iam service-accounts=account,eventarc triggers=trigger,"
              + "logging=line,logging sinks=exclusion,firestore databases=database,"
              + "logging metrics=metric,artifacts repositories=repository,alpha monitoring policies=policy,monitoring dashboards=dashboard,"
              + "beta monitoring channels=channel,firestore indexes composite=composite,firestore indexes fields=field,firestore fields ttls=ttl");

  /**
   * Things that commands make: $ stands before the id or an option's text, % before an option's
   * pairs.
   */
  private static final String ACCOUNT =
      """
      {"email":"$id@p.iam.gserviceaccount.com","description":"$description"}""";

  private static final String TOPIC =
      """
      {"name":"projects/p/topics/$id","labels":%labels}""";

  private static final String REPOSITORY =
      """
      {"name":"projects/p/locations/us-central1/repositories/$id","description":"$description"}""";

  private static final String JOB =
      """
      {"name":"x/jobs/$id","description":"$description","schedule":"$schedule","timeZone":"$time-zone","state":"ENABLED",
      "pubsubTarget":{"topicName":"projects/p/topics/$topic","attributes":%attributes}}""";

  /** As the functions API answers; EVENT is what its trigger watches. */
  private static final String FUNCTION =
      """
      {"name":"projects/p/locations/$region/functions/$id","state":"ACTIVE","labels":%labels,"updateTime":"NOW",
      "buildConfig":{"runtime":"$runtime","entryPoint":"$entry-point","dockerRepository":"$docker-repository","serviceAccount":"$build-service-account"},
      "serviceConfig":{"availableCpu":"$cpu","availableMemory":"$memory","timeoutSeconds":"$timeout",
      "maxInstanceCount":$max-instances,"maxInstanceRequestConcurrency":$concurrency,"ingressSettings":"ALLOW_INTERNAL_ONLY",
      "serviceAccountEmail":"$service-account","environmentVariables":%env-vars},
      "eventTrigger":{"trigger":"x/triggers/$id","retryPolicy":"RETRY_POLICY_$retry",
      "serviceAccountEmail":"$trigger-service-account",EVENT}}""";

  private static final String MESSAGES =
      """
      "eventType":"google.cloud.pubsub.topic.v1.messagePublished","pubsubTopic":"projects/p/topics/$trigger-topic\"""";

  private static final String WRITES =
      """
      "eventType":"google.cloud.firestore.document.v1.written","triggerRegion":"$trigger-location","eventFilters":[
      {"attribute":"database","value":"$database"},{"attribute":"document","value":"$document"}]""";

  /** All that there is, by its kind and its id. */
  final Map<String, Map<String, JsonObject>> things = new TreeMap<>();

  /** The members of each role, by THING|ROLE|CONDITION. */
  final Map<String, Set<String>> policies = new TreeMap<>();

  final List<String> calls = new ArrayList<>();
  final List<List<String>> commands = new ArrayList<>();
  final List<String> changes = new ArrayList<>();
  final Path folder = Shell.newFolder();
  Optional<String> typed = Optional.empty();
  List<String> unreachable = List.of();
  int live;
  int waiting;
  int letters;
  Runnable afterPause = () -> {};
  Instant now = Instant.parse("2026-01-01T00:00:00Z");

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final Map<Pattern, Supplier<JsonElement>> answers = new LinkedHashMap<>();

  /** How many changes succeed before the one that fails; and its failure. */
  int failing = -1;

  RuntimeException failure = new CloudException("UNAVAILABLE", "out of order");

  /** A project with all APIs and a database, and something to deploy. */
  static FakeProject empty() {
    FakeProject project = new FakeProject();
    State.APIS.forEach(api -> project.set("api", api, "config/name=" + api));
    String place = "databaseEdition=STANDARD, locationId=us-central1";
    String name = "name=projects/p/databases/(default), type=FIRESTORE_NATIVE, ";
    project.set("database", "(default)", name + place);
    project.write("artifact/tallyroll.jar", "a jar");
    project.write("artifact/libs/other.jar", "another jar");
    return project;
  }

  /** The same with a deployment, without rules. */
  static FakeProject deployed(String options) {
    FakeProject project = empty();
    project.exits(0, "deploy " + options);
    project.calls.clear();
    project.changes.clear();
    return project;
  }

  void write(String name, String text) {
    try {
      Files.createDirectories(folder.resolve(name).getParent());
      Files.writeString(folder.resolve(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Map<String, JsonObject> all(String kind) {
    return things.computeIfAbsent(kind, one -> new TreeMap<>());
  }

  JsonObject get(String kind, String id) {
    return all(kind).getOrDefault(id, new JsonObject());
  }

  void put(String kind, String id, JsonObject thing) {
    all(kind).put(id, thing);
  }

  /** Writes a document of somebody, with texts as its fields. */
  void document(String path, String... fields) {
    JsonObject all = new JsonObject();
    for (int i = 0; i < fields.length; i += 2) {
      all.add(fields[i], Json.of("stringValue", fields[i + 1]));
    }
    store(path, all, tick());
  }

  private void store(String path, JsonObject fields, Object time) {
    put("document", path, Json.of("name", DOCUMENTS + path, "fields", fields, "updateTime", time));
  }

  /** Sets values of a thing, which need not be there: PATH/OF/KEYS=VALUE, PATH=VALUE. */
  void set(String kind, String id, String values) {
    for (String each : values.split(", ", -1)) {
      String[] pair = each.split("=", 2);
      List<String> keys =
          List.of(
              pair[0].replace("VARIABLES", "serviceConfig/environmentVariables").split("/", -1));
      JsonObject at = all(kind).computeIfAbsent(id, key -> new JsonObject());
      for (String key : keys.subList(0, keys.size() - 1)) {
        at.asMap().putIfAbsent(key, new JsonObject());
        at = at.getAsJsonObject(key);
      }
      String value = pair[1].replace("AT/", "projects/p/locations/us-central1/");
      at.addProperty(keys.get(keys.size() - 1), value);
    }
  }

  /** Scripts the answer to every call that has these words, before all others. */
  void answer(String words, Supplier<JsonElement> answer) {
    answers.put(Pattern.compile(words), answer);
  }

  void fail(String words, String status, String message) {
    answer(
        words,
        () -> {
          throw status.isEmpty() ? CloudException.of(message) : new CloudException(status, message);
        });
  }

  /** Runs a command, which has to end like that; returns what it says. */
  String exits(int code, String line) {
    return exits(code, line, "/stage" + line.replaceFirst(".*--(name=\\w+).*|.*", "$1"));
  }

  String exits(int code, String line, String stage) {
    assertThat(run(line, stage)).as("%s", said()).isEqualTo(code);
    return said();
  }

  /** Runs a command; the files of this project are told to deploy. */
  int run(String line, String stage) {
    said.reset();
    List<String> words = new ArrayList<>(List.of(line.strip().split(" +", -1)));
    words.addAll(1, List.of("--project=p", "--region=us-central1"));
    if (words.get(0).matches("deploy|canary")) {
      words.add(1, "--artifact=" + folder + "/artifact");
    }
    if (words.get(0).equals("deploy")) {
      words.add(1, "--stage=" + folder + stage);
    }
    return Main.run(
        words.get(0), words.subList(1, words.size()), one -> this, this, Shell.ROOT, folder);
  }

  /** Everything but times. A repeated run must not change it. */
  String snapshot() {
    things.values().removeIf(Map::isEmpty);
    Map<String, Map<String, JsonObject>> lasting = new TreeMap<>(things);
    lasting.remove("building");
    // A rule set that was made and not released has no effect.
    lasting.remove("ruleset");
    String text = lasting + " " + policies;
    return text.replaceAll("\"updateTime\":\"[^\"]*\"|rulesets/r\\d", "");
  }

  String said() {
    return said.toString(UTF_8);
  }

  @Override
  public PrintStream out() {
    return new PrintStream(said, true, UTF_8);
  }

  @Override
  public Optional<String> ask(String question) {
    out().print(question);
    return typed;
  }

  @Override
  public void pause(Duration time) {
    now = now.plus(time);
    afterPause.run();
  }

  private String tick() {
    now = now.plusMillis(1);
    return now.toString();
  }

  @Override
  public Answer gcloud(List<String> words) {
    String line = String.join(" ", words);
    calls.add("gcloud " + line);
    commands.add(words);
    JsonElement scripted = scripted(line);
    if (scripted != null) {
      return new Answer(scripted, List.of());
    }
    if (line.equals("auth print-access-token")) {
      return new Answer(Json.of("text", "token-of-nobody"), List.of());
    }
    Matcher command = COMMAND.matcher(line);
    assertThat(command.matches()).as(line).isTrue();
    String kind = KINDS.getOrDefault(command.group(1), command.group(1));
    String id = command.group(5) == null ? "" : command.group(5);
    String verb = command.group(2);
    List<String> far = kind.equals("function") && verb.equals("list") ? unreachable : List.of();
    return new Answer(answer(words, verb, kind, id), far);
  }

  private JsonElement answer(List<String> words, String verb, String kind, String id) {
    // The policy of a function's service goes by its name alone.
    String policy = kind.equals("topic") ? "topic " + id : kind.equals("projects") ? "project" : id;
    return switch (verb) {
      case "read" -> log(String.join(" ", words));
      case "list" ->
          kind.equals("exclusion")
              ? Json.array(List.of(Json.of("name", "_Default", "exclusions", list(kind))))
              : list(kind);
      case "pull" -> {
        JsonElement pulled = list("letter");
        all("letter").clear();
        yield pulled;
      }
      case "describe" ->
          kind.equals("projects")
              ? Json.of("projectNumber", "123")
              : count(option(words, "collection-group") + "." + id);
      case "get-iam-policy" -> policy(policy);
      default -> {
        change("gcloud " + String.join(" ", words));
        yield changed(words, verb, kind, id, policy);
      }
    };
  }

  private JsonObject changed(
      List<String> words, String verb, String kind, String id, String policy) {
    switch (verb) {
      case "add-iam-policy-binding", "remove-iam-policy-binding" ->
          bind(policy, words, verb.startsWith("add"));
      case "enable" ->
          words.stream()
              .filter(word -> word.endsWith(".googleapis.com"))
              .forEach(api -> set("api", api, "config/name=" + api));
      case "delete" -> {
        all(kind).remove(id);
        all(kind.equals("function") ? "service" : kind).remove(id);
      }
      case "set-cleanup-policies" ->
          set(
              kind,
              id,
              "cleanupPolicies/keep-two/mostRecentVersions/keepCount=2, cleanupPolicies/delete-others/action=DELETE");
      case "create", "deploy", "update" -> {
        String named = id.isEmpty() ? freeName(kind) : id;
        make(words, kind, named);
        return get(kind, named);
      }
      case "pause" -> set(kind, id, "state=PAUSED");
      case "resume" -> set(kind, id, "state=ENABLED");
      default -> assertThat(verb).matches("publish|ack|run");
    }
    return new JsonObject();
  }

  private void make(List<String> words, String kind, String id) {
    String field = option(words, "collection-group") + "." + id;
    switch (kind) {
      case "account" -> put(kind, id + "@p.iam.gserviceaccount.com", filled(words, id, ACCOUNT));
      case "topic" -> put(kind, id, filled(words, id, TOPIC));
      case "repository" -> put(kind, id, filled(words, id, REPOSITORY));
      case "job" -> put(kind, id, filled(words, id, JOB));
      case "subscription" -> {
        set(kind, id, "name=projects/p/subscriptions/" + Json.id(id));
        setGiven(words, "labels", kind, id, "labels/");
        setGiven(words, "ack-deadline", kind, id, "ackDeadlineSeconds=");
        String topic = "deadLetterPolicy/deadLetterTopic=projects/p/topics/";
        setGiven(words, "dead-letter-topic", kind, id, topic);
      }
      case "function" -> function(words, id);
      case "exclusion" -> {
        all(kind).remove(option(words, "remove-exclusions"));
        JsonObject exclusion = filled(words, id, "%exclusion");
        if (exclusion.has("name")) {
          put(kind, Json.text(exclusion, "name"), exclusion);
        }
      }
      case "metric", "policy", "dashboard" -> watching(words, kind, id);
      case "channel" -> {
        set(kind, id, "name=" + id);
        setGiven(words, "channel-labels", kind, id, "labels/");
        setGiven(words, "user-labels", kind, id, "userLabels/");
      }
      case "field" -> {
        all(kind).remove(field);
        if (words.contains("--disable-indexes")) {
          indexes(field, 0);
        } else {
          put("building", field, fieldWith(field, List.of("CREATING")));
        }
      }
      case "ttl" -> {
        all(kind).remove(field);
        if (words.contains("--enable-ttl")) {
          ttl(field);
        }
      }
      default -> throw new IllegalStateException("the fake knows no: " + words);
    }
  }

  /** Sets the value of an option, if the command has it. */
  private void setGiven(List<String> words, String option, String kind, String id, String path) {
    String value = option(words, option);
    if (!value.isEmpty()) {
      set(kind, id, path + value);
    }
  }

  private String freeName(String kind) {
    return Stream.iterate(0, n -> n + 1)
        .map(n -> "projects/p/" + kind + "/" + n)
        .filter(name -> !all(kind).containsKey(name))
        .findFirst()
        .orElseThrow();
  }

  /** Makes a thing from the given file or text; the platform adds a version of its own. */
  private void watching(List<String> words, String kind, String id) {
    String file = option(words, "(config|policy)-from-file");
    String text = file.isEmpty() ? option(words, "config") : Shell.read(Path.of(file));
    JsonObject thing = JsonParser.parseString(text).getAsJsonObject();
    thing.addProperty("name", id);
    thing.addProperty("etag", "e" + text.hashCode());
    String channels = option(words, "notification-channels");
    if (!channels.isEmpty()) {
      thing.add("notificationChannels", Json.array(List.of(channels.split(",", -1))));
    }
    put(kind, id, thing);
  }

  private @Nullable JsonElement scripted(String line) {
    for (Map.Entry<Pattern, Supplier<JsonElement>> answer : answers.entrySet()) {
      if (answer.getKey().matcher(line).find()) {
        return answer.getValue().get();
      }
    }
    return null;
  }

  private void change(String call) {
    if (failing == 0) {
      failing--;
      throw failure;
    }
    failing--;
    changes.add(call);
  }

  private JsonElement list(String kind) {
    return Json.array(List.copyOf(all(kind).values()));
  }

  /** The lines whose message the filter names; all with a severity, if the filter asks for one. */
  private JsonElement log(String filter) {
    return Json.array(
        all("line").values().stream()
            .filter(
                line ->
                    filter.contains("\"" + Json.text(line, "jsonPayload.message") + "\"")
                        || (filter.contains("severity>=") && line.has("severity")))
            .toList());
  }

  /** An index in the making is ready at the second look. */
  private JsonElement count(String id) {
    JsonObject building = all("building").remove(id);
    if (building != null) {
      return building;
    }
    return all("field").containsKey(id)
        ? get("field", id)
        : Json.of("indexConfig", Json.of("usesAncestorConfig", true));
  }

  private JsonElement policy(String of) {
    List<JsonObject> bindings = new ArrayList<>();
    policies.forEach(
        (key, members) -> {
          String[] parts = key.split("\\|", -1);
          if (parts[0].equals(of)) {
            JsonArray all = Json.array(List.copyOf(members));
            JsonObject condition = Json.of("expression", parts[2]);
            bindings.add(Json.of("role", parts[1], "members", all, "condition", condition));
          }
        });
    return Json.of("bindings", Json.array(bindings));
  }

  /** The text of an option, which also may be an add-, set- or update- option. */
  private static String option(List<String> words, String name) {
    Pattern option = Pattern.compile("--((add|set|update)-)?" + name + "=");
    return words.stream()
        .filter(word -> option.matcher(word).lookingAt())
        .map(word -> option.matcher(word).replaceFirst(""))
        .findFirst()
        .orElse("");
  }

  private void bind(String of, List<String> words, boolean add) {
    String condition = option(words, "condition").replaceAll("^(None|expression=)|,title=.*", "");
    Set<String> members =
        policies.computeIfAbsent(
            of + "|" + option(words, "role") + "|" + condition, key -> new TreeSet<>());
    if (add) {
      members.add(option(words, "member"));
    } else {
      members.remove(option(words, "member"));
    }
    policies.values().removeIf(Set::isEmpty);
  }

  private static JsonObject filled(List<String> words, String id, String template) {
    String json =
        Pattern.compile("([$%])([a-z-]+)")
            .matcher(template.replace("$id", id))
            .replaceAll(
                found -> {
                  String text = option(words, found.group(2));
                  boolean isText = found.group(1).equals("$");
                  return Matcher.quoteReplacement(isText ? text : new Gson().toJson(pairs(text)));
                });
    return JsonParser.parseString(json).getAsJsonObject();
  }

  /** Reads KEY=VALUE,KEY=VALUE. */
  private static Map<String, String> pairs(String text) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String one : text.split(",(?=[A-Za-z_ -]+=)", -1)) {
      pairs.put(one.replaceFirst("(?s)=.*", ""), one.substring(one.indexOf('=') + 1));
    }
    return pairs;
  }

  /** A field whose settings are not as by default: it has so many indexes. */
  void indexes(String id, int indexes) {
    put("field", id, fieldWith(id, Collections.nCopies(indexes, "READY")));
  }

  private static JsonObject fieldWith(String id, List<String> states) {
    List<JsonObject> indexes = states.stream().map(state -> Json.of("state", state)).toList();
    return Json.of("name", fieldName(id), "indexConfig", Json.of("indexes", Json.array(indexes)));
  }

  private static String fieldName(String id) {
    return DATABASE + "collectionGroups/" + id.replace(".", "/fields/");
  }

  void ttl(String id) {
    put("ttl", id, Json.of("name", fieldName(id), "ttlConfig", Json.of("state", "ACTIVE")));
  }

  /** With the trigger and the subscription that Eventarc makes. */
  private void function(List<String> words, String id) {
    String document = option(words, "trigger-event-filters-path-pattern");
    List<String> all = new ArrayList<>(words);
    all.replaceAll(word -> word.replaceFirst("^--timeout=(\\d+)s$", "--timeout=$1"));
    all.replaceAll(
        word -> word.replaceFirst("^--trigger-event-filters.*=(database|document)=", "--$1="));
    all.add("--retry=" + (words.contains("--retry") ? "RETRY" : "DO_NOT_RETRY"));
    String template =
        FUNCTION
            .replace("NOW", now.toString())
            .replace("EVENT", document.isEmpty() ? MESSAGES : WRITES);
    put("function", id, filled(all, id, template));
    set("service", id, "metadata/name=" + id);
    String subscription = "projects/p/subscriptions/eventarc-" + id;
    set("trigger", id, "name=x/triggers/" + id + ", transport/pubsub/subscription=" + subscription);
    if (!all("subscription").containsKey(subscription)) {
      set("subscription", subscription, "name=" + subscription + ", ackDeadlineSeconds=10");
    }
  }

  @Override
  public JsonElement http(String method, String url, String body) {
    calls.add(method + " " + url + " " + body);
    JsonElement scripted = scripted(method + " " + url + " " + body);
    if (scripted != null) {
      return scripted;
    }
    JsonElement json = body.isEmpty() ? new JsonObject() : JsonParser.parseString(body);
    if (url.contains("artifactregistry")) {
      return Json.of("repositories", list("repository"));
    }
    if (url.contains("monitoring")) {
      return series("", "int64Value", url.contains("num_undelivered") ? letters : waiting);
    }
    if (url.contains("firebaserules")) {
      return rules(method, url, json);
    }
    return switch (url.substring(url.lastIndexOf(':') + 1)) {
      case "batchGet" -> documents(json);
      case "runQuery" -> query(json);
      case "runAggregationQuery" ->
          JsonParser.parseString(
              "[{'result':{'aggregateFields':{'live':{'integerValue':'" + live + "'}}}}]");
      case "commit" -> commit(method + " " + url + " " + body, json);
      default -> throw new IllegalStateException("the fake knows no: " + url);
    };
  }

  /** A metric with one series of one point; other fields of the series end with a comma. */
  static JsonElement series(String others, String type, Number value) {
    return JsonParser.parseString(
        "{'timeSeries':[{%s'points':[{'value':{'%s':'%s'}}]}]}".formatted(others, type, value));
  }

  /** Behaves like the rules, without reading them: it takes one write in a commit. */
  @Override
  public JsonElement asAnybody(String url, String body) {
    calls.add("CLIENT " + url + " " + body);
    JsonElement scripted = scripted("CLIENT " + url + " " + body);
    if (scripted != null) {
      return scripted;
    }
    JsonElement json = JsonParser.parseString(body);
    if (all("release").isEmpty() || Json.objects(json, "writes").size() > 1) {
      throw new CloudException("PERMISSION_DENIED", "403 Missing or insufficient permissions.");
    }
    return commit("CLIENT " + url + " " + body, json);
  }

  private JsonElement rules(String method, String url, JsonElement json) {
    if (method.equals("GET")) {
      return url.contains("/releases")
          ? Json.of("releases", list("release"))
          : get("ruleset", Json.id(url));
    }
    change(method + " " + url);
    if (method.equals("DELETE")) {
      all("release").remove(url.substring(RulesText.API.length()));
      all("ruleset").remove(Json.id(url));
      return new JsonObject();
    }
    if (url.endsWith("/rulesets")) {
      String id = "r" + (all("ruleset").size() + 1);
      put("ruleset", id, json.getAsJsonObject());
      return Json.of("name", "projects/p/rulesets/" + id);
    }
    JsonObject release = json.getAsJsonObject();
    release = method.equals("PATCH") ? release.getAsJsonObject("release") : release;
    put("release", Json.text(release, "name"), release);
    return release;
  }

  private JsonElement documents(JsonElement json) {
    List<JsonObject> found = new ArrayList<>();
    for (String name : Json.texts(json, "documents")) {
      JsonObject document = all("document").get(name.substring(DOCUMENTS.length()));
      found.add(
          document == null
              ? Json.of("readTime", tick(), "missing", name)
              : Json.of("readTime", tick(), "found", document));
    }
    return Json.array(found);
  }

  private JsonElement query(JsonElement json) {
    String group = Json.text(json, "structuredQuery.from.0.collectionId");
    Map<String, JsonObject> found = new TreeMap<>(all("document"));
    found.keySet().removeIf(path -> !path.matches("(.*/)?" + group + "/[^/]+"));
    Stream<JsonObject> documents = found.values().stream().map(one -> Json.of("document", one));
    return Json.array(Stream.concat(Stream.of(Json.of("readTime", tick())), documents).toList());
  }

  private JsonElement commit(String call, JsonElement json) {
    for (JsonObject write : Json.objects(json, "writes")) {
      JsonObject there = all("document").get(path(write));
      String expected = Json.text(write, "currentDocument.updateTime");
      boolean isNew = Json.text(write, "currentDocument.exists").equals("false");
      String found = there == null ? "" : Json.text(there, "updateTime");
      if (isNew ? there != null : !expected.isEmpty() && !expected.equals(found)) {
        throw new CloudException("FAILED_PRECONDITION", "409 the stored version does not match");
      }
    }
    change(call);
    Json.objects(json, "writes").forEach(this::write);
    return Json.of(
        "writeResults",
        Json.array(List.of(Json.of("updateTime", tick()))),
        "commitTime",
        now.toString());
  }

  private static String path(JsonObject write) {
    String name =
        Json.text(write, "update.name")
            + Json.text(write, "delete")
            + Json.text(write, "transform.document");
    return name.substring(DOCUMENTS.length());
  }

  /**
   * An increment's total appears at once, as if the functions ran; three quarters of a second
   * later.
   */
  private void write(JsonObject write) {
    String path = path(write);
    // A canary's collections have a prefix before the usual names.
    String own = path.contains(CANARY) ? CANARY : "";
    String shards = "(^|/)[^/]+/([^/]+)(/" + own + "shards/.*)?$";
    String rollup = path.replaceFirst(shards, "$1" + own + "rollups/$2");
    if (write.has("delete")) {
      all("document").remove(path);
      all("document").remove(rollup);
    } else if (write.has("transform")) {
      long count =
          1 + Long.parseLong("0" + Json.text(get("document", rollup), "fields.count.integerValue"));
      JsonObject fields = Json.of("count", Json.of("integerValue", Long.toString(count)));
      store(rollup, fields, now.plusMillis(751));
    } else {
      Map<String, JsonElement> sorted =
          new TreeMap<>(Json.object(get("document", path), "fields").asMap());
      sorted.keySet().removeAll(Json.texts(write, "updateMask.fieldPaths"));
      sorted.putAll(Json.object(write, "update.fields").asMap());
      JsonObject fields = new JsonObject();
      sorted.forEach(fields::add);
      store(path, fields, now.plusMillis(1));
    }
  }
}
