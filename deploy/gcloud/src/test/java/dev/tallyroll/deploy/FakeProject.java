package dev.tallyroll.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

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
import org.jspecify.annotations.Nullable;

/**
 * A project in memory that answers as gcloud and the REST APIs do, keeps what is made, and records
 * each call. A test may prepare anything in it, and script failures. Not thread-safe.
 */
final class FakeProject implements Cloud, Console.Surroundings {
  static final String DOCUMENTS = "projects/p/databases/(default)/documents/";

  /** All that there is, by its kind and its id. */
  final Map<String, Map<String, JsonObject>> things = new TreeMap<>();

  /** The members of each role, by what has the policy: "ROLE|CONDITION" in the project's. */
  final Map<String, Set<String>> policies = new TreeMap<>();

  final List<String> calls = new ArrayList<>();

  /** The words of each gcloud command. */
  final List<List<String>> commands = new ArrayList<>();

  final List<String> changes = new ArrayList<>();
  final Path folder = Shell.newFolder();
  Optional<String> typed = Optional.empty();
  List<String> unreachable = List.of();
  int live;
  Instant now = Instant.parse("2026-01-01T00:00:00Z");

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final Map<Pattern, Supplier<JsonElement>> answers = new LinkedHashMap<>();

  /**
   * The change that fails, counted down; and how: before it is made, or by the end of the process.
   */
  int failing = -1;

  RuntimeException failure = new CloudException("UNAVAILABLE", "out of order");

  /** A project with all APIs and a database, and something to deploy. */
  static FakeProject empty() {
    FakeProject project = new FakeProject();
    State.APIS.forEach(api -> project.put("api", api, Json.of("name", api)));
    project.put(
        "database",
        "(default)",
        Json.of(
            "name", "projects/p/databases/(default)",
            "type", "FIRESTORE_NATIVE",
            "databaseEdition", "STANDARD",
            "locationId", "us-central1"));
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
    put("document", path, Json.of("fields", all, "updateTime", tick()));
  }

