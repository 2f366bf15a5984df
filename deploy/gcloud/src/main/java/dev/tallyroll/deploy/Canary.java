package dev.tallyroll.deploy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Answers the questions that only a real project can answer. It deploys under a name of its own,
 * asks, and removes all of it, also after a failure or an interrupt. Not thread-safe.
 */
final class Canary {
  private static final String NAME = "tally-canary";

  /** Names that no other deployment has. */
  private static final Map<Setting, String> OWN =
      Map.of(
          Setting.COUNTERS, Paths.ANYWHERE + "tallyroll_canary_counters",
          Setting.SHARDS_COLLECTION, "tallyroll_canary_shards",
          Setting.ROLLUPS_COLLECTION, "tallyroll_canary_rollups",
          Setting.RUNS_COLLECTION, "tallyroll_canary_runs",
          Setting.INCREMENTS_COLLECTION, "tallyroll_canary_names",
          Setting.ROLLUP_TOPIC, "tallyroll-canary");

  /** A setting of both functions, and its values in the first and in the second deploy. */
  private static final List<String> REDEPLOY =
      List.of("--sweep-counters=10000", "--sweep-counters=9999");

  private final Arguments arguments;
  private final Cloud cloud;
  private final Console.Surroundings here;
  private final Path home;
  private final Path folder;
  private final Prices prices;

  /** The command line that all commands of a canary share. Its last word is one of REDEPLOY. */
  private final List<String> words = new ArrayList<>();

  Canary(Arguments arguments, Cloud cloud, Console.Surroundings here, Path home, Path folder) {
    this.arguments = arguments;
    this.cloud = cloud;
    this.here = here;
    this.home = home;
    this.folder = folder;
    this.prices = Prices.in(home);
    Map<Setting, String> settings = new EnumMap<>(OWN);
    settings.putAll(arguments.given());
    words.add("--project=" + arguments.needed("--project", "a project's id"));
    words.add("--region=" + arguments.needed("--region", "a region such as us-central1"));
    words.add("--name=" + arguments.value("--name").orElse(NAME));
    arguments.value("--trigger-location").ifPresent(at -> words.add("--trigger-location=" + at));
    settings.forEach((setting, value) -> words.add(setting.flag() + "=" + value));
    words.add(REDEPLOY.get(0));
  }

  /**
   * Returns the exit code: 0 if every stage ended and all is removed, whatever the answers are.
   *
   * @throws Refusal if something is in the way
   */
  int run() throws IOException {
    Console console = console();
    Target target = Target.find(of("smoke"), console, home);
    Deployment ours = target.deployment();
    Ground ground = new Ground(cloud, console, ours);
    if (arguments.has("--dry-run")) {
      deploy(console());
      List.of(Question.values()).forEach(one -> here.out().println("# asked: " + one.title));
      here.out().println("# Then all of it is removed.");
      return 0;
    }
    refuseWhatIsThere(ours, target.state(), ground);
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    Thread stop = removeBeforeTheEnd(done);
    try {
      return run(ours, target.state(), ground);
    } finally {
      done.complete(true);
      forget(stop);
    }
  }

  private int run(Deployment ours, State before, Ground ground) throws IOException {
    Findings findings = new Findings();
    Console first = console();
    boolean ended = false;
    try {
      if (deploy(first) != 0) {
        findings.remark("The deploy said WRONG.");
      }
      Instant from = before.document().readTime();
      new Experiments(this, ours, cloud, here, findings, from, prices).run();
      ended = true;
    } catch (RuntimeException | IOException e) {
      if (e instanceof Refusal refusal && !first.hasChanged()) {
        throw refusal;
      }
      // The removal has to happen after every kind of failure.
      findings.remark("It ended early: " + Findings.words(e));
    }
    boolean removed = remove(ground);
    findings.remark(removed ? "All of it is removed." : notRemoved(ours, ground));
    here.out().println("\n" + findings.report(ours));
    return ended && removed ? 0 : 1;
  }

  /** Each command gets its own console, because a console counts faults. */
  Console console() {
    return new Console(cloud, here, arguments.has("--dry-run"), /* quiet= */ false);
  }

  /** The command line of another command, for the canary's deployment. */
  Arguments of(String command, String... more) {
    List<String> all = new ArrayList<>(words);
    all.addAll(List.of(more));
    for (String option : List.of("--artifact", "--build-service-account")) {
      arguments
          .value(option)
          .filter(value -> command.equals("deploy"))
          .ifPresent(value -> all.add(option + "=" + value));
    }
    if (arguments.has("--dry-run")) {
      all.add("--dry-run");
    }
    return Arguments.of(command, all);
  }

  private int deploy(Console console) throws IOException {
    return new Deploy(of("deploy", "--yes"), console, home, folder).run();
  }

  /** Deploys both functions again, with another setting. */
  void redeploy() throws IOException {
    words.set(words.size() - 1, REDEPLOY.get(1));
    deploy(console());
  }

