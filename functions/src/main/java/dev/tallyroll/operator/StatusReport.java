package dev.tallyroll.operator;

import com.google.gson.JsonObject;
import dev.tallyroll.operator.FieldIndexes.Field;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.settings.OperatorSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The faults of a deployment, by what gcloud says of it. Used by one thread. */
final class StatusReport {
  private static final int HANDLER_DEADLINE = 120;
  private static final int ROLLER_DEADLINE = 600;
  private static final int LONGEST_WAIT = 300;
  private static final int OLDEST_LEASE_MS = 120_000;
  private static final int SWEEPS_A_MONTH = 720;

  /** The platform's own line about a failed event, which comes again. */
  private static final String EVENT_FAILED = "Failed to execute dev.tallyroll";

  private final OperatorSettings settings;
  private final ResourceNames names;
  private final Answers answers;
  private final Prices prices;
  private final String deploy;
  private final Instant now;
  private final List<String> lines = new ArrayList<>();
  private boolean fine = true;

  /**
   * What there is of an entry.
   *
   * @param totals how many roll-ups
   * @param live how many totals are live
   * @param oldest of when the oldest of these is, among the first hundred
   */
  record Standing(long totals, long live, Optional<Instant> oldest) {}

  /**
   * @param settingsFile as it was given, for commands that are printed
   */
  StatusReport(
      OperatorSettings settings, Answers answers, Prices prices, String settingsFile, Instant now) {
    this.settings = settings;
    this.names = new ResourceNames(settings);
    this.answers = answers;
    this.prices = prices;
    this.deploy =
        "deploy/gcloud/deploy --settings %s --project %s --region %s"
            .formatted(Shell.quoted(settingsFile), settings.project(), settings.region());
    this.now = now;
  }

  /** What was found, and whether all is well. */
  List<String> lines() {
    List<String> all = new ArrayList<>(lines);
    if (fine) {
      all.add("No fault found.");
    }
    return all;
  }

  boolean isFine() {
    return fine;
  }

  private void wrong(String reason) {
    wrong(reason, deploy);
  }

  private void wrong(String reason, String command) {
    fine = false;
    lines.add("WRONG: " + reason);
    lines.add("  " + command);
  }

  /** Says what could not be looked at. */
  void tellUnseen(String what) {
    fine = false;
    lines.add("NOT SEEN: this account may not look at " + what);
  }

  /**
   * Says how an entry stands.
   *
   * @param found what there is of it; empty if this account may not look
   */
  void tell(Entry entry, Optional<Standing> found) {
    List<String> words = new ArrayList<>();
    found.ifPresent(
        standing ->
            words.add(
                "%d totals, %d live%s"
                    .formatted(
                        standing.totals(),
                        standing.live(),
                        standing
                            .oldest()
                            .map(asOf -> Duration.between(asOf, now).toMillis() / 1e3)
                            .map(
                                age ->
                                    String.format(
                                        Locale.ROOT, ", of which the oldest is of %.1f s ago", age))
                            .orElse(""))));
    newest(sweeps(entry.name()), line -> true).map(this::sweep).ifPresent(words::add);
    if (!words.isEmpty()) {
      lines.add(entry + ": " + String.join("; ", words));
    }
  }

  /** Says that a roll-up in the place of ours is a total of something else. */
  void tellOther(Entry entry, String text) {
    wrong(
        "%s: expected totals that are the '%s', found one that is the '%s': the functions leave such alone"
            .formatted(entry.layout().rollups(), entry.totalOf(), text));
  }

  /** Looks at all answers. */
  void look() {
    answers.denied().forEach(this::tellUnseen);
    List<DeployedFunction> functions = DeployedFunction.of(answers.list("functions"));
    for (String function : names.functions()) {
      lookAtFunction(function, functions);
    }
    lookAtRoles();
    lookAtLeft(functions);
    lookAtJob();
    lookAtTriggers(functions);
    if (!settings.entries().isEmpty()) {
      lookAtIndexes();
    }
    lookAtRuns(functions);
    lookAtEvents();
    lookAtErrors();
    if (settings.fold().isPresent()) {
      lookAtStuck();
    }
    lookAtShards();
  }

  private boolean saw(String... questions) {
    return Stream.of(questions).noneMatch(answers.denied()::contains);
  }