  /** Changes a value of a thing, by a path of keys. */
  void edit(String kind, String id, String path, String value) {
    List<String> keys = List.of(path.split("/", -1));
    JsonObject at = get(kind, id);
    for (String key : keys.subList(0, keys.size() - 1)) {
      at = at.getAsJsonObject(key);
    }
    at.addProperty(keys.get(keys.size() - 1), value);
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

  void answerAll() {
    answers.clear();
  }

  /** Runs a command, which has to end like that; returns what it says. */
  String exits(int code, String line) {
    return exits(code, line, "/stage" + line.replaceFirst(".*--(name=\\w+).*|.*", "$1"));
  }

  String exits(int code, String line, String stage) {
    said.reset();
    List<String> words = new ArrayList<>(List.of(line.strip().split(" +", -1)));
    String command = words.remove(0);
    List<String> all = new ArrayList<>(List.of("--project=p", "--region=us-central1"));
    if (command.equals("deploy")) {
      all.addAll(List.of("--stage=" + folder + stage, "--artifact=" + folder + "/artifact"));
    }
    all.addAll(words);
    assertThat(Main.run(command, all, this, this, Shell.ROOT, folder))
        .as("%s", said())
        .isEqualTo(code);
    return said();
  }

  /** Everything but times: what one run after the other must leave the same. */
  String snapshot() {
    things.values().removeIf(Map::isEmpty);
    Map<String, Map<String, JsonObject>> lasting = new TreeMap<>(things);
    lasting.remove("building");
    // One that was made and not released is of no effect.
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
    boolean reads = line.matches(".* (list|describe|get-iam-policy|read|print-access-token)( .*)?");
    if (!reads) {
      change("gcloud " + line);
    }
    return new Answer(
        reads ? read(words, line) : made(words, line),
        line.startsWith("functions list") ? unreachable : List.of());
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

  private JsonElement read(List<String> words, String line) {
    String two = words.get(0) + " " + words.get(1);
    return switch (two) {
      case "auth print-access-token" -> Json.of("text", "token-of-nobody");
      case "services list" ->
          Json.array(all("api").values().stream().map(api -> Json.of("config", api)).toList());
      case "functions list" -> list("function");
      case "run services" -> words.get(2).equals("list") ? list("service") : policy(words.get(3));
      case "scheduler jobs" -> list("job");
      case "pubsub topics" ->
          words.get(2).equals("list") ? list("topic") : policy("topic " + words.get(3));
      case "pubsub subscriptions" -> list("subscription");
      case "iam service-accounts" -> list("account");
      case "projects get-iam-policy" -> policy("project");
      case "eventarc triggers" -> list("trigger");
      case "logging sinks" ->
          Json.array(List.of(Json.of("name", "_Default", "exclusions", list("exclusion"))));
      case "logging read" -> list("error");
      case "firestore databases" -> list("database");
      case "firestore indexes" ->
          words.get(2).equals("composite")
              ? list("composite")
              : words.get(3).equals("describe") ? count(words) : list("field");
      case "firestore fields" -> list("ttl");
      default -> throw new IllegalStateException("the fake knows no: " + line);
    };
  }

  /** An index in the making is ready at the second look. */
  private JsonElement count(List<String> words) {
    String id = option(words, "collection-group") + "." + words.get(4);
    JsonObject building = all("building").remove(id);
    if (building != null) {
      return building;
    }
    return all("field").containsKey(id)
        ? get("field", id)
        : Json.of("indexConfig", Json.of("usesAncestorConfig", true));
  }

  private JsonElement policy(String of) {
    JsonArray bindings = new JsonArray();
    policies.forEach(
        (key, members) -> {
          String[] parts = key.split("\\|", -1);
          if (parts[0].equals(of)) {
            JsonObject binding =
                Json.of("role", parts[1], "members", Json.array(List.copyOf(members)));
            if (!parts[2].isEmpty()) {
              binding.add("condition", Json.of("expression", parts[2], "title", "tallyroll"));
            }
            bindings.add(binding);
          }
        });
    return Json.of("bindings", bindings);
  }

  private static String option(List<String> words, String name) {
    String start = "--" + name + "=";
    return words.stream()
        .filter(word -> word.startsWith(start))
        .map(word -> word.substring(start.length()))
        .findFirst()
        .orElse("");
  }

  private JsonElement made(List<String> words, String line) {
    String id = words.size() > 3 ? words.get(3) : "";
    switch (String.join(" ", words.subList(0, Math.min(3, words.size())))) {
      case "iam service-accounts create" -> {
        String email = id + "@p.iam.gserviceaccount.com";
        put("account", email, Json.of("email", email, "description", option(words, "description")));
      }
      case "iam service-accounts delete" -> all("account").remove(id);
      case "pubsub topics create" ->
          put(
              "topic",
              id,
              Json.of("name", "projects/p/topics/" + id, "labels", pairs(option(words, "labels"))));
      case "pubsub topics delete" -> all("topic").remove(id);
      case "pubsub topics add-iam-policy-binding" -> bind("topic " + id, words, true);
      case "pubsub subscriptions update" ->
          get("subscription", id).addProperty("ackDeadlineSeconds", option(words, "ack-deadline"));
      case "run services add-iam-policy-binding" -> bind(id, words, true);
      case "scheduler jobs create", "scheduler jobs update" -> job(words);
      case "scheduler jobs delete" -> all("job").remove(id);
      case "firestore indexes fields" -> field(words, words.get(4));
      case "firestore indexes composite" -> all("composite").remove(words.get(4));
      case "firestore fields ttls" -> ttl(words, words.get(4));
      case "logging sinks update" -> exclusion(words);
      case "pubsub topics publish" -> {}
      default -> madeByTwoWords(words, line);
    }
    return new JsonObject();
  }

  private void madeByTwoWords(List<String> words, String line) {
    switch (words.get(0) + " " + words.get(1)) {
      case "services enable" ->
          words.stream()
              .filter(word -> word.endsWith(".googleapis.com"))
              .forEach(api -> put("api", api, Json.of("name", api)));
      case "projects add-iam-policy-binding" -> bind("project", words, true);
      case "projects remove-iam-policy-binding" -> bind("project", words, false);
      case "functions deploy" -> function(words);
      case "functions delete" -> {
        all("function").remove(words.get(2));
        all("service").remove(words.get(2));
      }
      default -> throw new IllegalStateException("the fake knows no: " + line);
    }
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

  /** JSON with the value of an option in place of each $option. */
  private static JsonObject filled(List<String> words, String template) {
    String json =
        Pattern.compile("\\$([a-z-]+)")
            .matcher(template)
            .replaceAll(option -> Matcher.quoteReplacement(option(words, option.group(1))));
    return JsonParser.parseString(json).getAsJsonObject();
  }

  private void job(List<String> words) {
    String kind = option(words, "attributes") + option(words, "update-attributes");
    String job =
        """
        {"name":"x/jobs/%s","description":"$description","schedule":"$schedule","timeZone":"$time-zone","state":"ENABLED",
        "pubsubTarget":{"topicName":"projects/p/topics/$topic","attributes":{"kind":"%s"}}}"""
            .formatted(words.get(4), kind.replace("kind=", ""));
    put("job", words.get(4), filled(words, job));
  }

  /** A field whose settings are not as by default: it has so many indexes. */
  void indexes(String id, int indexes) {
    List<JsonObject> made = new ArrayList<>();
    for (int i = 0; i < indexes; i++) {
      made.add(Json.of("state", "READY"));
    }
    JsonObject config = Json.of("indexes", Json.array(made));
    put("field", id, Json.of("name", fieldName(id), "indexConfig", config));
  }

  private static String fieldName(String id) {
    return "projects/p/databases/(default)/collectionGroups/" + id.replace(".", "/fields/");
  }

  private void field(List<String> words, String field) {
    String id = option(words, "collection-group") + "." + field;
    if (words.contains("--disable-indexes")) {
      indexes(id, 0);
    } else {
      all("field").remove(id);
      JsonObject index = Json.of("state", "CREATING");
      put("building", id, Json.of("indexConfig", Json.of("indexes", Json.array(List.of(index)))));
    }
  }

  void ttl(String id) {
    put("ttl", id, Json.of("name", fieldName(id), "ttlConfig", Json.of("state", "ACTIVE")));
  }

  private void ttl(List<String> words, String field) {
    String id = option(words, "collection-group") + "." + field;
    if (words.contains("--enable-ttl")) {
      ttl(id);
    } else {
      all("ttl").remove(id);
    }
  }

  private void exclusion(List<String> words) {
    String made = option(words, "add-exclusion") + option(words, "update-exclusion");
    if (made.isEmpty()) {
      all("exclusion").remove(option(words, "remove-exclusions"));
      return;
    }
    JsonObject exclusion = pairs(made);
    put("exclusion", Json.text(exclusion, "name"), exclusion);
  }

  /** As the functions API answers, with the trigger and the subscription that Eventarc makes. */
  private void function(List<String> words) {
    String id = words.get(2);
    String trigger = "x/triggers/" + id;
    String subscription = "projects/p/subscriptions/eventarc-" + id;
    String timeout = option(words, "timeout").replace("s", "");
    String retry = words.contains("--retry") ? "RETRY" : "DO_NOT_RETRY";
    String document = option(words, "trigger-event-filters-path-pattern");
    String made =
        """
        {"name":"projects/p/locations/$region/functions/%s","state":"ACTIVE",
        "buildConfig":{"runtime":"$runtime","entryPoint":"$entry-point","serviceAccount":"$build-service-account"},
        "serviceConfig":{"availableCpu":"$cpu","availableMemory":"$memory","timeoutSeconds":%s,"maxInstanceCount":$max-instances,
        "maxInstanceRequestConcurrency":$concurrency,"ingressSettings":"ALLOW_INTERNAL_ONLY",
        "serviceAccountEmail":"$service-account"},
        "eventTrigger":{"trigger":"%s","retryPolicy":"RETRY_POLICY_%s","serviceAccountEmail":"$trigger-service-account"}}"""
            .formatted(id, timeout, trigger, retry);
    JsonObject function = filled(words, made);
    JsonObject variables = pairs(option(words, "set-env-vars"));
    function.add("labels", pairs(option(words, "update-labels")));
    function.getAsJsonObject("serviceConfig").add("environmentVariables", variables);
    String event =
        document.isEmpty()
            ? """
            {"eventType":"google.cloud.pubsub.topic.v1.messagePublished","pubsubTopic":"projects/p/topics/$trigger-topic"}"""
            : """
            {"eventType":"google.cloud.firestore.document.v1.written","triggerRegion":"$trigger-location",
            "eventFilters":[{"attribute":"database","value":"%s"},{"attribute":"document","value":"%s"}]}"""
                .formatted(
                    Json.text(variables, "FIRESTORE_DATABASE"), document.replace("document=", ""));
    filled(words, event).asMap().forEach(function.getAsJsonObject("eventTrigger")::add);
    put("function", id, function);
    put("service", id, Json.of("metadata", Json.of("name", id)));
    JsonObject transport = Json.of("pubsub", Json.of("subscription", subscription));
    put("trigger", id, Json.of("name", trigger, "transport", transport));
    if (!all("subscription").containsKey(subscription)) {
      put("subscription", subscription, Json.of("name", subscription, "ackDeadlineSeconds", "10"));
    }
  }

  /** Of KEY=VALUE,KEY=VALUE. */
  private static JsonObject pairs(String text) {
    JsonObject pairs = new JsonObject();
    for (String one : text.split(",(?=[A-Za-z_-]+=)", -1)) {
      pairs.addProperty(one.substring(0, one.indexOf('=')), one.substring(one.indexOf('=') + 1));
    }
    return pairs;
  }

  @Override
  public JsonElement http(String method, String url, String body) {
    calls.add(method + " " + url + " " + body);
    JsonElement scripted = scripted(method + " " + url + " " + body);
    if (scripted != null) {
      return scripted;
    }
    JsonElement json = body.isEmpty() ? new JsonObject() : JsonParser.parseString(body);
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

  private JsonElement rules(String method, String url, JsonElement json) {
    if (method.equals("GET")) {
      return url.contains("/releases")
          ? Json.of("releases", list("release"))
          : get("ruleset", Json.id(url));
    }
    change(method + " " + url);
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
      JsonObject answer = Json.of("readTime", tick());
      if (document == null) {
        answer.addProperty("missing", name);
      } else {
        JsonObject named = document.deepCopy();
        named.addProperty("name", name);
        answer.add("found", named);
      }
      found.add(answer);
    }
    return Json.array(found);
  }

  private JsonElement query(JsonElement json) {
    String group = Json.text(Json.objects(json, "structuredQuery.from").get(0), "collectionId");
    List<JsonObject> found = new ArrayList<>(List.of(Json.of("readTime", tick())));
    all("document")
        .forEach(
            (path, document) -> {
              if (path.matches("(.*/)?" + group + "/[^/]+")) {
                JsonObject named = document.deepCopy();
                named.addProperty("name", DOCUMENTS + path);
                found.add(Json.of("document", named));
              }
            });
    return Json.array(found);
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
    String rollup = path.replaceFirst("(^|/)[^/]+/([^/]+)(/shards/.*)?$", "$1rollups/$2");
    if (write.has("delete")) {
      all("document").remove(path);
      all("document").remove(rollup);
    } else if (write.has("transform")) {
      long count =
          1 + Long.parseLong("0" + Json.text(get("document", rollup), "fields.count.integerValue"));
      JsonObject fields = Json.of("count", Json.of("integerValue", Long.toString(count)));
      put(
          "document",
          rollup,
          Json.of("fields", fields, "updateTime", now.plusMillis(751).toString()));
    } else {
      JsonObject fields = get("document", path).deepCopy();
      fields = fields.has("fields") ? fields.getAsJsonObject("fields") : new JsonObject();
      JsonObject given = Json.object(write, "update.fields");
      for (String field : Json.texts(write, "updateMask.fieldPaths")) {
        fields.remove(field);
      }
      Map<String, JsonElement> sorted = new TreeMap<>(fields.asMap());
      sorted.putAll(given.asMap());
      fields = new JsonObject();
      fields.asMap().putAll(sorted);
      put("document", path, Json.of("fields", fields, "updateTime", now.plusMillis(1).toString()));
    }
  }
}
