package dev.tallyroll.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The state of the platform that a command wants.
 *
 * @param artifact the hash of the artifact; empty if it is not compared
 * @param rulesFile the file with the rules as JSON
 */
record Wanted(
    Arguments arguments,
    Deployment deployment,
    String artifact,
    RulesText rules,
    String rulesFile,
    Monitoring monitoring,
    String jvmOptions) {

  static Wanted of(
      Arguments arguments, Deployment of, Path home, String artifact, Path staged, String rulesFile)
      throws IOException {
    RulesText rules = Deploy.rules(arguments, of, home);
    Monitoring monitoring = Monitoring.of(of, home, staged);
    String options = Files.readString(home.resolve("deploy/gcloud/jvm-options")).strip();
    return new Wanted(arguments, of, artifact, rules, rulesFile, monitoring, options);
  }

  boolean replacesRules() {
    return arguments.has("--rules");
  }

  /** The service account that builds; empty for the default one. */
  String builder() {
    return arguments.value("--build-service-account").orElse("");
  }

  String staged(String file) {
    return monitoring.folder().resolve(file).toString();
  }
}
