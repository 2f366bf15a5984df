package dev.tallyroll.local;

import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Says that emulators which the launcher's shell points at are not used: nothing may be written
 * there. Stateless.
 */
final class ForeignEmulators {
  private ForeignEmulators() {}

  static void warn(Map<String, String> environment, Consumer<String> log) {
    var found =
        Stream.of("FIRESTORE_EMULATOR_HOST", "PUBSUB_EMULATOR_HOST")
            .filter(environment::containsKey)
            .map(name -> name + "=" + environment.get(name))
            .collect(Collectors.joining(" "));
    if (!found.isEmpty()) {
      log.accept(
          "ignoring " + found + " in the environment: the local cloud starts its own emulators");
    }
  }
}
