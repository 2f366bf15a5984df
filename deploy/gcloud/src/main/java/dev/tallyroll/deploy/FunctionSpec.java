package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Deployment.ROLLER;
import static dev.tallyroll.deploy.Deployment.TRIGGERED;

import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The wanted or deployed properties of a function, by the names of gcloud's flags. Immutable.
 *
 * @param flags with their values in one spelling
 * @param variables of its environment
 */
record FunctionSpec(Map<String, String> flags, Map<String, String> variables) {
  /** Fields of an answer, and the values that it leaves out. */
  private static final List<Flag> FLAGS =
      List.of(
          new Flag("runtime", "buildConfig.runtime", ""),
          new Flag("entry-point", "buildConfig.entryPoint", ""),
          new Flag("docker-repository", "buildConfig.dockerRepository", ""),
          new Flag("cpu", "serviceConfig.availableCpu", "1"),
          new Flag("memory", "serviceConfig.availableMemory", "256M"),
          new Flag("concurrency", "serviceConfig.maxInstanceRequestConcurrency", "1"),
          new Flag("timeout", "serviceConfig.timeoutSeconds", "60"),
          new Flag("max-instances", "serviceConfig.maxInstanceCount", "0"),
          new Flag("min-instances", "serviceConfig.minInstanceCount", "0"),
          new Flag("ingress-settings", "serviceConfig.ingressSettings", "ALLOW_ALL"),
          new Flag("service-account", "serviceConfig.serviceAccountEmail", ""),
          new Flag("trigger-service-account", "eventTrigger.serviceAccountEmail", ""),
          new Flag("retry", "eventTrigger.retryPolicy", "RETRY_POLICY_UNSPECIFIED"));

  private record Flag(String name, String path, String standard) {}

  FunctionSpec {
    flags = Map.copyOf(flags);
    variables = Map.copyOf(variables);
  }

  /** Its flags are in small letters, its variables in capitals. */
  Map<String, String> all() {
    Map<String, String> all = new TreeMap<>(flags);
    all.putAll(variables);
    return all;
  }

  /** The properties of a deployed function. */
  static FunctionSpec of(JsonObject function) {
    Map<String, String> flags = new TreeMap<>();
    for (Flag flag : FLAGS) {
      String value = Json.text(function, flag.path);
      flags.put(flag.name, spelled(flag.name, value.isEmpty() ? flag.standard : value));
    }
    // A Firestore trigger has a topic, too, which is Eventarc's own.
    boolean ofTopic = Json.text(function, "eventTrigger.eventType").contains(".pubsub.");
    String topic = Json.id(Json.text(function, "eventTrigger.pubsubTopic"));
    flags.put("trigger-topic", ofTopic ? topic : "");
    return new FunctionSpec(flags, Json.map(function, "serviceConfig.environmentVariables"));
  }

  /** One spelling for each value: .333, 0.333 and 333m are one size. */
  private static String spelled(String flag, String value) {
    return switch (flag) {
      case "cpu" -> cpu(value);
      case "memory" -> Checks.mebibytes(value) + "Mi";
      default -> value;
    };
  }

  private static String cpu(String value) {
    double number =
        value.endsWith("m")
            ? Double.parseDouble(value.substring(0, value.length() - 1)) / 1000
            : Double.parseDouble(value);
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }

  /**
   * The wanted properties of a function.
   *
   * @param jvmOptions the memory of the JVM, which by itself takes a quarter of its container's
   */
  static FunctionSpec wanted(Deployment of, String who, String jvmOptions) {
    boolean roller = who.equals(ROLLER);
    int workers = Integer.parseInt(of.get(Setting.WORKERS));
    String cpu = roller ? cpu(of.get(Setting.ROLLER_CPU)) : "1";
    Map<String, String> flags = new LinkedHashMap<>();
    flags.put("runtime", of.get(Setting.RUNTIME));
    flags.put("entry-point", "dev.tallyroll.functions." + (roller ? "RollUp" : "OnShardWritten"));
    flags.put("docker-repository", of.images());
    flags.put("cpu", cpu);
    flags.put("memory", roller ? spelled("memory", of.get(Setting.ROLLER_MEMORY)) : "512Mi");
    // Below one vCPU, Cloud Run serves one request at a time.
    flags.put("concurrency", cpu.startsWith("0") ? "1" : "80");
    flags.put("timeout", roller ? "540" : "60");
    // Runs overlap when one takes over; a sweep and a wake-up come on top.
    flags.put(
        "max-instances",
        roller ? Integer.toString(2 * workers + 2) : of.get(Setting.MAX_INSTANCES));
    flags.put("min-instances", "0");
    flags.put("ingress-settings", "ALLOW_INTERNAL_ONLY");
    flags.put("service-account", of.account(who));
    flags.put("trigger-service-account", of.account(Deployment.DELIVERY));
    // Only a sweep finds a lost event, so events are retried. The schedule starts the next run.
    flags.put("retry", roller ? "RETRY_POLICY_DO_NOT_RETRY" : "RETRY_POLICY_RETRY");
    flags.put("trigger-topic", roller ? of.get(Setting.ROLLUP_TOPIC) : "");
    Map<String, String> variables = new TreeMap<>();
    variables.put("LOG_EXECUTION_ID", "true");
    variables.put("JAVA_TOOL_OPTIONS", jvmOptions);
    Setting.variables().forEach(setting -> variables.put(setting.name(), of.get(setting)));
    return new FunctionSpec(flags, variables);
  }

  /** The words for gcloud. No variable may hold a comma, which separates the variables. */
  List<String> command(Wanted wanted, String who) {
    Deployment of = wanted.deployment();
    List<String> words =
        Step.words(
            of,
            "functions deploy % --region=% --gen2 --source=% --no-allow-unauthenticated",
            of.named(who),
            of.region(),
            wanted.staged("function"));
    new TreeMap<>(flags)
        .entrySet().stream()
            .map(FunctionSpec::word)
            .filter(word -> !word.isEmpty())
            .forEach(words::add);
    if (who.equals(TRIGGERED)) {
      words.add("--trigger-location=" + of.place());
      words.add("--trigger-event-filters=type=google.cloud.firestore.document.v1.written");
      words.add("--trigger-event-filters=database=" + of.database());
      words.add("--trigger-event-filters-path-pattern=document=" + of.pattern());
    }
    if (!wanted.builder().isEmpty()) {
      words.add("--build-service-account=" + wanted.builder());
    }
    String all = new TreeMap<>(variables).toString();
    words.add("--set-env-vars=" + all.substring(1, all.length() - 1).replace(", ", ","));
    words.add("--update-labels=tallyroll=" + of.name() + ",tallyroll-hash=" + wanted.artifact());
    return words;
  }

  private static String word(Map.Entry<String, String> flag) {
    return switch (flag.getKey()) {
      case "retry" -> flag.getValue().equals("RETRY_POLICY_RETRY") ? "--retry" : "--no-retry";
      case "ingress-settings" -> "--ingress-settings=internal-only";
      case "timeout" -> "--timeout=" + flag.getValue() + "s";
      case "trigger-topic" -> flag.getValue().isEmpty() ? "" : "--trigger-topic=" + flag.getValue();
      default -> "--" + flag.getKey() + "=" + flag.getValue();
    };
  }
}
