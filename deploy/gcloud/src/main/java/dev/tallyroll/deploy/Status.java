package dev.tallyroll.deploy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** How is it? Looks at a deployment, and changes and stages nothing. */
record Status(Arguments arguments, Console console, Path home) {
  private static final int MOST_ERRORS = 100;
  private static final int MOST_SHOWN = 10;

  /**
   * Returns the exit code; it costs a read for each worker, for each 1,000 live counters, and one.
   */
  int run() throws IOException {
    Checks.rules(arguments, "");
    Target target = Target.find(arguments, console, home);
    State state = target.state();
    Deployment ours = target.deployment();
    target.sayWhatIsUnusual(console);
    Optional<RulesText> rules =
        arguments.has("--rules")
            ? Optional.of(Deploy.rules(arguments, ours, home))
            : Optional.empty();
    showJobs(ours, state);
    showRuns(ours, state);
    showErrors(ours);
    console.title("Live counters: how many the runs add up at each tick");
    console.say(live(ours));
    console.title("Is it as it should be?");
    Changes left =
        new Changes(
            new Wanted(
                ours, "", "", rules, "the options", Optional.empty(), "", Deploy.jvmOptions(home)),
            state);
    left.looks.said.forEach(console::say);
    Deploy.tellWrong(console, left);
    return console.verdict();
  }

  private void showJobs(Deployment ours, State state) {
    console.title("Jobs: state, last attempt, its result (0 or nothing: it was sent)");
    for (String kind : List.of("run", "sweep")) {
      JsonObject job = state.jobs().get(ours.named(kind));
      String last = Json.text(job, "lastAttemptTime") + " " + Json.text(job, "status.code");
      String shown = job == null ? "none" : Json.text(job, "state") + " " + last;
      console.say(ours.named(kind) + ": " + shown.strip());
    }
  }

  /** A run that is alive keeps its document up. */
  private void showRuns(Deployment ours, State state) {
    console.title("Runs: until when each worker holds its document");
    int workers = Integer.parseInt(ours.get(Setting.WORKERS));
    List<String> paths =
        IntStream.range(0, workers).mapToObj(worker -> ours.document() + "-" + worker).toList();
    List<JsonObject> answers = Json.objects(state.documents(paths), "");
    for (int worker = 0; worker < workers; worker++) {
      String name = ours.documents() + "/" + paths.get(worker);
      JsonObject found = State.one(answers, "found.name", name);
      String until = Json.text(found, "found.fields.until.timestampValue");
      String holder = Json.text(found, "found.fields.holder.stringValue");
      String run = found == null ? "no run" : "until " + until + ", by " + holder;
      console.say("worker " + worker + ": " + run);
    }
  }

  private void showErrors(Deployment ours) {
    console.title("Errors in the last hour");
    String filter =
        "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=(\"%s\" OR \"%s\") AND severity>=ERROR"
            .formatted(ours.named(Deployment.TRIGGERED), ours.named(Deployment.ROLLER));
    String question = "logging read % --freshness=1h --limit=" + MOST_ERRORS;
    JsonElement answer = console.ask(Step.words(ours, question, filter)).json();
    List<JsonObject> errors = Json.objects(answer, "");
    console.say(errors.size() + " (at most " + MOST_ERRORS + " are read)");
    for (JsonObject error : errors.subList(0, Math.min(errors.size(), MOST_SHOWN))) {
      String who = Json.text(error, "resource.labels.service_name");
      String text = Json.text(error, "jsonPayload.message") + " " + Json.text(error, "textPayload");
      console.say("  " + Json.text(error, "timestamp") + " " + who + " " + text);
    }
  }

  /**
   * Firestore counts the live list itself. Its documents go by their names, from the document above
   * them to the next: of a colon in a URL's id, a method would be made.
   */
  private String live(Deployment ours) {
    String query =
        """
        {"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"live","allDescendants":true}],\
        "where":{"compositeFilter":{"op":"AND","filters":[%s,%s]}}},"aggregations":[{"alias":"live","count":{}}]}}"""
            .formatted(
                named(ours, "GREATER_THAN_OR_EQUAL", ours.document()),
                named(ours, "LESS_THAN", ours.document() + "-"));
    String url = DeploymentDocument.url(ours, "runAggregationQuery");
    String path = "0.result.aggregateFields.live.integerValue";
    String live = Json.text(console.askHttp(url, query), path);
    return live.isEmpty() ? "not known" : live;
  }

  /** A comparison of names, which are compared part by part. */
  private static String named(Deployment ours, String op, String document) {
    return """
        {"fieldFilter":{"field":{"fieldPath":"__name__"},"op":"%s","value":{"referenceValue":"%s/%s"}}}"""
        .formatted(op, ours.documents(), document);
  }
}
