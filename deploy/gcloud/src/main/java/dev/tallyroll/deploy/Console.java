package dev.tallyroll.deploy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * One run of a command. It shows each step, performs it, and counts faults. All of its output can
 * be pasted into a shell: everything but the commands is a comment. Not thread-safe.
 */
final class Console {
  /** Placeholders in commands, for values that an earlier answer contains. */
  static final String UPDATE_TIME = "UPDATE_TIME_ANSWERED_ABOVE";

  static final String RULESET = "RULESET_ANSWERED_ABOVE";

  /** A new service account or service agent is not known everywhere at once. */
  private static final int PROPAGATION_TRIES = 6;

  /** A policy may name a metric only when that is known, which takes up to ten minutes. */
  private static final int METRIC_TRIES = 60;

  private static final Pattern METRIC_NOT_KNOWN_YET =
      Pattern.compile(".*Cannot find metric that matches.*", Pattern.DOTALL);

  private static final Duration PAUSE = Duration.ofSeconds(10);
  private static final Pattern NOT_KNOWN_YET =
      Pattern.compile(
          ".*(Service account \\S+ does not exist|Eventarc Service Agent).*", Pattern.DOTALL);

  /** An index takes minutes; of a million documents, longer. */
  private static final int INDEX_TRIES = 360;

  /** The terminal and the clock. */
  interface Surroundings {
    PrintStream out();

    /** Asks somebody at a terminal; empty where nobody is. */
    Optional<String> ask(String question);

    /** Waits. An interrupt ends the wait and sets the thread's flag. */
    default void pause(Duration time) {
      try {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** Clears the screen for the next look, if this is a terminal. */
    default void clear() {}
  }

  private final Cloud cloud;
  private final Surroundings surroundings;
  private final boolean dryRun;
  private final boolean looks;
  private final boolean quiet;
  private final Map<String, String> answers = new HashMap<>();
  private String title = "";
  private int wrong;
  private boolean changed;

  /** A dry run also reads the project if somebody is signed in. */
  Console(Cloud cloud, Surroundings surroundings, boolean dryRun, boolean quiet) {
    this.cloud = cloud;
    this.surroundings = surroundings;
    this.dryRun = dryRun;
    this.quiet = quiet;
    this.looks = !dryRun || isSignedIn();
  }

  private boolean isSignedIn() {
    try {
      cloud.gcloud(List.of("auth", "print-access-token"));
      return true;
    } catch (CloudException e) {
      boolean nobody = e.is(CloudException.UNAUTHENTICATED);
      say(nobody ? "Nobody is signed in here (gcloud auth login)" : "No answer: " + e.said());
      say(
          """
          So this dry run leaves the looks out: whether documents, settings or deployments of others are in the way,
          only a look can tell.""");
      return false;
    }
  }

  boolean isDryRun() {
    return dryRun;
  }

  boolean hasChanged() {
    return changed;
  }

  void print(String text) {
    if (!quiet) {
      surroundings.out().println(Step.visible(text));
    }
  }

  void say(String text) {
    text.lines().forEach(line -> print("# " + line));
  }

  /** Prints the result for a program, without a comment sign; its escapes are JSON's, too. */
  void result(String text) {
    surroundings.out().print(Step.visible(text));
  }

  void clear() {
    surroundings.clear();
  }

  void title(String words) {
    if (!words.equals(title)) {
      title = words;
      print("");
      say(words);
    }
  }

  void wrong(String words) {
    wrong++;
    say("WRONG: " + words);
  }

  /**
   * Asks for a word.
   *
   * @param otherwise the reason of the question, or the option that saves it
   * @throws Refusal if nobody is there, or another answer is given
   */
  void agree(String question, String word, String otherwise) {
    Optional<String> typed = surroundings.ask(question);
    if (!typed.equals(Optional.of(word))) {
      throw new Refusal(
          typed
              .map(found -> "expected %s, found '%s'".formatted(word, found))
              .orElse("expected somebody at a terminal " + otherwise + ", found neither"));
    }
  }

  /**
   * Asks gcloud for a list, or for one thing. A dry run names each look that is denied.
   *
   * @throws Failure if there is no answer
   */
  Cloud.Answer ask(List<String> words) {
    Cloud.Answer nothing = new Cloud.Answer(new JsonArray(), List.of());
    if (!looks) {
      return nothing;
    }
    List<String> all = new ArrayList<>(words);
    if (!all.contains("--format=json")) {
      all.add("--format=json");
    }
    try {
      return cloud.gcloud(all);
    } catch (CloudException e) {
      leaveOut(Step.gcloud(title, all), e);
      return nothing;
    }
  }

  /** Asks a REST API: a POST if there is a body. */
  JsonElement askHttp(String url, String body) {
    if (!looks) {
      return new JsonArray();
    }
    String method = body.isEmpty() ? "GET" : "POST";
    try {
      return cloud.http(method, url, body);
    } catch (CloudException e) {
      leaveOut(Step.http(title, method, url, body.isEmpty() ? "{}" : body), e);
      return new JsonArray();
    }
  }

  private void leaveOut(Step question, CloudException e) {
    if (!dryRun || !e.is(CloudException.DENIED)) {
      throw new Failure(question, e);
    }
    say("this look was left out, which needs " + question.role() + ": " + e.said());
  }

  /** A step that failed. The steps before it stay done. */
  static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;
    final transient Step step;
    final CloudException error;

    Failure(Step step, CloudException error) {
      super(error);
      this.step = step;
      this.error = error;
    }
  }

