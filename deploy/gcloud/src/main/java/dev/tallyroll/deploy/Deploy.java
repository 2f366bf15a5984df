package dev.tallyroll.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Makes a working counter system: reads all that is there, compares, asks, and then changes it. */
record Deploy(Arguments arguments, Console console, Path home, Path folder) {
  private static final Set<String> VARIANTS = Set.of("once", "down", "list", "more");

  /**
   * Runs it.
   *
   * @return the exit code
   * @throws Refusal if something is in the way
   * @throws Console.Failure if a step fails
   */
  int run() throws IOException {
    checkRules(arguments, "");
    Target target = Target.find(arguments, console, home);
    Deployment ours = target.deployment();
    checkRules(arguments, ours.get(Setting.COUNTERS));
    console.say(
        "Tallyroll in project %s, region %s, database %s"
            .formatted(ours.project(), ours.region(), ours.database()));
    console.say("trigger: " + ours.pattern() + " in " + ours.place());
    if (ours.get(Setting.COUNTERS).startsWith(Paths.ANYWHERE)) {
      console.say("this form of pattern is not verified in production");
    }
    target.sayWhatIsUnusual(console);
    Path artifact =
        Path.of(
            arguments
                .value("--artifact")
                .orElse(home.resolve("functions/target/function").toString()));
    String hash = Stage.hash(artifact);
    if (hash.isEmpty() && !console.isDryRun()) {
      throw new Refusal(
          "ARTIFACT: expected a folder with one jar, found '"
              + artifact
              + "'; make it: mvn package");
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

  /** The copies that are deployed, also for the Firebase CLI. */
  private Wanted stage(Stage stage, Deployment ours, String hash) throws IOException {
    RulesText rules = rules(arguments, ours, home);
    stage.write("firestore.indexes.json", indexes(ours));
    stage.write("firestore.rules", rules.text());
    stage.write("firestore.rules.json", rules.json());
    return new Wanted(
        ours,
        hash,
        stage.file("function").toString(),
        arguments.has("--rules") ? Optional.of(rules) : Optional.empty(),
        stage.file("firestore.rules.json").toString(),
        arguments.excludeRequestLogs(),
        arguments.value("--build-service-account").orElse(""),
        jvmOptions(home));
  }

  static String jvmOptions(Path home) throws IOException {
    return Files.readString(home.resolve("deploy/gcloud/jvm-options")).strip();
  }

  static RulesText rules(Arguments arguments, Deployment ours, Path home) throws IOException {
    boolean strict = arguments.value("--rules").orElse("").equals("strict");
    return RulesText.of(
        home.resolve("deploy/firestore")
            .resolve(strict ? "firestore.strict.rules" : "firestore.rules"),
        new TreeSet<>(variants(arguments)),
        ours);
  }

  private static List<String> variants(Arguments arguments) {
    String list = arguments.value("--rules-variants").orElse("");
    return list.isEmpty() ? List.of() : List.of(list.split(",", -1));
  }

  /** Rules that cannot hold are refused, not written. */
  static void checkRules(Arguments arguments, String counters) {
    String rules = arguments.value("--rules").orElse("");
    List<String> variants = variants(arguments);
    boolean anywhere = counters.startsWith(Paths.ANYWHERE);
    expect(Set.of("", "plain", "strict").contains(rules), "RULES: expected plain or strict", rules);
    expect(
        VARIANTS.containsAll(variants),
        "RULES_VARIANTS: expected some of once, down, list, more, with commas between",
        variants);
    expect(
        variants.isEmpty() || !rules.isEmpty(),
        "RULES_VARIANTS: expected --rules with it",
        variants);
    expect(
        !variants.contains("once") || rules.equals("strict"),
        "RULES_VARIANTS: expected --rules=strict with it",
        variants);
    expect(
        !anywhere || !rules.equals("strict"),
        "RULES: expected plain for counters under any parent, since a pass names the path of its shard",
        rules);
    expect(
        !anywhere || !variants.contains("list"),
        "RULES_VARIANTS: expected no list for counters under any parent, since it makes every document in a roll-ups"
            + " collection public",
        variants);
  }

  private static void expect(boolean holds, String words, Object found) {
    if (!holds) {
      throw new Refusal(words + ", found " + found);
    }
  }

  /** For the Firebase CLI; the commands do the same. */
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
    if (wanted.rules().isPresent()
        && state.ruleset().isPresent()
        && !state.rulesText().contains(wanted.rules().get().mark())) {
      RulesSteps.askAboutOthers(console, state, folder, arguments.has("--replace-rules"));
    }
    ask(changes, wanted.deployment());
    printRules(wanted);
    List<Step> steps = changes.steps(me);
    perform(changes, steps, wanted.deployment());
    sweep(wanted.deployment());
    return check(wanted, steps.isEmpty() ? changes : null);
  }

  /** What is in the way is refused, all at once. */
  private Changes compare(Wanted wanted, State state, String me) {
    Changes changes = new Changes(wanted, state);
    List<String> refusals = new ArrayList<>(changes.looks.refusals);
    state
        .document()
        .heldBySomebodyElse(me)
        .ifPresent(
            claim ->
                refusals.add(
                    "another deploy is at work, by %s, until %s at the latest; wait for it"
                        .formatted(claim.by(), claim.until())));
    if (!refusals.isEmpty()) {
      throw new Refusal(String.join("\n", refusals));
    }
    return changes;
  }

  private static Step apis(Wanted wanted, State state) {
    Set<String> missing = new TreeSet<>(State.APIS);
    missing.removeAll(state.apis());
    String command = "services enable " + String.join(" ", missing);
    return Step.gcloud(
        "APIs", missing.isEmpty() ? List.of() : Step.words(wanted.deployment(), command));
  }

  private void tellDifferences(Changes changes) {
    console.title(
        changes.differences.isEmpty() ? "Nothing is otherwise than wanted" : "What is otherwise");
    for (Changes.Difference one : changes.differences) {
      if (one.kind() == Changes.Kind.OF_TOTALS) {
        console.say(
            "!!! %s is to become %s, and was %s: totals may be wrong or new ones"
                .formatted(one.of(), one.wanted(), one.found()));
      }
    }
    changes.differences.stream()
        .filter(one -> one.kind() != Changes.Kind.OF_TOTALS)
        .forEach(one -> console.say("  " + one));
  }

  /** What is missing is made without a question; what is there is changed only with one. */
  private void ask(Changes changes, Deployment ours) {
    if (changes.changeSomething() && !console.isDryRun() && !arguments.has("--yes")) {
      String question = "Change what is deployed as " + ours.name() + "? Type yes to go on: ";
      console.agree(question, "yes", "to ask whether the above is to be changed, or --yes");
    }
  }

  private void printRules(Wanted wanted) throws IOException {
    if (wanted.rules().isEmpty()) {
      console.title("Security rules");
      console.say("left alone (no --rules). Merge these blocks into your own rules:");
      rules(arguments, wanted.deployment(), home)
          .text()
          .lines()
          .forEach(line -> console.say("  " + line));
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

  /** A subscription is there once its function is. */
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

  /** Triggers that were away have lost events for good. */
  private void sweep(Deployment ours) {
    console.perform(
        Step.gcloud(
            "A sweep: it finds whatever was written while nobody watched",
            ours,
            "pubsub topics publish % --message=sweep --attribute=kind=sweep",
            ours.get(Setting.ROLLUP_TOPIC)));
  }

  /** The same comparison once more: what is left is wrong. */
  private int check(Wanted wanted, @Nullable Changes unchanged) {
    if (!console.isDryRun()) {
      Changes left = unchanged;
      if (left == null) {
        left = new Changes(wanted, new State(console, wanted.deployment()));
      }
      tellWrong(console, left);
    }
    return console.verdict();
  }

  static void tellWrong(Console console, Changes left) {
    left.looks.refusals.forEach(console::wrong);
    left.differences.forEach(one -> console.wrong(one + "; run deploy"));
    left.wrong.forEach(console::wrong);
  }
}
