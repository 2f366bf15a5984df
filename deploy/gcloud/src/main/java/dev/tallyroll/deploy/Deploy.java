package dev.tallyroll.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Makes a working counter system: reads the project, compares, asks, and then changes it. */
record Deploy(Arguments arguments, Console console, Path home, Path folder) {
  /** Returns the exit code. */
  int run() throws IOException {
    Checks.rules(arguments, "");
    Checks.address(arguments);
    Target target = Target.find(arguments, console, home);
    Deployment ours = target.deployment();
    Checks.rules(arguments, ours.get(Setting.COUNTERS));
    console.say(
        "Tallyroll in project %s, region %s, database %s"
            .formatted(ours.project(), ours.region(), ours.database()));
    console.say("trigger: " + ours.pattern() + " in " + ours.place());
    if (ours.get(Setting.COUNTERS).startsWith(Paths.ANYWHERE)) {
      console.say("this form of pattern is not verified in production");
    }
    target.sayWhatIsUnusual(console);
    Path built = home.resolve("functions/target/function");
    Path artifact = arguments.value("--artifact").map(Path::of).orElse(built);
    String hash = Stage.hash(artifact);
    if (hash.isEmpty() && !console.isDryRun()) {
      String found = "found '" + artifact + "'; make it: mvn package";
      throw new Refusal("ARTIFACT: expected a folder with one jar, " + found);
    }
    Path staging = arguments.value("--stage").map(folder::resolve).orElse(Stage.folder(home, ours));
    try (Stage stage = Stage.open(staging.toAbsolutePath().normalize(), ours)) {
      Wanted wanted = stage(stage, ours, hash.isEmpty() ? "nothing-is-built" : hash);
      if (!console.isDryRun()) {
        stage.copyFunction(artifact);
      }
      return run(wanted, target.state(), Stage.owner(stage.file("")));
    }
  }

  /** Stages the copies that are deployed, also for the Firebase CLI. */
  private Wanted stage(Stage stage, Deployment ours, String hash) throws IOException {
    String json = stage.file("firestore.rules.json").toString();
    Wanted wanted = Wanted.of(arguments, ours, home, hash, stage.file(""), json);
    stage.write("firestore.indexes.json", indexes(ours));
    stage.write("firestore.rules", wanted.rules().text());
    stage.write("firestore.rules.json", wanted.rules().json());
    wanted.monitoring().stage(stage);
    String images = Files.readString(home.resolve("deploy/gcloud").resolve(Changes.IMAGES));
    stage.write(Changes.IMAGES, images);
    return wanted;
  }

  static RulesText rules(Arguments arguments, Deployment ours, Path home) throws IOException {
    boolean strict = arguments.value("--rules").orElse("").equals("strict");
    String file = strict ? "firestore.strict.rules" : "firestore.rules";
    String[] variants = arguments.value("--rules-variants").orElse("").split(",", -1);
    Path path = home.resolve("deploy/firestore").resolve(file);
    return RulesText.of(path, new TreeSet<>(List.of(variants)), ours);
  }

  /** The index file for the Firebase CLI. The commands make the same settings. */
  private String indexes(Deployment ours) throws IOException {
    String text =
        Files.readString(home.resolve("deploy/firestore/firestore.indexes.json"))
            .replace("\"rollups\"", "\"" + ours.get(Setting.ROLLUPS_COLLECTION) + "\"")
            .replace("\"increment_names\"", "\"" + ours.get(Setting.INCREMENTS_COLLECTION) + "\"");
    String count =
        "\n    { \"collectionGroup\": \"%s\", \"fieldPath\": \"%s\", \"indexes\": [] },"
            .formatted(ours.get(Setting.SHARDS_COLLECTION), ours.get(Setting.COUNT_FIELD));
    String start = "\"fieldOverrides\": [";
    return ours.get(Setting.SUM).equals("aggregate") ? text : text.replace(start, start + count);
  }

  private int run(Wanted wanted, State first, String me) throws IOException {
    State state = first;
    Changes changes = compare(wanted, state, me);
    Step apis = apis(wanted, state);
    if (!apis.words().isEmpty()) {
      console.perform(apis);
      if (!console.isDryRun()) {
        state = new State(console, wanted.deployment());
        changes = compare(wanted, state, me);
      }
    }
    changes.looks.said.forEach(console::say);
    tellDifferences(changes);
    if (wanted.replacesRules()
        && state.ruleset().isPresent()
        && !state.rulesText().contains(wanted.rules().mark())) {
      RulesText.askAboutOthers(console, state, folder, arguments.has("--replace-rules"));
    }
    ask(changes, wanted.deployment());
    printRules(wanted);
    printBudget(wanted);
    List<Step> steps = changes.steps(me);
    perform(changes, steps, wanted.deployment());
    console.perform(sweep(wanted.deployment()));
    return check(wanted, steps.isEmpty() ? Optional.of(changes) : Optional.empty());
  }