  /**
   * Shows a change and, unless this is a dry run, makes it.
   *
   * @return the answer; nothing in a dry run
   * @throws Failure if all tries fail
   */
  JsonElement perform(Step step) {
    title(step.title());
    Step real = dryRun ? step : resolved(step);
    print(real.shown());
    if (dryRun) {
      return new JsonObject();
    }
    if (step.waits()) {
      await(real);
      return new JsonObject();
    }
    changed = true;
    JsonElement answer = tried(real);
    String updateTime = Json.text(answer, "writeResults.0.updateTime");
    if (!updateTime.isEmpty()) {
      answers.put(UPDATE_TIME, updateTime);
    }
    if (real.isHttp() && real.words().get(1).endsWith("/rulesets")) {
      answers.put(RULESET, Json.text(answer, "name"));
    }
    if (real.words().containsAll(List.of("channels", "create"))) {
      answers.put(Monitoring.CHANNEL, Json.text(answer, "name"));
    }
    return answer;
  }

  private JsonElement tried(Step step) {
    for (int tries = 1; ; tries++) {
      try {
        return step.isHttp()
            ? cloud.http(step.words().get(0), step.words().get(1), content(step.body()))
            : cloud.gcloud(step.words()).json();
      } catch (CloudException e) {
        boolean isMetric = METRIC_NOT_KNOWN_YET.matcher(e.said()).matches();
        int most = isMetric ? METRIC_TRIES : PROPAGATION_TRIES;
        if (tries == most || !(isMetric || NOT_KNOWN_YET.matcher(e.said()).matches())) {
          throw new Failure(step, e);
        }
        waitFor("not known everywhere yet", tries, most);
      }
    }
  }

  /** A body may be an @ and a file's name, as in curl. */
  private static String content(String body) {
    try {
      return body.startsWith("@") ? Files.readString(Path.of(body.substring(1))) : body;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Replaces placeholders by the values from earlier answers. */
  private Step resolved(Step step) {
    String body = step.body();
    List<String> words = step.words();
    for (Map.Entry<String, String> answer : answers.entrySet()) {
      body = body.replace(answer.getKey(), answer.getValue());
      words = words.stream().map(w -> w.replace(answer.getKey(), answer.getValue())).toList();
    }
    return new Step(step.title(), words, body);
  }

  /** Sets the value of a placeholder for later commands. */
  void know(String name, String value) {
    answers.put(name, value);
  }

  /**
   * A sum reads the index on the count, so functions that sum are deployed only when it is there.
   */
  private void await(Step question) {
    for (int tries = 1; tries <= INDEX_TRIES; tries++) {
      if (State.isIndexed(ask(question.words()).json())) {
        return;
      }
      waitFor("it is being built", tries, INDEX_TRIES);
    }
    String words = "the index is still being built, and the functions are as they were";
    throw new Failure(question, new CloudException(CloudException.UNAVAILABLE, words));
  }

  private void waitFor(String what, int tries, int most) {
    say(what + "; once more in %d s (%d of %d)".formatted(PAUSE.toSeconds(), tries, most));
    surroundings.pause(PAUSE);
  }

  void pause(Duration time) {
    surroundings.pause(time);
  }

  /** Prints the last line; returns the exit code. */
  int verdict() {
    int found = wrong;
    wrong = 0;
    if (dryRun) {
      print("\n# Nothing was run.");
    } else if (found == 0) {
      print("\n# All is as it should be.");
    } else {
      print("\n# Not as it should be: " + found + ", see WRONG above.");
      return 1;
    }
    return 0;
  }
}
