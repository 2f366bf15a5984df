package dev.tallyroll.operator;

import com.google.gson.JsonObject;
import dev.tallyroll.operator.FieldIndexes.Field;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.settings.OperatorSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The program behind {@code deploy/gcloud/destroy}: finds what carries our mark, and writes a plan
 * for bash. It changes nothing.
 *
 * <p>Options: those of {@link PrintSettings}, {@code --answers FOLDER} with gcloud's answers,
 * {@code --plan FILE}, which is written, {@code --signed-in yes} and {@code --indexes yes}. It ends
 * with 0, or with 2 if nothing is there.
 */
public final class Destroy {
  private final Program program;

  Destroy(Program program) {
    this.program = program;
  }

  /** Runs, and ends the JVM with the status. */
  public static void main(String[] arguments) throws Exception {
    Program program = Program.ofProcess();
    System.exit(program.run(() -> new Destroy(program).run(arguments)));
  }

  int run(String[] words) throws Exception {
    Set<String> options = new TreeSet<>(PrintSettings.OPTIONS);
    options.addAll(List.of("--answers", "--plan", "--signed-in", "--indexes"));
    Arguments arguments = new Arguments(words, options);
    Answers answers = new Answers(Path.of(arguments.required("--answers")));
    List<DeployedFunction> functions = DeployedFunction.of(answers.list("functions"));
    OperatorSettings given = arguments.settings();
    OperatorSettings settings = deployed(given, functions);
    boolean withIndexes = arguments.value("--indexes").filter(yes -> !yes.isEmpty()).isPresent();
    List<String> plan = plan(settings, answers, functions, withIndexes);
    boolean isSignedIn = arguments.value("--signed-in").filter(yes -> !yes.isEmpty()).isPresent();
    if (isSignedIn && !withIndexes && plan.stream().allMatch(line -> line.endsWith("=''"))) {
      throw new IllegalArgumentException(
          "NAME: expected a deployment's; found nothing with the mark of %s in project %s"
              .formatted(settings.name(), settings.project()));
    }
    program
        .out()
        .printf(
            "# The functions of %s in project %s, database %s, region %s stop: totals stand still. Data stays.%n",
            settings.what(), settings.project(), settings.database(), settings.region());
    plan.add(Shell.variable("FIRESTORE_DATABASE", settings.database()));
    Files.write(Path.of(arguments.required("--plan")), plan);
    return 0;
  }

  /** The settings that are deployed; without a function that can be read, those of the file. */
  private OperatorSettings deployed(OperatorSettings given, List<DeployedFunction> functions) {
    for (DeployedFunction function : new ResourceNames(given).deployed(functions)) {
      Map<String, String> all = new TreeMap<>(function.environment());
      all.putAll(Map.of("PROJECT", given.project(), "REGION", given.region()));
      try {
        return OperatorSettings.of(all);
      } catch (IllegalArgumentException unreadable) {
        program
            .out()
            .println("# The deployed settings cannot be read, so those of the file count.");
      }
    }
    return given;
  }

  private List<String> plan(
      OperatorSettings settings,
      Answers answers,
      List<DeployedFunction> functions,
      boolean withIndexes) {
    ResourceNames names = new ResourceNames(settings);
    List<String> ours =
        answers.list("accounts").stream()
            .filter(account -> Answers.text(account, "description").startsWith(names.mark()))
            .map(account -> Answers.text(account, "email"))
            .toList();
    List<String> plan = new ArrayList<>();
    plan.add(
        Shell.words(
            "job", marked(answers.list("jobs"), names).filter(names.job()::equals).toList()));
    plan.add(
        Shell.words(
            "triggers",
            Triggers.ours(names, answers.list("triggers")).values().stream()
                .map(trigger -> Answers.location(trigger) + "/" + Answers.id(trigger))
                .toList()));
    plan.add(
        Shell.words(
            "functions", names.deployed(functions).stream().map(DeployedFunction::name).toList()));
    plan.add(
        Shell.words(
            "topics",
            answers.list("topics").stream()
                .filter(topic -> Answers.text(topic, "labels", "tallyroll").equals(settings.name()))
                .map(Answers::id)
                .toList()));
    plan.add(
        Shell.words(
            "exclusion",
            Answers.objects(answers.one("sink"), "exclusions").stream()
                .map(exclusion -> Answers.text(exclusion, "name"))
                .filter(names.exclusion()::equals)
                .toList()));
    plan.add(Shell.words("metrics", marked(answers.list("metrics"), names).toList()));
    plan.addAll(
        Leaving.of(
            names,
            names.parts(/* trigger= */ true).toList(),
            ours,
            Roles.of(answers.one("policy"))));
    plan.add(
        Shell.words("indexed", withIndexes ? indexed(settings, answers, functions) : List.of()));
    return plan;
  }

  /** The names of the resources whose description begins with our mark. */
  private static Stream<String> marked(List<JsonObject> resources, ResourceNames names) {
    return resources.stream()
        .filter(resource -> Answers.text(resource, "description").startsWith(names.mark()))
        .map(Answers::id);
  }

  /** The fields whose exemption goes, unless another deployment needs it; a fold has none. */
  private List<String> indexed(
      OperatorSettings settings, Answers answers, List<DeployedFunction> functions) {
    List<Entry> entries = settings.entries();
    Neighbours neighbours = new Neighbours(settings, functions);
    List<String> indexed = new ArrayList<>();
    Stream.concat(DeployPlan.exempted(entries).stream(), DeployPlan.unindexed(entries))
        .distinct()
        .forEach(
            field -> {
              if (neighbours.use(field.collection())) {
                keep(field);
              } else {
                indexed.add(field.word());
              }
            });
    answers.list("indexes").stream()
        .filter(
            index ->
                entries.stream()
                    .flatMap(entry -> CompositeIndex.of(entry).stream())
                    .anyMatch(needed -> needed.is(index)))
        .forEach(index -> tell(index, settings));
    return indexed;
  }

  /** An index has no mark of ours, and queries of the app's may read it. */
  private void tell(JsonObject index, OperatorSettings settings) {
    program
        .out()
        .printf(
            "# sums have read this index. If no query of yours does: gcloud firestore indexes composite delete %s --database=%s --project=%s%n",
            Answers.id(index), Shell.quoted(settings.database()), settings.project());
  }

  private void keep(Field field) {
    program.out().println("# kept, since another deployment needs it: " + field);
  }
}
