package dev.tallyroll.deploy;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The things that watch a deployment: the files of deploy/gcloud/monitoring, with their templates
 * and the names of the deployment filled in. Immutable.
 *
 * @param folder where the staged files are, one for each thing
 */
record Monitoring(Deployment of, Path folder, Map<Kind, Map<String, JsonObject>> things) {
  private static final String TITLE =
      "Who is told: a channel, log metrics, alert policies, a dashboard";

  /** The placeholder in commands for the channel, which an earlier answer names. */
  static final String CHANNEL = "CHANNEL_ANSWERED_ABOVE";

  /** Policies name metrics, so they are made after them. */
  enum Kind {
    METRIC("log metric", "logging metrics", "description"),
    POLICY("alert policy", "alpha monitoring policies", "userLabels.tallyroll"),
    DASHBOARD("dashboard", "monitoring dashboards", "labels.tallyroll");

    final String words;
    final String command;

    /** Where its mark is. */
    final String mark;

    Kind(String words, String command, String mark) {
      this.words = words;
      this.command = command;
      this.mark = mark;
    }

    String name(JsonObject thing) {
      return Json.text(thing, this == METRIC ? "name" : "displayName");
    }

    /** The mark of a thing, whichever deployment it belongs to. */
    String mark(JsonObject thing) {
      return Json.text(thing, mark);
    }

    boolean isOurs(JsonObject thing, Deployment of) {
      String found = mark(thing);
      return this == METRIC ? found.startsWith(of.mark()) : found.equals(of.name());
    }
  }

  static Monitoring of(Deployment of, Path home, Path folder) throws IOException {
    Path files = home.resolve("deploy/gcloud/monitoring");
    Map<Kind, Map<String, JsonObject>> things = new LinkedHashMap<>();
    things.put(Kind.METRIC, objects(read(files.resolve("metrics.json"), of)));
    things.put(Kind.POLICY, objects(read(files.resolve("policies.json"), of)));
    JsonObject dashboard = read(files.resolve("dashboard.json"), of);
    things.put(Kind.DASHBOARD, Map.of("counters", dashboard));
    return new Monitoring(of, folder, things);
  }

  private static JsonObject read(Path file, Deployment of) throws IOException {
    int most = 2 * Integer.parseInt(of.get(Setting.WORKERS)) + 2;
    int below = Integer.parseInt(of.get(Setting.MAX_INSTANCES)) - 1;
    String text =
        Files.readString(file)
            .replace("\"@BELOW_MOST_TRIGGERED@\"", Integer.toString(below))
            .replace("\"@BELOW_MOST_ROLLER@\"", Integer.toString(most - 1))
            .replace("@PROM_NAME@", of.name().replace('-', '_'))
            .replace("@NAME@", of.name())
            .replace("@MARK@", of.mark())
            .replace("@PROJECT@", of.project())
            .replace("@REGION@", of.region())
            .replace("@PLACE@", of.place())
            .replace("@DATABASE@", of.database());
    return Templates.filled(JsonParser.parseString(text).getAsJsonObject());
  }

  private static Map<String, JsonObject> objects(JsonObject all) {
    Map<String, JsonObject> objects = new LinkedHashMap<>();
    all.entrySet().forEach(one -> objects.put(one.getKey(), one.getValue().getAsJsonObject()));
    return objects;
  }

  /** The filter of a log metric, for a look at the log itself. */
  String filter(String metric) {
    return Json.text(things(Kind.METRIC).get(metric), "filter");
  }

  /** A file for each thing, as gcloud takes them. */
  void stage(Stage stage) throws IOException {
    for (Map.Entry<Kind, Map<String, JsonObject>> kind : things.entrySet()) {
      for (Map.Entry<String, JsonObject> one : kind.getValue().entrySet()) {
        stage.write(file(kind.getKey(), one.getKey()), one.getValue() + "\n");
      }
    }
  }

  private static String file(Kind kind, String id) {
    return "monitoring/" + kind.words.replace(' ', '-') + "-" + id + ".json";
  }

  /** The names of things, as people see them: two of one name are refused, unless it is ours. */
  Map<String, String> names(Kind kind) {
    Map<String, String> names = new LinkedHashMap<>();
    things(kind)
        .forEach((id, one) -> names.put(id, kind == Kind.METRIC ? of.named(id) : kind.name(one)));
    return names;
  }

  Map<String, JsonObject> things(Kind kind) {
    return things.getOrDefault(kind, Map.of());
  }

