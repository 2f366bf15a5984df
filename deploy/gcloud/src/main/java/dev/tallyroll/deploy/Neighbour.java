package dev.tallyroll.deploy;

import java.util.List;
import java.util.Map;

/**
 * Another deployment in the same database, by the variables of its functions. Immutable.
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

  static List<Neighbour> of(Deployment deployment, State state) {
    return state.functions().stream()
        .filter(function -> !State.labelOf(function).isEmpty())
        .filter(function -> !State.labelOf(function).equals(deployment.name()))
        .map(
            function ->
                new Neighbour(
                    State.labelOf(function),
                    State.regionOf(function),
                    Json.map(function, "serviceConfig.environmentVariables")))
        .filter(one -> one.get(Setting.FIRESTORE_DATABASE).equals(deployment.database()))
        .distinct()
        .toList();
  }
}
