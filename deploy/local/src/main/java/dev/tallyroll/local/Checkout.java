package dev.tallyroll.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Where the build has put what the local cloud runs, below the root of the checkout. Immutable. */
record Checkout(Path root) {
  static final String HOME_PROPERTY = "tallyroll.home";

  /** The checkout that the system property names. */
  static Checkout fromSystemProperty() {
    var home = System.getProperty(HOME_PROPERTY);
    if (home == null || home.isBlank()) {
      throw new LocalCloudException(
          "expected the system property %s to name the root of the checkout, found none"
              .formatted(HOME_PROPERTY));
    }
    return new Checkout(Path.of(home));
  }

  /** The one jar that is deployed; its manifest names the others. */
  Path functionJar() {
    var folder = root.resolve(Path.of("functions", "target", "function"));
    var jars = jarsIn(folder);
    if (jars.size() != 1) {
      throw new LocalCloudException(
          "expected one function jar in %s, found %s; build it with: mvn package"
              .formatted(folder, jars));
    }
    return jars.get(0);
  }

  Path invokerJar(String version) {
    var jar =
        root.resolve(Path.of("deploy", "local", "target", "invokers"))
            .resolve("java-function-invoker-" + version + ".jar");
    if (!Files.isRegularFile(jar)) {
      throw new LocalCloudException(
          "expected the invoker at %s, found no such file; build it with: mvn package"
              .formatted(jar));
    }
    return jar;
  }

  private static List<Path> jarsIn(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (var files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    } catch (IOException e) {
      throw new LocalCloudException("could not list " + folder, e);
    }
  }
}