  /**
   * Creates a thing, or updates it.
   *
   * @param there the thing of that name; empty if there is none
   * @param channel the channel that a policy notifies, beside its present ones
   */
  Step write(Kind kind, String id, JsonObject there, String channel) {
    boolean isNew = there.size() == 0;
    List<String> words = new ArrayList<>(List.of(kind.command, isNew ? "create" : "update"));
    List<String> values = new ArrayList<>();
    if (!isNew || kind == Kind.METRIC) {
      words.add("%");
      values.add(isNew ? of.named(id) : Json.text(there, "name"));
    }
    if (kind == Kind.DASHBOARD && !isNew) {
      // It is refused unless it names the version that it replaces.
      JsonObject dashboard = things(kind).getOrDefault(id, there).deepCopy();
      dashboard.addProperty("etag", Json.text(there, "etag"));
      words.add("--config=%");
      values.add(dashboard.toString());
    } else {
      words.add(kind == Kind.POLICY ? "--policy-from-file=%" : "--config-from-file=%");
      values.add(folder.resolve(file(kind, id)).toString());
    }
    if (kind == Kind.POLICY) {
      words.add(isNew ? "--notification-channels=%" : "--set-notification-channels=%");
      Set<String> told = new LinkedHashSet<>(Json.texts(there, "notificationChannels"));
      told.add(channel);
      values.add(String.join(",", told));
    }
    return Step.gcloud(TITLE, of, String.join(" ", words), values.toArray(String[]::new));
  }

  /** Removes all things with our mark, except those that are kept. */
  static List<Step> removal(Deployment of, State state, Kind kind, Set<String> kept) {
    return state.watching(kind).stream()
        .filter(one -> kind.isOurs(one, of) && !kept.contains(kind.name(one)))
        .map(
            one ->
                Step.gcloud(
                    "Removed: %s %s".formatted(kind.words, kind.name(one)),
                    of,
                    kind.command + " delete %",
                    Json.text(one, "name")))
        .toList();
  }

  Step writeChannel(JsonObject there, String email) {
    return there.size() == 0
        ? Step.gcloud(
            TITLE,
            of,
            """
            beta monitoring channels create --display-name=% --description=% --type=email --channel-labels=email_address=% \
            --user-labels=tallyroll=% --format=json""",
            of.name() + ": alerts",
            of.mark() + "is told by e-mail",
            email,
            of.name())
        : Step.gcloud(
            TITLE,
            of,
            "beta monitoring channels update % --update-channel-labels=email_address=%",
            Json.text(there, "name"),
            email);
  }

  static Step removeChannel(Deployment of, JsonObject there) {
    String delete = "beta monitoring channels delete %";
    return Step.gcloud("Removed: who is told", of, delete, Json.text(there, "name"));
  }

  /**
   * The first value that differs from the wanted one: its place, the value that was found, and the
   * wanted value; empty if there is none. The platform adds fields of its own, and leaves out zeros
   * and empty texts.
   */
  static List<String> difference(JsonElement there, JsonElement wanted, String place) {
    Map<String, JsonElement> parts = new LinkedHashMap<>();
    if (wanted.isJsonObject()) {
      parts.putAll(wanted.getAsJsonObject().asMap());
    } else if (wanted.isJsonArray()) {
      List<JsonElement> all = wanted.getAsJsonArray().asList();
      int found = there.isJsonArray() ? there.getAsJsonArray().size() : 0;
      if (found != all.size()) {
        return List.of(place, found + " of them", all.size() + " of them");
      }
      IntStream.range(0, found).forEach(i -> parts.put(Integer.toString(i), all.get(i)));
    } else {
      String found = there.isJsonPrimitive() ? there.getAsString() : "";
      String text = wanted.getAsString();
      boolean same = found.equals(text) || number(found) == number(text);
      return same ? List.of() : List.of(place, found, text);
    }
    return parts.entrySet().stream()
        .map(
            one ->
                difference(part(there, one.getKey()), one.getValue(), place + "." + one.getKey()))
        .filter(found -> !found.isEmpty())
        .findFirst()
        .orElse(List.of());
  }

  private static JsonElement part(JsonElement of, String key) {
    if (of.isJsonArray()) {
      return of.getAsJsonArray().get(Integer.parseInt(key));
    }
    JsonElement found = of.isJsonObject() ? of.getAsJsonObject().get(key) : null;
    return found == null ? JsonNull.INSTANCE : found;
  }

  /** An absent number is a zero; a text is not a number. */
  private static double number(String text) {
    return text.isEmpty()
        ? 0
        : text.matches("-?\\d+(\\.\\d+)?(E\\d+)?") ? Double.parseDouble(text) : Double.NaN;
  }
}
