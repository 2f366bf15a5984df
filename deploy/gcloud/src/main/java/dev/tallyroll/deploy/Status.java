package dev.tallyroll.deploy;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Shows the state of a deployment. It changes and stages nothing. A look costs a read for each
 * worker, two for each of the first 300 live counters, one for each 1,000 of them, and two.
 */
record Status(Arguments arguments, Console console, Path home) {
  private static final int MOST_WARNINGS = 300;
  private static final Duration AGAIN = Duration.ofSeconds(10);

  /** The limits are those of the alerts. */
  private static final int MOST_OVERDUE_S = 120;

  private static final int MOST_WAITING_S = 300;
  private static final int MOST_DRIFT = 10;

  /** A log line may come a minute late. */
  private static final Duration RUN = Duration.ofMinutes(5);

  /** The platform's own line of an event that failed, and is delivered again. */
  private static final String COMES_AGAIN =
      "Failed to execute dev.tallyroll.functions.OnShardWritten";

  private static final Duration SWEEP = Duration.ofHours(2);

  /** Returns the exit code, unless it is to look again and again. */
  int run() throws IOException {
    Checks.bill(arguments);
    Checks.rules(arguments, "");
    Optional<Prices> prices = arguments.value("--prices").map(file -> Prices.read(Path.of(file)));
    boolean watches = arguments.has("--watch");
    int code;
    do {
      code = watches || arguments.has("--json") ? lookOrSay(prices) : look(prices);
      if (watches) {
        console.pause(AGAIN);
      }
    } while (watches && !Thread.currentThread().isInterrupted());
    return code;
  }

  /** A failed question does not end the watch, and is JSON for a program. */
  private int lookOrSay(Optional<Prices> prices) throws IOException {
    try {
      return look(prices);
    } catch (Console.Failure failure) {
      return broken(new Wrong(Main.words("status", failure), failure.step.shown()));
    }
  }

  private int look(Optional<Prices> prices) throws IOException {
    Target target;
    try {
      target = Target.find(arguments, console, home);
    } catch (Refusal refusal) {
      if (refusal.isOfState) {
        return broken(new Wrong(String.valueOf(refusal.getMessage()), ""));
      }
      throw refusal;
    }
    if (arguments.has("--bill")) {
      return bill(target, prices.orElseGet(() -> Prices.in(home)));
    }
    Look look = new Look(target);
    look.take();
    if (arguments.has("--json")) {
      console.result(look.json() + "\n");
      return look.wrong.isEmpty() ? 0 : 1;
    }
    if (arguments.has("--watch")) {
      console.clear();
    }
    target.sayWhatIsUnusual(console);
    return look.show();
  }

  /** Prints the bill, and no other fact. */
  private int bill(Target target, Prices known) {
    Bill bill;
    try {
      bill = Bill.of(target, known, arguments.has("--free"));
    } catch (Undetermined nothing) {
      return broken(new Wrong(String.valueOf(nothing.getMessage()), ""));
    }
    if (arguments.has("--json")) {
      console.result(bill.json() + "\n");
    } else {
      bill.show(console);
    }
    return 0;
  }

  /** Shows the one fault, where nothing else is known. */
  private int broken(Wrong wrong) {
    if (arguments.has("--json")) {
      console.result(Json.of("ok", false, "wrong", array(List.of(wrong))) + "\n");
      return 1;
    }
    console.wrong(wrong.reason);
    return console.verdict();
  }

  /**
   * Something that is wrong.
   *
   * @param command one that helps; empty if the reason says it
   */
  private record Wrong(String reason, String command) {}

  private static JsonArray array(List<Wrong> wrong) {
    return Json.array(
        wrong.stream().map(one -> Json.of("reason", one.reason, "command", one.command)).toList());
  }

  /** One look: facts by their names, and what is wrong. */
  private final class Look {
    final JsonObject facts = new JsonObject();
    final List<Wrong> wrong = new ArrayList<>();
    private final Deployment ours;
    private final State state;
    private final Instant now;
    private final Wanted wanted;
    private List<String> said = List.of();

    Look(Target target) throws IOException {
      this.ours = target.deployment();
      this.state = target.state();
      this.now = state.document().readTime();
      this.wanted = Wanted.of(arguments, ours, home, "", Path.of(""), "the options");
    }

    void take() {
      live();
      lag();
      runs();
      job();
      sweeps();
      backlog();
      deadLetters();
      warnings();
      String told = Json.text(state.channel(), "labels.email_address");
      facts.addProperty("alerts_to", told.isEmpty() ? "nobody (deploy --monitoring)" : told);
      asDeployed();
    }

