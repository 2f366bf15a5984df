package dev.tallyroll.operator;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.tallyroll.settings.OperatorSettings;
import dev.tallyroll.settings.TotalsFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What gcloud says is in project p, in its JSON: at first, a database and nothing else. */
final class Given {
  final Path folder;
  private final Map<String, List<String>> lists = new TreeMap<>();

  Given(Path folder) {
    this.folder = folder;
    one(
        "database",
        "{'locationId': 'nam5', 'type': 'FIRESTORE_NATIVE', 'databaseEdition': 'STANDARD'}");
  }

  /** Settings of a deployment in us-central1. */
  static OperatorSettings settings(String... lines) {
    Map<String, String> all = new TreeMap<>(Map.of("PROJECT", "p", "REGION", "us-central1"));
    all.putAll(pairs(lines));
    return OperatorSettings.of(all);
  }

  /**
   * Lines as a settings file has them, with ' for " and + for a space in a value. In place of a
   * file of totals there are keys of entries, such as likes.of=posts/{post}/likes; those of the
   * entry counters come to its default, and an empty value takes a key away.
   */
  static Map<String, String> pairs(String... lines) {
    Map<String, String> pairs = new TreeMap<>();
    JsonObject totals = new JsonObject();
    for (String line : lines) {
      String key = line.replaceFirst("=.*", "");
      String value = line.replaceFirst("[^=]*=", "").replace('\'', '"').replace('+', ' ');
      if (key.contains(".")) {
        String name = key.substring(0, key.indexOf('.'));
        if (!totals.has(name)) {
          JsonObject usual = JsonParser.parseString(TotalsFile.DEFAULT).getAsJsonObject();
          totals.add(name, usual.has(name) ? usual.get(name) : new JsonObject());
        }
        JsonObject entry = totals.getAsJsonObject(name);
        entry.remove(key.substring(name.length() + 1));
        if (!value.isEmpty()) {
          entry.add(key.substring(name.length() + 1), json(value));
        }
      } else {
        pairs.put(key, value);
      }
    }
    if (totals.size() > 0) {
      pairs.put("TOTALS", totals.toString());
    }
    return pairs;
  }

  private static JsonElement json(String value) {
    return value.matches("\\{['\"].*|\\[.*|true|false|[0-9.]+")
        ? JsonParser.parseString(value)
        : new JsonPrimitive(value);
  }

  Answers answers() {
    return new Answers(folder);
  }

  /** The answer about one thing, with ' for ". */
  Given one(String question, String json) {
    write(question + ".json", json.replace('\'', '"'));
    return this;
  }

  /** One more thing of a list, with ' for ". */
  Given more(String question, String json) {
    List<String> list = lists.computeIfAbsent(question, empty -> new ArrayList<>());
    list.add(json.replace('\'', '"'));
    write(question + ".json", "[" + String.join(",", list) + "]");
    return this;
  }

  /** Nothing of a kind. */
  Given none(String question) {
    lists.remove(question);
    return one(question, "[]");
  }

  void denied(String question) {
    write("denied", question + "\n");
  }

  private void write(String file, String text) {
    try {
      Files.writeString(folder.resolve(file), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A function of the deployment, with settings, and its trigger. */
  Given function(String name, String label, String region, String... settings) {
    String trigger = "projects/p/locations/%s/triggers/%s".formatted(region, name);
    String environment =
        pairs(settings).entrySet().stream()
            .map(pair -> "'%s': %s".formatted(pair.getKey(), new JsonPrimitive(pair.getValue())))
            .collect(Collectors.joining(","));
    trigger(name, "", pattern(settings));
    return more(
        "functions",
        "{'name': 'projects/p/locations/%s/functions/%s', 'labels': {'tallyroll': '%s'}, 'state': 'ACTIVE', 'updateTime': '2026-01-01T00:00:00Z', 'eventTrigger': {'trigger': '%s', 'eventFilters': %s}, 'serviceConfig': {'environmentVariables': {%s}}}"
            .formatted(region, name, label, trigger, filters(pattern(settings)), environment));
  }

  /** All functions were deployed at that time. */
  Given updated(String time) {
    List<String> functions = lists.getOrDefault("functions", List.of());
    lists.put("functions", new ArrayList<>());
    functions.forEach(
        function ->
            more("functions", function.replaceAll("\"2026-01-01T00:00:00Z\"", '"' + time + '"')));
    return this;
  }

  /** What a function with these settings was made to watch: the first pattern. */
  private static String pattern(String... settings) {
    try {
      return settings(settings).patterns().stream().findFirst().orElse("");
    } catch (IllegalArgumentException unreadable) {
      return "";
    }
  }

  private static String filters(String pattern) {
    return "[{'attribute': 'type', 'value': 'x'}, {'attribute': 'document', 'value': '%s'}]"
        .formatted(pattern);
  }

  /** A trigger, with its subscription. */
  Given trigger(String name, String label, String pattern) {
    String subscription = "eventarc-us-central1-%s-sub".formatted(name);
    return more(
        "triggers",
        "{'name': 'projects/p/locations/us-central1/triggers/%s', 'labels': {'tallyroll': '%s'}, 'eventFilters': %s, 'transport': {'pubsub': {'subscription': 'projects/p/subscriptions/%s'}}}"
            .formatted(name, label, filters(pattern), subscription));
  }

  /** How long Pub/Sub waits for a trigger's function. */
  Given deadline(String trigger, int seconds) {
    return more(
        "subscriptions",
        "{'name': 'projects/p/subscriptions/eventarc-us-central1-%s-sub', 'ackDeadlineSeconds': %d}"
            .formatted(trigger, seconds));
  }

  /** Both functions of our deployment. */
  Given deployed(String... settings) {
    return function("tallyroll-on-shard-written", "tallyroll", "us-central1", settings)
        .function("tallyroll-roll-up", "tallyroll", "us-central1", settings);
  }

  /** Another deployment in this project. */
  Given beside(String name, String... settings) {
    return function(name + "-roll-up", name, "us-east1", settings);
  }

  /** The index settings of a field. */
  Given field(String collection, String path, int indexes) {
    return more(
        "fields",
        "{'name': 'projects/p/databases/d/collectionGroups/%s/fields/%s', 'indexConfig': {%s}}"
            .formatted(
                collection,
                path,
                indexes == 0 ? "" : "'indexes': [" + "{},".repeat(indexes - 1) + "{}]"));
  }

  /** The exemptions and the policy that a deployment makes. */
  Given exempted() {
    return field("rollups", "as_of", 0)
        .field("rollups", "live_until", 0)
        .field("rollups", "counter", 0)
        .field("increment_names", "expire_at", 0)
        .more(
            "ttls",
            "{'name': 'projects/p/databases/d/collectionGroups/increment_names/fields/expire_at'}");
  }
}
