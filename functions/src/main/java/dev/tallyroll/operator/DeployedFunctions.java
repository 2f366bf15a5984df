package dev.tallyroll.operator;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.settings.Settings;
import java.io.Reader;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The functions of a project, from the answer of {@code gcloud functions list --format=json}. */
final class DeployedFunctions {
  private final JsonElement answer;

  /**
   * @throws com.google.gson.JsonParseException if the answer is not JSON
   */
  DeployedFunctions(Reader answer) {
    this.answer = JsonParser.parseReader(answer);
  }

  /**
   * The function that keeps totals with these roll-ups; empty if there is none.
   *
   * @throws IllegalArgumentException if the settings of a function of ours cannot be read
   */
  Optional<String> keeping(String database, String rollups, String totalOf) {
    return functions()
        .filter(function -> isKeeping(environment(function), database, rollups, totalOf))
        .map(function -> function.get("name").getAsString())
        .findFirst();
  }

  private Stream<JsonObject> functions() {
    return StreamSupport.stream(answer.getAsJsonArray().spliterator(), /* parallel= */ false)
        .map(JsonElement::getAsJsonObject)
        .filter(function -> object(function, "labels").has("tallyroll"));
  }

  private static boolean isKeeping(
      Map<String, String> environment, String database, String rollups, String totalOf) {
    if (!environment.getOrDefault("FOLD", "").isEmpty()) {
      return false; // a fold has no totals
    }
    Settings settings = Settings.from(environment::get);
    return settings.database().equals(database)
        && settings.layout().rollups().equals(rollups)
        && settings.layout().totalOf().equals(totalOf);
  }

  private static Map<String, String> environment(JsonObject function) {
    return object(object(function, "serviceConfig"), "environmentVariables").entrySet().stream()
        .collect(
            Collectors.toUnmodifiableMap(
                Map.Entry::getKey, variable -> variable.getValue().getAsString()));
  }

  private static JsonObject object(JsonObject in, String name) {
    return in.has(name) ? in.getAsJsonObject(name) : new JsonObject();
  }
}
