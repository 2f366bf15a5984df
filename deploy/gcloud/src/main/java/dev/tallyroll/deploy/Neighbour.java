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

  /** Whether it needs the index settings of GROUP.FIELD. */
  boolean uses(String group, String id) {
    return get(Setting.ROLLUPS_COLLECTION).equals(group)
        || get(Setting.INCREMENTS_COLLECTION).equals(group)
        || (get(Setting.SHARDS_COLLECTION) + "." + get(Setting.COUNT_FIELD)).equals(id);
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
