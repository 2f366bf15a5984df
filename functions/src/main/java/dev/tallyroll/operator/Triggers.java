package dev.tallyroll.operator;

import com.google.common.hash.Hashing;
import com.google.gson.JsonObject;
import dev.tallyroll.settings.OperatorSettings;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The triggers of OnShardWritten: one for each pattern of the file of totals. The first is made
 * with the function, which keeps it, as it cannot be changed; the others are Eventarc's, to the
 * function's Cloud Run service. These have our label, and names with a hash of their patterns, so
 * the order of entries means nothing. Immutable.
 *
 * @param own the pattern of the function's own trigger; empty without events
 * @param isUsed whether an entry has that pattern, so that its events are wanted
 * @param wanted the patterns of the other triggers, by their names
 * @param there what gcloud says of our triggers but the function's own, by their names
 * @see <a href="https://cloud.google.com/run/docs/triggering/firestore-triggers">Google's page</a>
 */
record Triggers(
    String own, boolean isUsed, Map<String, String> wanted, Map<String, JsonObject> there) {
  private static final int DIGITS = 8;

  /**
   * Those of a deployment.
   *
   * @param functions all of the project
   * @param triggers all of the project, as {@code gcloud eventarc triggers list} has them
   */
  static Triggers of(
      OperatorSettings settings, List<DeployedFunction> functions, List<JsonObject> triggers) {
    ResourceNames names = new ResourceNames(settings);
    List<String> patterns = settings.patterns();
    Optional<DeployedFunction> handler =
        names.deployed(functions).stream()
            .filter(function -> function.name().equals(names.handler()))
            .findFirst();
    String own =
        patterns.isEmpty()
            ? ""
            : handler
                .map(DeployedFunction::pattern)
                .filter(pattern -> !pattern.isEmpty())
                .orElse(patterns.get(0));
    Map<String, String> wanted = new LinkedHashMap<>();
    patterns.stream()
        .filter(pattern -> !pattern.equals(own))
        .forEach(pattern -> wanted.put(name(names, pattern), pattern));
    return new Triggers(own, patterns.contains(own), wanted, ours(names, triggers));
  }

  /**
   * Those that carry our label and a name of ours, by their names. The one that was made with the
   * function has other digits at its end.
   */
  static Map<String, JsonObject> ours(ResourceNames names, List<JsonObject> triggers) {
    Map<String, JsonObject> ours = new TreeMap<>();
    triggers.stream()
        .filter(
            trigger -> Answers.text(trigger, "labels", "tallyroll").equals(names.settings().name()))
        .filter(trigger -> Answers.id(trigger).matches(names.handler() + "-[0-9a-f]{8}"))
        .forEach(trigger -> ours.put(Answers.id(trigger), trigger));
    return ours;
  }

  /** What a trigger watches. */
  static String pattern(List<JsonObject> filters) {
    return filters.stream()
        .filter(filter -> Answers.text(filter, "attribute").equals("document"))
        .map(filter -> Answers.text(filter, "value"))
        .findFirst()
        .orElse("");
  }

  private static String name(ResourceNames names, String pattern) {
    String hash = Hashing.sha256().hashString(pattern, StandardCharsets.UTF_8).toString();
    return names.handler() + "-" + hash.substring(0, DIGITS);
  }

  /** The triggers that no entry needs any more. */
  List<String> going() {
    return there.keySet().stream().filter(name -> !wanted.containsKey(name)).toList();
  }

  /** The triggers to make: each a name and a pattern, with | between. */
  Stream<String> missing() {
    return wanted.entrySet().stream()
        .filter(trigger -> !there.containsKey(trigger.getKey()))
        .map(trigger -> trigger.getKey() + "|" + trigger.getValue());
  }
}
