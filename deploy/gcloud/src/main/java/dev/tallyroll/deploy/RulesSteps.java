package dev.tallyroll.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Replaces a database's rule set, which it has one of: only on request, and never without a copy.
 */
final class RulesSteps {
  static final String API = "https://firebaserules.googleapis.com/v1/";
  private static final String TITLE = "Security rules";

  private RulesSteps() {}

  static String releases(Deployment of) {
    return API + "projects/" + of.project() + "/releases";
  }

  /** Each database but the default one has a release of its own. */
  static String release(Deployment of) {
    String own = of.database().equals("(default)") ? "" : "/" + of.database();
    return "projects/" + of.project() + "/releases/cloud.firestore" + own;
  }

  /** From the second on, the rules hold. */
  static List<Step> replace(Deployment of, String file, Optional<String> before) {
    String release = Json.of("name", release(of), "rulesetName", Console.RULESET).toString();
    return List.of(
        Step.http(TITLE, "POST", API + "projects/" + of.project() + "/rulesets", "@" + file),
        before.isEmpty()
            ? Step.http(TITLE, "POST", releases(of), release)
            : Step.http(TITLE, "PATCH", API + release(of), "{\"release\":" + release + "}"));
  }

  /**
   * Keeps the text of the rules that are there, and asks. A rule set never changes, so its id names
   * the copy, and a copy that is there is the same.
   *
   * @throws Refusal if there is nobody to ask, or another answer
   */
  static void askAboutOthers(Console console, State state, Path folder, boolean replace)
      throws IOException {
    String ruleset = state.ruleset().orElse("");
    Path copy = folder.resolve("firestore.rules." + Json.id(ruleset));
    console.say(
        "this database has the rule set " + ruleset + ", which --rules replaces as a whole");
    if (console.isDryRun()) {
      console.say(
          "deploy would keep its text in " + copy + ", and ask, unless --replace-rules says so");
      return;
    }
    if (!Files.exists(copy)) {
      Files.writeString(copy, state.rulesText());
    }
    console.say("its text is kept in " + copy);
    console.say("to put it back, send " + ruleset + " in the same PATCH");
    if (!replace) {
      String locked = "Every collection that the new rules do not name is locked to clients.";
      console.agree(locked + " Type replace to go on: ", "replace", "to ask, or --replace-rules");
    }
  }
}
