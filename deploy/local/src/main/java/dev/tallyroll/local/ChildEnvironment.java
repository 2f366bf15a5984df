package dev.tallyroll.local;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the children find in their environment: nothing of the launcher's that could lead them
 * elsewhere. Stateless.
 */
final class ChildEnvironment {
  private static final Set<String> INHERITED = Set.of("PATH", "HOME", "JAVA_HOME");

  private ChildEnvironment() {}

  static Map<String, String> ofEmulator(Map<String, String> launcher) {
    var environment = new TreeMap<>(launcher);
    environment.keySet().retainAll(INHERITED);
    return environment;
  }

  /**
   * The settings may not replace the addresses, as the functions would then write to somebody
   * else's database.
   *
   * @param firestore host and port of what they shall take for Firestore
   */
  static Map<String, String> ofFunction(
      LocalCloudOptions options, String firestore, StackPorts ports) {
    var environment = new TreeMap<>(ofEmulator(options.environment()));
    environment.putAll(options.functionSettings().values());
    environment.put("FIRESTORE_ENDPOINT", firestore);
    environment.put("PUBSUB_EMULATOR_HOST", Loopback.HOST + ":" + ports.pubSub());
    environment.put("GOOGLE_CLOUD_PROJECT", options.project());
    return environment;
  }
}