  /** Refuses to deploy if there are obstacles, and names all of them at once. */
  private Changes compare(Wanted wanted, State state, String me) {
    Changes changes = new Changes(wanted, state);
    List<String> refusals = new ArrayList<>(changes.looks.refusals);
    state.document().heldBySomebodyElse(me).ifPresent(claim -> refusals.add(claim.toString()));
    if (!refusals.isEmpty()) {
      throw new Refusal(String.join("\n", refusals));
    }
    return changes;
  }

  private static Step apis(Wanted wanted, State state) {
    List<String> missing = new ArrayList<>(State.APIS);
    missing.removeAll(state.apis());
    String command = "services enable " + String.join(" ", missing);
    return Step.gcloud(
        "APIs", missing.isEmpty() ? List.of() : Step.words(wanted.deployment(), command));
  }

  private void tellDifferences(Changes changes) {
    console.title(changes.differences.isEmpty() ? "No differences" : "Differences");
    List<Changes.Difference> all = new ArrayList<>(changes.differences);
    all.sort(Comparator.comparing(one -> one.kind() != Changes.Kind.OF_TOTALS));
    all.forEach(one -> console.say(one.told()));
  }

  /** Missing things are made without a question. A thing that exists is changed after one. */
  private void ask(Changes changes, Deployment ours) {
    if (changes.changeSomething() && !console.isDryRun() && !arguments.has("--yes")) {
      String question = "Change what is deployed as " + ours.name() + "? Type yes to go on: ";
      console.agree(question, "yes", "to ask whether the above is to be changed, or --yes");
    }
  }

  private void printRules(Wanted wanted) {
    if (!wanted.replacesRules()) {
      console.title("Security rules");
      console.say("left alone (no --rules). Merge these blocks into your own rules:");
      wanted.rules().text().lines().forEach(line -> console.say("  " + line));
    }
  }

  /** A budget belongs to a billing account, which the deployer may not be allowed to change. */
  private void printBudget(Wanted wanted) {
    if (!arguments.alertsTo().orElse("").isEmpty()) {
      console.title("A budget");
      console.say(
          """
          left to you: it needs roles/billing.costsManager on the billing account, and it counts the whole project, since
          Firestore's operations carry no label of a deployment. For 50 a month:
            gcloud billing budgets create --billing-account=ACCOUNT --display-name=%s --budget-amount=50 \
          --filter-projects=projects/%s --threshold-rule=percent=0.5 --threshold-rule=percent=1.0"""
              .formatted(wanted.deployment().name(), wanted.deployment().project()));
    }
  }

  /** The claim is given back also after a failure, unless that cannot be done either. */
  private void perform(Changes changes, List<Step> steps, Deployment ours) {
    int done = 0;
    try {
      for (Step step : steps) {
        if (isKnown(step, ours)) {
          console.perform(step);
        }
        done++;
      }
    } catch (Console.Failure failure) {
      if (done > 0 && done < steps.size() - 1) {
        giveUp(changes);
      }
      throw failure;
    }
  }

  private void giveUp(Changes changes) {
    try {
      console.perform(changes.givingUp());
    } catch (Console.Failure again) {
      console.say("for two hours, only the same checkout can go on");
    }
  }

  /** Eventarc makes a subscription with its function, so its name is known only then. */
  private boolean isKnown(Step step, Deployment ours) {
    for (String who : Deployment.FUNCTIONS) {
      String name = Changes.subscriptionOf(who);
      if (step.words().contains(name) && !console.isDryRun()) {
        String subscription = new State(console, ours).subscription(who);
        if (subscription.isEmpty()) {
          return false; // The check at the end says so.
        }
        console.know(name, subscription);
      }
    }
    return true;
  }

  /** A trigger that was away has lost events for good, so a sweep follows. */
  static Step sweep(Deployment ours) {
    return Step.gcloud(
        "A sweep: it finds whatever was written while nobody watched",
        ours,
        "pubsub topics publish % --message=sweep --attribute=kind=sweep",
        ours.get(Setting.ROLLUP_TOPIC));
  }

  /** Compares once more: a difference that is left is a fault. */
  private int check(Wanted wanted, Optional<Changes> unchanged) {
    if (!console.isDryRun()) {
      Deployment ours = wanted.deployment();
      tellWrong(unchanged.orElseGet(() -> new Changes(wanted, new State(console, ours))));
    }
    return console.verdict();
  }

  private void tellWrong(Changes left) {
    left.looks.refusals.forEach(console::wrong);
    left.differences.forEach(one -> console.wrong(one + "; run deploy"));
    left.wrong.forEach(console::wrong);
  }
}