  private void lookAtFunction(String name, List<DeployedFunction> functions) {
    if (!saw("functions")) {
      return;
    }
    Optional<DeployedFunction> found =
        names.deployed(functions).stream().filter(one -> one.name().equals(name)).findFirst();
    String state = found.map(DeployedFunction::state).orElse("none");
    if (!state.equals("ACTIVE")) {
      wrong(name + ": expected it to be ACTIVE, found " + state);
      return;
    }
    List<String> changes = found.get().changes(settings.environment());
    if (!changes.isEmpty()) {
      wrong(
          name
              + " has other settings than the file, < deployed > expected:\n"
              + String.join("\n", changes));
    }
    if (saw("invokers-" + name)
        && !Roles.of(answers.one("invokers-" + name))
            .has(names.account("delivery"), "run.invoker")) {
      wrong(
          "%s: expected roles/run.invoker on %s, or no event arrives, found none"
              .formatted(names.account("delivery"), name));
    }
    int least = name.equals(names.handler()) ? HANDLER_DEADLINE : ROLLER_DEADLINE;
    lookAtSubscription(name, lastPart(found.get().trigger()), least);
  }

  private void lookAtSubscription(String whose, String trigger, int least) {
    if (!saw("triggers", "subscriptions")) {
      return;
    }
    String subscription =
        answers.list("triggers").stream()
            .filter(one -> Answers.id(one).equals(trigger))
            .map(one -> lastPart(Answers.text(one, "transport", "pubsub", "subscription")))
            .findFirst()
            .orElse("");
    String seconds =
        answers.list("subscriptions").stream()
            .filter(one -> Answers.id(one).equals(subscription))
            .map(one -> Answers.text(one, "ackDeadlineSeconds"))
            .findFirst()
            .orElse("");
    if (seconds.isEmpty() || Integer.parseInt(seconds) < least) {
      wrong(
          "%s: expected an ack deadline of %d s, found %s"
              .formatted(whose, least, seconds.isEmpty() ? "no subscription" : seconds));
    }
  }

  private static String lastPart(String name) {
    return name.substring(name.lastIndexOf('/') + 1);
  }

  /** Reports triggers, beside the function's own, that are missing or that no entry needs. */
  private void lookAtTriggers(List<DeployedFunction> functions) {
    if (!saw("functions", "triggers")) {
      return;
    }
    Triggers triggers = Triggers.of(settings, functions, answers.list("triggers"));
    triggers
        .wanted()
        .forEach(
            (name, pattern) -> {
              if (triggers.there().containsKey(name)) {
                lookAtSubscription(name, name, HANDLER_DEADLINE);
              } else {
                wrong("expected a trigger %s for %s, found none".formatted(name, pattern));
              }
            });
    triggers
        .going()
        .forEach(name -> wrong("expected no trigger %s, which no entry needs".formatted(name)));
    if (!triggers.isUsed() && !triggers.own().isEmpty()) {
      lines.add(
          "OnShardWritten's own trigger watches %s, which no entry counts: its events are dropped"
              .formatted(triggers.own()));
    }
  }

  private void lookAtRoles() {
    if (saw("policy")) {
      Roles roles = Roles.of(answers.one("policy"));
      expect(roles, "delivery", "eventarc.eventReceiver", "in the project");
      for (String part : parts()) {
        boolean has =
            roles.of(names.account(part)).stream()
                .anyMatch(
                    role ->
                        role.role().equals("roles/datastore.user")
                            && role.title().equals(settings.name())
                            && role.expression().equals(names.expression()));
        if (!has) {
          wrong(missing(part, "datastore.user", "for this database in the project"));
        }
        List<Roles.Role> more = names.otherDatabases(roles, part);
        if (!more.isEmpty()) {
          wrong(
              "%s: expected roles/datastore.user for %s only, found it for more: %s"
                  .formatted(names.account(part), settings.database(), more.get(0).condition()));
        }
      }
    }
    if (saw("topic-policy")) {
      Roles roles = Roles.of(answers.one("topic-policy"));
      parts()
          .forEach(
              part -> expect(roles, part, "pubsub.publisher", "on the topic " + settings.topic()));
    }
  }

  /** The parts of the deployment that have a service account. */
  private List<String> parts() {
    return names
        .parts(settings.hasTrigger())
        .filter(part -> !part.equals("build") && !part.equals("delivery"))
        .toList();
  }