    private void wrong(String reason, String command) {
      wrong.add(new Wrong(reason, command));
    }

    private String gcloud(String command, String... values) {
      return Step.gcloud("", ours, command, values).shown();
    }

    private List<JsonObject> log(String filter, Duration freshness, int most) {
      String question = "logging read % --freshness=" + freshness.toMinutes() + "m --limit=" + most;
      return Json.objects(console.ask(Step.words(ours, question, filter)).json(), "");
    }

    /** The newest line that a log metric counts, if there is one. */
    private List<JsonObject> newest(String metric, Duration freshness) {
      return log(wanted.monitoring().filter(metric), freshness, 1);
    }

    /** A new function has not had the time for it. */
    private boolean isOlderThan(Duration time) {
      String updated = Json.text(state.function(Deployment.ROLLER), "updateTime");
      return !updated.isEmpty() && Instant.parse(updated).plus(time).isBefore(now);
    }

    private void live() {
      String live = state.live();
      if (!live.isEmpty()) {
        facts.addProperty("live", number(live));
      }
      long oldest = oldestLease();
      facts.addProperty("oldest_lease_s", oldest);
      if (oldest > MOST_OVERDUE_S) {
        wrong(
            "a lease ended %d s ago and nobody has settled it: totals of busy counters stand still"
                .formatted(oldest),
            gcloud(
                "pubsub topics publish % --message=run --attribute=kind=run",
                ours.get(Setting.ROLLUP_TOPIC)));
      }
    }

    /**
     * Of a page of live counters, as Firestore has them now, and of all that RollUp summed last.
     */
    private long oldestLease() {
      long seen = state.oldestLease().orElse(Duration.ZERO).toSeconds();
      return newest("overdue", RUN).stream()
          .mapToLong(line -> number(Json.text(line, "jsonPayload.oldest_lease_ms")) / 1000)
          .reduce(seen, Math::max);
    }

    private void lag() {
      for (JsonObject line : newest("lag-p99", Duration.ofHours(1))) {
        for (String lag : List.of("lag_p50_ms", "lag_p99_ms")) {
          facts.addProperty(lag, number(Json.text(line, "jsonPayload." + lag)));
        }
      }
    }

    /** A live run keeps its document up to date. */
    private void runs() {
      int workers = Integer.parseInt(ours.get(Setting.WORKERS));
      List<String> paths =
          IntStream.range(0, workers)
              .mapToObj(worker -> ours.document() + "/live/run-" + worker)
              .toList();
      List<JsonObject> answers = Json.objects(state.documents(paths), "");
      for (int worker = 0; worker < workers; worker++) {
        String name = ours.documents() + "/" + paths.get(worker);
        JsonObject found = State.one(answers, "found.name", name);
        String until = Json.text(found, "found.fields.until.timestampValue");
        String holder = Json.text(found, "found.fields.holder.stringValue");
        String run = found == null ? "none" : "until " + until + ", by " + holder;
        facts.addProperty("run_" + worker, run);
      }
      if (isOlderThan(RUN) && newest("runs", RUN).isEmpty()) {
        wrong(
            "no run has ended for five minutes: totals of busy counters stand still",
            gcloud("scheduler jobs describe % --location=%", ours.named("run"), ours.region()));
      }
    }

    private void job() {
      String name = ours.named("run");
      JsonObject job = state.jobs().get(name);
      String last = Json.text(job, "lastAttemptTime");
      String code = Json.text(job, "status.code");
      String shown = job == null ? "none" : Json.text(job, "state") + " " + last;
      facts.addProperty("job_run", shown.strip());
      if (number(code) != 0) {
        wrong(
            "the job %s failed at its last attempt: code %s, at %s".formatted(name, code, last),
            gcloud("scheduler jobs run % --location=%", name, ours.region()));
      }
    }

    private void sweeps() {
      List<JsonObject> complete = newest("sweeps", SWEEP);
      String last = complete.isEmpty() ? "" : Json.text(complete.get(0), "timestamp");
      facts.addProperty("complete_sweep", last.isEmpty() ? "none in two hours" : last);
      if (complete.isEmpty() && isOlderThan(SWEEP)) {
        wrong(
            "no complete sweep for two hours: totals whose events were lost are not put right",
            gcloud(
                "pubsub topics publish % --message=sweep --attribute=kind=sweep",
                ours.get(Setting.ROLLUP_TOPIC)));
      }
    }

