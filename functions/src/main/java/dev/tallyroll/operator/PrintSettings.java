package dev.tallyroll.operator;

import com.google.cloud.firestore.Firestore;
import com.google.gson.JsonObject;
import dev.tallyroll.operator.Documents.Lying;
import dev.tallyroll.settings.FoldLayout;
import dev.tallyroll.settings.OperatorSettings;
import dev.tallyroll.settings.PlatformSettings;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;

/**
 * Checks a settings file, and prints what bash needs of it: names, and the values of gcloud's
 * flags.
 *
 * <p>Options: {@code --settings FILE}; {@code --project}, {@code --region} and {@code --totals},
 * which come before the file's; and here {@code --jvm-options TEXT} of the functions. It ends with
 * 0, or with 2 if a setting is wrong.
 */
public final class PrintSettings {
  static final Set<String> OPTIONS = Set.of("--settings", "--project", "--region", "--totals");

  private static final String JVM_OPTIONS = "--jvm-options";
  private static final String FOLD_DOCUMENTS = "FOLD_DOCUMENTS";

  private PrintSettings() {}

  /** Runs, and ends the JVM with the status. */
  public static void main(String[] arguments) throws Exception {
    Program program = Program.ofProcess();
    System.exit(program.run(() -> print(program, arguments)));
  }

  static int print(Program program, String[] words) throws Exception {
    Set<String> options = new TreeSet<>(OPTIONS);
    options.add(JVM_OPTIONS);
    Arguments arguments = new Arguments(words, options);
    Map<String, String> file = arguments.given();
    if (OperatorSettings.isFolding(file::get) && !file.containsKey(FOLD_DOCUMENTS)) {
      throw new IllegalArgumentException(withoutDocuments(program, file));
    }
    variables(arguments.settings(), arguments.value(JVM_OPTIONS).orElse(""))
        .forEach((name, value) -> program.out().println(Shell.variable(name, value)));
    return 0;
  }

  /** Which documents have shards is no setting's default: a client may have made one. */
  private static String withoutDocuments(Program program, Map<String, String> file)
      throws Exception {
    Map<String, String> any = new TreeMap<>(file);
    any.put(FOLD_DOCUMENTS, "any/{document}");
    OperatorSettings settings = OperatorSettings.of(any);
    StringBuilder message =
        new StringBuilder(
            "FOLD_DOCUMENTS: expected documents' paths, such as pages/{page} rooms/{room}/posts/{post}; found none");
    Firestore firestore;
    try {
      firestore = Database.open(program.environment(), settings.project(), settings.database());
    } catch (IllegalArgumentException signedOut) {
      return message.toString();
    }
    try {
      Lying found = new Documents(firestore).lying(FoldLayout.SHARDS, document -> false);
      found
          .patterns()
          .forEach(
              (pattern, number) ->
                  message.append(
                      "\n  %s   %d of %d shards".formatted(pattern, number, found.looked())));
    } catch (ExecutionException unanswered) {
      message.append("\nWhich documents have shards could not be looked at.");
    } finally {
      firestore.shutdown();
    }
    return message.toString();
  }

  private static Map<String, String> variables(OperatorSettings settings, String jvmOptions) {
    boolean folds = settings.fold().isPresent();
    PlatformSettings platform = settings.platform();
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("PROJECT", settings.project());
    variables.put("REGION", settings.region());
    variables.put("NAME", settings.name());
    variables.put("FIRESTORE_DATABASE", settings.database());
    variables.put("topic", settings.topic());
    variables.put("trigger", settings.hasTrigger() ? "yes" : "");
    variables.put("what", settings.what());
    // A fold deletes a shard, so what is counted later is in a new one.
    variables.put("event", folds ? "created" : "written");
    variables.put("jar_name", folds ? "tallyroll-fold.jar" : "tallyroll.jar");
    variables.put("module", folds ? "functions/fold" : "functions");
    variables.put(
        "handler",
        folds ? "dev.tallyroll.fold.OnShardCreated" : "dev.tallyroll.functions.OnShardWritten");
    variables.put("runner", folds ? "dev.tallyroll.fold.Fold" : "dev.tallyroll.functions.RollUp");
    variables.put(
        "condition",
        "expression=" + new ResourceNames(settings).expression() + ",title=" + settings.name());
    variables.put("environment", environment(settings, jvmOptions));
    variables.put("runtime", platform.runtime());
    variables.put("handler_cpu", platform.handlerCpu());
    variables.put("handler_instances", Integer.toString(platform.maxInstances()));
    variables.put("handler_concurrency", concurrency(platform.handlerCpu()));
    variables.put("roller_cpu", platform.rollupCpu());
    variables.put("roller_memory", platform.rollupMemory());
    variables.put("roller_concurrency", concurrency(platform.rollupCpu()));
    variables.put("roller_instances", Integer.toString(2 * settings.workers() + 2));
    variables.put(
        "throttling",
        platform.billing() == PlatformSettings.Billing.INSTANCE
            ? "--no-cpu-throttling"
            : "--cpu-throttling");
    variables.put("sweep", folds ? "kind=sweep" : "kind=sweep,pass=all"); // a fold has no totals
    return variables;
  }

  /**
   * The functions' variables, in JSON. Without ours, a JVM takes a quarter of its memory, and the
   * client of Firestore notes a trace of each call for nobody, which takes a seventh of RollUp's
   * CPU time.
   */
  private static String environment(OperatorSettings settings, String jvmOptions) {
    JsonObject environment = new JsonObject();
    settings.environment().forEach(environment::addProperty);
    environment.addProperty("JAVA_TOOL_OPTIONS", jvmOptions);
    environment.addProperty("FIRESTORE_ENABLE_TRACING", "OFF");
    environment.addProperty("LOG_EXECUTION_ID", "true");
    return environment.toString();
  }

  /** Cloud Run allows no more than one below one vCPU. */
  private static String concurrency(String cpu) {
    return cpu.contains(".") ? "1" : "80";
  }
}