  private void expect(Roles roles, String part, String role, String where) {
    if (!roles.has(names.account(part), role)) {
      wrong(missing(part, role, where));
    }
  }

  private String missing(String part, String role, String where) {
    return "%s: expected roles/%s %s, found none".formatted(names.account(part), role, where);
  }

  /** What an earlier deploy has left, if a step of this one failed. */
  private void lookAtLeft(List<DeployedFunction> functions) {
    if (settings.hasTrigger()) {
      return;
    }
    if (names.deployed(functions).stream().anyMatch(one -> one.name().equals(names.handler()))) {
      wrong(names.handler() + ": expected no such function without events, found it");
    }
    Roles.of(answers.one("policy")).of(names.account("on-shard-written")).stream()
        .findFirst()
        .ifPresent(
            role ->
                wrong(
                    "%s: expected no role without events, found %s"
                        .formatted(names.account("on-shard-written"), role.role())));
  }

  private void lookAtJob() {
    if (!saw("jobs")) {
      return;
    }
    String found =
        answers.list("jobs").stream()
            .filter(job -> Answers.id(job).equals(names.job()))
            .map(job -> Answers.text(job, "state") + " " + Answers.text(job, "status", "code"))
            .findFirst()
            .orElse("none")
            .strip();
    if (!found.matches("ENABLED( 0)?")) {
      String job =
          "%s --location=%s --project=%s"
              .formatted(names.job(), settings.region(), settings.project());
      wrong(
          "the job %s: expected ENABLED, found %s: totals of busy counters stand still"
              .formatted(names.job(), found),
          "gcloud scheduler jobs resume " + job + " && gcloud scheduler jobs run " + job);
    }
  }

  /** {@code firebase deploy --force} removes settings that firestore.indexes.json does not have. */
  private void lookAtIndexes() {
    if (!saw("fields", "ttls", "indexes")) {
      return;
    }
    FieldIndexes indexes = new FieldIndexes(answers.list("fields"), answers.list("ttls"));
    DeployPlan.exempted(settings.entries()).stream()
        .filter(field -> !indexes.isExempt(field))
        .forEach(
            field ->
                wrong(
                    field
                        + ": expected no index, found one: from 500 writes a second on, it slows them"
                        + " all"));
    if (DeployPlan.hasNames(settings.entries()) && !indexes.isExpiring(DeployPlan.expiring())) {
      wrong(
          DeployPlan.expiring()
              + ": expected a TTL policy, found none: names of increments stay for ever");
    }
    for (Entry entry : settings.entries()) {
      lookAtIndex(entry, indexes);
      CompositeIndex.of(entry).ifPresent(index -> lookAtIndex(entry, index));
    }
  }

  private void lookAtIndex(Entry entry, CompositeIndex needed) {
    Optional<String> state =
        answers.list("indexes").stream()
            .filter(needed::is)
            .map(index -> Answers.text(index, "state"))
            .findFirst();
    if (state.isEmpty()) {
      wrong(
          "%s: expected an index on %s, which sums read, found none: no total moves"
              .formatted(entry, needed),
          needed.command(settings.database(), settings.project()));
    } else if (!state.get().equals("READY")) {
      lines.add(
          "%s: the index on %s is not ready: its totals stand still until it is"
              .formatted(entry, needed));
    }
  }

  private void lookAtIndex(Entry entry, FieldIndexes indexes) {
    Optional<Field> counted = DeployPlan.counted(entry);
    if (counted.isPresent() && !entry.isIndexed()) {
      if (!indexes.isExempt(counted.get())) {
        wrong(counted.get() + ": expected no index with \"index\": false, found one");
      }
    } else if (counted.filter(indexes::isBuilding).isPresent()) {
      lines.add(
          "%s: the index on %s is not ready: its totals stand still until it is"
              .formatted(entry, counted.get()));
    } else if (counted.isPresent()) {
      indexes
          .exemption(counted.get())
          .ifPresent(
              exemption ->
                  wrong(
                      "%s: expected an index, which sums read, found an exemption of %s: no total moves"
                          .formatted(counted.get(), exemption),
                      "gcloud firestore indexes fields update %s --collection-group=%s %s --database=%s --project=%s"
                          .formatted(
                              counted.get().path(),
                              counted.get().collection(),
                              indexes.again(counted.get()),
                              Shell.quoted(settings.database()),
                              settings.project())));
    }
  }

