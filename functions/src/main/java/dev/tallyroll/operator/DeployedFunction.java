package dev.tallyroll.operator;

import com.google.gson.JsonObject;
import dev.tallyroll.settings.OperatorSettings;
import dev.tallyroll.settings.Settings;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A function of a project.
 *
 * @param deployment the NAME of the deployment that it belongs to, by its label; empty if it is
 *     somebody else's
 * @param environment its variables
 * @param trigger the name of its Eventarc trigger; empty if it has none
 * @param pattern what that watches; empty if it watches no documents
 */
record DeployedFunction(
    String name,
    String region,
    String deployment,
    Map<String, String> environment,
    String state,
    String updated,
    String trigger,
    String pattern) {

  /** Reads the functions in an answer of {@code gcloud functions list --format=json}. */
  static List<DeployedFunction> of(List<JsonObject> functions) {
    return functions.stream().map(DeployedFunction::of).toList();
  }

  private static DeployedFunction of(JsonObject function) {
    String[] name = Answers.text(function, "name").split("/", -1);
    return new DeployedFunction(
        name[name.length - 1],
        name.length > 3 ? name[3] : "",
        Answers.text(function, "labels", "tallyroll"),
        Answers.texts(function, "serviceConfig", "environmentVariables"),
        Answers.text(function, "state"),
        Answers.text(function, "updateTime"),
        Answers.text(function, "eventTrigger", "trigger"),
        Triggers.pattern(Answers.objects(function, "eventTrigger", "eventFilters")));
  }

  /**
   * Whether it keeps totals of this kind, with roll-ups in this collection.
   *
   * @throws IllegalArgumentException if its settings cannot be read
   */
  boolean keeps(String database, String rollups, String totalOf) {
    if (deployment.isEmpty() || OperatorSettings.isFolding(environment::get)) {
      return false; // somebody else's; a fold has no totals
    }
    Settings settings = Settings.from(environment::get);
    return settings.database().equals(database)
        && settings.entries().stream()
            .anyMatch(
                entry ->
                    entry.layout().rollups().equals(rollups) && entry.totalOf().equals(totalOf));
  }

  /** What deploy would change of its settings: a line for each old value, and for each new one. */
  List<String> changes(Map<String, String> wanted) {
    Map<String, String> now = new TreeMap<>(OperatorSettings.effective(environment));
    Map<String, String> then = new TreeMap<>(OperatorSettings.effective(wanted));
    TreeSet<String> names = new TreeSet<>(now.keySet());
    names.addAll(then.keySet());
    return names.stream()
        .filter(name -> !now.getOrDefault(name, "").equals(then.getOrDefault(name, "")))
        .flatMap(
            name ->
                List.of(
                    "< " + name + "=" + now.getOrDefault(name, ""),
                    "> " + name + "=" + then.getOrDefault(name, ""))
                    .stream())
        .toList();
  }
}