    private void backlog() {
      String subscription = state.subscription(Deployment.TRIGGERED);
      long waiting = state.measured("oldest_unacked_message_age", subscription, now).orElse(0);
      facts.addProperty("oldest_event_s", waiting);
      if (waiting > MOST_WAITING_S) {
        wrong(
            "an event has waited for %d s: OnShardWritten is too slow, or fails".formatted(waiting),
            look(filter(Deployment.TRIGGERED) + " AND severity>=WARNING"));
      }
    }

    private void deadLetters() {
      long letters = state.deadLetters();
      facts.addProperty("dead_letters", letters);
      if (letters > 0) {
        wrong(
            "%d events could not be handled in twenty attempts".formatted(letters),
            command("replay"));
      }
    }

    private String filter(String who) {
      return "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"%s\""
          .formatted(ours.named(who));
    }

    private String look(String filter) {
      return gcloud("logging read % --freshness=1h --limit=20", filter);
    }

    /** One question finds all warnings of an hour: errors, drift, and lists that were cut. */
    private void warnings() {
      String both =
          filter(Deployment.ROLLER)
              .replaceFirst(
                  "=(\"[^\"]*\")$", "=(\"" + ours.named(Deployment.TRIGGERED) + "\" OR $1)");
      List<JsonObject> all =
          log(both + " AND severity>=WARNING", Duration.ofHours(1), MOST_WARNINGS);
      List<JsonObject> errors =
          all.stream()
              .filter(one -> !Json.text(one, "severity").equals("WARNING"))
              .filter(one -> !message(one).startsWith(COMES_AGAIN))
              .toList();
      facts.addProperty("errors", errors.size());
      if (!errors.isEmpty()) {
        wrong(
            "errors in the last hour: %d, the last: %s"
                .formatted(errors.size(), shown(errors.get(0))),
            look(both + " AND severity>=ERROR"));
      }
      long drift = all.stream().filter(one -> message(one).startsWith("drift corrected")).count();
      facts.addProperty("drift", drift);
      if (drift > MOST_DRIFT) {
        wrong(
            "sweeps put %d totals right in the last hour: events were lost".formatted(drift),
            look(filter(Deployment.ROLLER) + " AND jsonPayload.message:\"drift corrected\""));
      }
      if (all.stream().anyMatch(one -> number(Json.text(one, "jsonPayload.cut")) > 0)) {
        wrong(
            "a list of live counters was cut: the rest stand still",
            command("deploy") + " --workers=" + (Integer.parseInt(ours.get(Setting.WORKERS)) + 1));
      }
    }

    private static String message(JsonObject line) {
      return Json.text(line, "jsonPayload.message") + Json.text(line, "textPayload");
    }

    private static String shown(JsonObject line) {
      String who = Json.text(line, "resource.labels.service_name");
      String text = message(line).lines().findFirst().orElse("");
      return Json.text(line, "timestamp") + " " + who + " " + text;
    }

    private String command(String name) {
      return "deploy/gcloud/%s --project=%s --region=%s --name=%s"
          .formatted(name, ours.project(), ours.region(), ours.name());
    }

    /** Checks all that deploy checks at its end: roles, settings, indexes, functions. */
    private void asDeployed() {
      Changes left = new Changes(wanted, state);
      said = left.looks.said;
      left.looks.refusals.forEach(reason -> wrong(reason, ""));
      left.differences.forEach(one -> wrong(one + "; run deploy", command("deploy")));
      left.wrong.forEach(reason -> wrong(reason, ""));
      if (ours.get(Setting.SUM).equals("aggregate") && !state.isCountIndexed()) {
        wrong(
            "the index on the count of shards is not ready: sums fail",
            Step.gcloud("", State.countQuestion(ours)).shown());
      }
    }

    JsonObject json() {
      JsonObject all =
          Json.of("project", ours.project(), "region", ours.region(), "name", ours.name());
      all.addProperty("time", now.toString());
      all.addProperty("ok", wrong.isEmpty());
      all.add("wrong", array(wrong));
      all.add("facts", facts);
      return all;
    }

    int show() {
      console.title(
          "%s in project %s, %s, counters %s, at %s"
              .formatted(
                  ours.name(), ours.project(), ours.region(), ours.get(Setting.COUNTERS), now));
      for (Map.Entry<String, ?> fact : facts.entrySet()) {
        String value = ((JsonPrimitive) fact.getValue()).getAsString();
        console.say("%-15s %s".formatted(fact.getKey().replace('_', ' '), value));
      }
      said.forEach(console::say);
      String last = "";
      for (Wrong one : wrong) {
        console.wrong(one.reason);
        if (!one.command.equals(last)) {
          console.say("  " + one.command.replace(" \\\n  ", " "));
        }
        last = one.command;
      }
      return console.verdict();
    }
  }

  private static long number(String text) {
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }
}