  /** What the log of RollUp says; a new one may not have written a line yet. */
  private void lookAtRuns(List<DeployedFunction> functions) {
    if (!saw("runs", "sweeps")) {
      return;
    }
    Instant updated =
        names.deployed(functions).stream()
            .filter(one -> one.name().equals(names.roller()))
            .map(one -> time(one.updated()))
            .findFirst()
            .orElse(Instant.EPOCH);
    List<JsonObject> runs = answers.list("runs");
    if (newest(runs, line -> message(line).equals("run ended")).isEmpty()
        && updated.isBefore(now.minus(Duration.ofMinutes(5)))) {
      wrong(
          "no run has ended for three minutes: totals of busy counters stand still",
          "gcloud scheduler jobs describe %s --location=%s --project=%s"
              .formatted(names.job(), settings.region(), settings.project()));
    }
    lookAtSweeps(updated);
    if (newest(runs, line -> number(line, "cut") > 0).isPresent()) {
      wrong("a worker has more live counters than it reads: raise WORKERS");
    }
    if (newest(runs, StatusReport::isOverdue).isPresent()) {
      wrong(
          "a lease ended more than two minutes ago, or counters or shards were not reached for ten: their totals stand still",
          publish("run", "kind=run"));
    }
  }

  private static boolean isOverdue(JsonObject line) {
    return number(line, "oldest_lease_ms") > OLDEST_LEASE_MS
        || number(line, "overdue") > 0
        || message(line).contains("a poll of all counters takes more than ten minutes");
  }

  /** Each entry has sweeps of its own. */
  private void lookAtSweeps(Instant updated) {
    if (settings.fold().isPresent()) {
      lookAtSweeps("", updated);
      newest(sweeps(""), line -> true).map(this::sweep).ifPresent(lines::add);
    }
    settings.entries().forEach(entry -> lookAtSweeps(entry.name(), updated));
  }

  /** The log lines of an entry's sweeps; of a fold, all lines. */
  private List<JsonObject> sweeps(String entry) {
    return answers.list("sweeps").stream()
        .filter(line -> entry.isEmpty() || payload(line, StructuredLog.ENTRY).equals(entry))
        .toList();
  }

  /** One of everything, which deploy asks for, takes as many turns as it needs. */
  private void lookAtSweeps(String entry, Instant updated) {
    List<JsonObject> sweeps = sweeps(entry);
    boolean isUnderWay =
        newest(sweeps, line -> true)
            .filter(
                line ->
                    payload(line, "pass").equals("all")
                        && payload(line, "complete").equals("false")
                        && time(Answers.text(line, "timestamp"))
                            .isAfter(now.minus(Duration.ofMinutes(30))))
            .isPresent();
    if (newest(sweeps, line -> payload(line, "behind").equals("false")).isEmpty()
        && updated.isBefore(now.minus(Duration.ofHours(2)))
        && !isUnderWay) {
      wrong(
          (entry.isEmpty() ? "" : entry + ": ")
              + "no sweep for two hours, or a round of more than a day: totals whose events were lost stay wrong",
          publish("sweep", settings.fold().isPresent() ? "kind=sweep" : "kind=sweep,pass=all"));
    }
  }

  private String sweep(JsonObject sweep) {
    boolean isOfAll = !payload(sweep, "pass").isEmpty();
    String round = payload(sweep, "round_looked");
    String month =
        isOfAll || settings.fold().isPresent()
            ? ""
            : String.format(
                Locale.ROOT,
                "; sweeps cost $%.2f a month",
                prices.reads(number(sweep, "looked") * Prices.READS_A_LOOK * SWEEPS_A_MONTH));
    return "the newest sweep%s: looked at %s documents, %s%s%s"
        .formatted(
            isOfAll ? " of everything" : "",
            payload(sweep, "looked"),
            payload(sweep, "complete").equals("true") ? "complete" : "and goes on",
            round.isEmpty()
                ? ""
                : "; %s in its round, which began %s hours ago"
                    .formatted(round, payload(sweep, "round_hours")),
            month);
  }

  private String publish(String message, String attributes) {
    return "gcloud pubsub topics publish %s --project=%s --message=%s --attribute=%s"
        .formatted(settings.topic(), settings.project(), message, attributes);
  }

