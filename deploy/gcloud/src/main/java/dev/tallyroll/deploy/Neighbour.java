package dev.tallyroll.deploy;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.Map;

/**
 * Another deployment in the same database, by what its functions are told. Immutable.
 *
 * @param variables of its functions
 */
record Neighbour(String name, String region, Map<String, String> variables) {

  String get(Setting setting) {
    return variables.getOrDefault(setting.name(), "");
  }

  boolean has(Setting setting, Deployment as) {
    return get(setting).equals(as.get(setting));
  }

  /** A version before has made an index for it, which only that version needs. */
  boolean hasLanes() {
    return variables.containsKey("LANES");
  }

  static List<Neighbour> of(Deployment deployment, State state) {
    return state.functions().stream()
        .filter(function -> !State.labelOf(function).isEmpty())
        .filter(function -> !State.labelOf(function).equals(deployment.name()))
        .map(Neighbour::of)
        .filter(one -> one.get(Setting.FIRESTORE_DATABASE).equals(deployment.database()))
        .distinct()
        .toList();
  }

  private static Neighbour of(JsonObject function) {
    return new Neighbour(
        State.labelOf(function),
        State.regionOf(function),
        Json.map(function, "serviceConfig.environmentVariables"));
  }

  static List<String> names(List<Neighbour> neighbours) {
    return neighbours.stream().map(Neighbour::name).distinct().toList();
  }
}