  int smoke() throws IOException {
    return new Smoke(of("smoke"), console(), home).run();
  }

  RulesText rules(Deployment ours) throws IOException {
    return Deploy.rules(of("deploy"), ours, home);
  }

  /** Refuses to start where something has our names: the removal at the end would delete it. */
  private static void refuseWhatIsThere(Deployment ours, State state, Ground ground) {
    List<String> taken = taken(ours, state);
    if (!taken.isEmpty()) {
      throw new Refusal(
          """
          NAME: expected nothing that is called %s, found %s
            If a canary has left it, run: deploy/gcloud/destroy --yes --indexes %s
            If not, take another --name or --rollup-topic."""
              .formatted(ours.name(), String.join(", ", taken), identity(ours)));
    }
    List<String> documents = state.database().isEmpty() ? List.of() : ground.documents();
    if (!documents.isEmpty()) {
      throw new Refusal(
          """
          COLLECTIONS: expected no documents in the canary's collections, found %s
            If a canary has left them, run: gcloud firestore bulk-delete --collection-ids=%s --database=%s --project=%s
            If not, name other collections, such as --shards-collection."""
              .formatted(
                  documents.get(0).substring(ours.documents().length() + 1),
                  String.join(",", ground.collections()),
                  Step.quoted(ours.database()),
                  ours.project()));
    }
  }

  private static List<String> taken(Deployment ours, State state) {
    Stream<String> functions =
        Deployment.FUNCTIONS.stream().filter(who -> state.function(who) != null).map(ours::named);
    Stream<String> jobs = Stream.of(ours.named("run")).filter(state.jobs()::containsKey);
    Stream<String> accounts =
        Deployment.ACCOUNTS.keySet().stream()
            .map(ours::account)
            .filter(state.accounts()::containsKey);
    Stream<String> topics =
        Stream.of(ours.get(Setting.ROLLUP_TOPIC), ours.deadLetters())
            .filter(state.topics()::containsKey);
    Stream<String> images = Stream.ofNullable(state.images()).map(one -> Json.id(ours.images()));
    return Stream.of(
            functions.map(name -> "function " + name),
            jobs.map(name -> "job " + name),
            accounts.map(name -> "account " + name),
            topics.map(name -> "topic " + name),
            images.map(name -> "repository " + name))
        .flatMap(all -> all)
        .toList();
  }

  /** The words of a command line that find it; destroy reads its settings from what is there. */
  private static String identity(Deployment ours) {
    return "--project=%s --region=%s --name=%s --database=%s %s=%s %s=%s"
        .formatted(
            ours.project(),
            ours.region(),
            ours.name(),
            Step.quoted(ours.database()),
            Setting.COUNTERS.flag(),
            Step.quoted(ours.get(Setting.COUNTERS)),
            Setting.RUNS_COLLECTION.flag(),
            ours.get(Setting.RUNS_COLLECTION));
  }

  /** An interrupt of the process interrupts this thread. The process ends after the removal. */
  private static Thread removeBeforeTheEnd(CompletableFuture<Boolean> done) {
    Thread me = Thread.currentThread();
    Thread stop =
        new Thread(
            () -> {
              me.interrupt();
              done.join();
            });
    Runtime.getRuntime().addShutdownHook(stop);
    return stop;
  }

  private static void forget(Thread stop) {
    try {
      Runtime.getRuntime().removeShutdownHook(stop);
    } catch (IllegalStateException e) {
      // The process is ending: the hook is at work.
      Thread.currentThread().interrupt();
    }
  }

  static void stopIfInterrupted() {
    if (Thread.currentThread().isInterrupted()) {
      throw new Undetermined("it was interrupted");
    }
  }

  /** A deploy that died between the functions leaves two values, so each of them is tried. */
  private boolean remove(Ground ground) {
    // A thread whose flag is set could not pause, and the removal would end.
    boolean interrupted = Thread.interrupted();
    here.out().println("\n# The removal" + (interrupted ? ", as it was interrupted" : ""));
    for (String option : List.of(REDEPLOY.get(1), REDEPLOY.get(0), REDEPLOY.get(1))) {
      words.set(words.size() - 1, option);
      try {
        Destroy destroy = new Destroy(of("destroy", "--yes", "--indexes"), console(), home);
        new RulesTrial(cloud, console(), ground.ours()).remove();
        if (destroy.run() == 0 && isEmptied(ground)) {
          return true;
        }
      } catch (RuntimeException | IOException e) {
        here.out().println("# not removed yet: " + Findings.words(e));
      }
    }
    return false;
  }

  /** Whether no document of the canary is left; without a database there is none. */
  private boolean isEmptied(Ground ground) {
    return new State(console(), ground.ours()).database().isEmpty() || ground.empty();
  }

  private static String notRemoved(Deployment ours, Ground ground) {
    return "NOT REMOVED. Run: deploy/gcloud/destroy --yes --indexes %s; then delete the documents in %s."
        .formatted(identity(ours), String.join(", ", ground.collections()));
  }
}