  /** How long the oldest event waits. Pub/Sub measures this some minutes late. */
  private void lookAtEvents() {
    long seconds =
        Answers.objects(answers.one("waits"), "timeSeries").stream()
            .flatMap(series -> Answers.objects(series, "points").stream())
            .map(point -> Answers.text(point, "value", "int64Value"))
            .filter(value -> !value.isEmpty())
            .mapToLong(Long::parseLong)
            .max()
            .orElse(0);
    if (seconds > LONGEST_WAIT) {
      wrong(
          "an event has waited for %d s: OnShardWritten is too slow, or fails".formatted(seconds),
          log("WARNING"));
    }
  }

  private void lookAtErrors() {
    newest(
            answers.list("warnings"),
            line ->
                Answers.text(line, "severity").matches("ERROR|CRITICAL|ALERT|EMERGENCY")
                    && isOfTheLastHour(line)
                    && !Answers.text(line, "textPayload").contains(EVENT_FAILED))
        .ifPresent(
            line ->
                wrong(
                    "errors in the last hour, the last: "
                        + Stream.of(
                                Answers.text(line, "timestamp"),
                                Answers.text(line, "resource", "labels", "service_name"),
                                message(line),
                                Answers.text(line, "textPayload"))
                            .filter(word -> !word.isEmpty())
                            .collect(Collectors.joining(" "))
                            .lines()
                            .findFirst()
                            .orElse(""),
                    log("ERROR")));
  }

  private boolean isOfTheLastHour(JsonObject line) {
    return time(Answers.text(line, "timestamp")).isAfter(now.minus(Duration.ofHours(1)));
  }

  private String log(String severity) {
    return ("gcloud logging read 'resource.labels.service_name=(\"%s\" OR \"%s\") AND severity>=%s'"
            + " --freshness=1h --limit=20 --project=%s")
        .formatted(names.handler(), names.roller(), severity, settings.project());
  }

  /** A function tells of each field once an hour, and a sweep, how many shards they are. */
  private void lookAtStuck() {
    List<String> told =
        answers.list("warnings").stream()
            .filter(line -> message(line).equals("a value of a shard stays there"))
            .map(
                line ->
                    "not folded: %s %s%s: %s"
                        .formatted(
                            payload(line, "document"),
                            payload(line, "field"),
                            payload(line, "shard"),
                            payload(line, "why")))
            .distinct()
            .toList();
    Optional<String> shards =
        newest(
                Stream.of("runs", "sweeps").flatMap(which -> answers.list(which).stream()).toList(),
                line -> number(line, "stuck") > 0)
            .map(line -> payload(line, "stuck"));
    if (!told.isEmpty() || shards.isPresent()) {
      wrong(
          "values of %s shards were not folded in the last two hours, and wait there"
              .formatted(shards.orElse("some")),
          log("WARNING"));
      lines.addAll(told);
    }
  }

  /** A remark, and no fault: each instance names the counters whose writes wait for one another. */
  private void lookAtShards() {
    Map<String, JsonObject> counters = new TreeMap<>();
    answers.list("warnings").stream()
        .filter(line -> message(line).contains("too few shards") && isOfTheLastHour(line))
        .forEach(
            line ->
                counters.merge(
                    payload(line, "counter"),
                    line,
                    (one, other) ->
                        number(one, "would_do") >= number(other, "would_do") ? one : other));
    counters.values().stream()
        .sorted(Comparator.comparingDouble((JsonObject line) -> -number(line, "would_do")))
        .forEach(
            line ->
                lines.add(
                    "too few shards: %s has %s, needs %s"
                        .formatted(
                            payload(line, "counter"),
                            payload(line, "shards"),
                            payload(line, "would_do"))));
  }

  private static Optional<JsonObject> newest(List<JsonObject> log, Predicate<JsonObject> such) {
    return log.stream()
        .filter(such)
        .max(Comparator.comparing(line -> time(Answers.text(line, "timestamp"))));
  }

  private static Instant time(String text) {
    return text.isEmpty() ? Instant.EPOCH : Instant.parse(text);
  }

  private static String message(JsonObject line) {
    return payload(line, "message");
  }

  private static String payload(JsonObject line, String name) {
    return Answers.text(line, "jsonPayload", name);
  }

  private static double number(JsonObject line, String name) {
    String found = payload(line, name);
    return found.matches("-?\\d+(\\.\\d+)?") ? Double.parseDouble(found) : 0;
  }
}
