package dev.tallyroll.deploy;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A deployment's security rules: those of deploy/firestore with its names and variants.
 *
 * @param text ends with a line that holds the mark
 * @param mark tells a rule set that was made here, whole, from any other
 */
record RulesText(String text, String mark) {
  static final String API = "https://firebaserules.googleapis.com/v1/";
  private static final String TITLE = "Security rules";
  private static final Pattern WORD = Pattern.compile("[A-Za-z_]+");

  /** The body of the Rules API's projects.rulesets.create. */
  String json() {
    return Json.of("source", source(text)).toString();
  }

  /** A text of rules, as the Rules API takes it. */
  static JsonObject source(String text) {
    JsonObject file = Json.of("name", "firestore.rules", "content", text);
    return Json.of("files", Json.array(List.of(file)));
  }

  static RulesText of(Path file, Set<String> variants, Deployment names) throws IOException {
    String counters = names.get(Setting.COUNTERS);
    String collection = Paths.last(counters);
    String parent = counters.substring(0, counters.length() - collection.length());
    Set<String> taken = new LinkedHashSet<>(variants);
    if (parent.equals(Paths.ANYWHERE)) {
      taken.add("anywhere");
    }
    String text =
        Files.readString(file)
            .lines()
            .map(line -> renamed(variant(line, taken), parent, names))
            .collect(Collectors.joining("\n", "", "\n"));
    String mark = "tallyroll-rules: " + Stage.shortHash(text);
    return new RulesText(text + "// " + mark + "\n", mark);
  }

  /** The part of a line before "// variant NAME:", or the part behind it. */
  private static String variant(String line, Set<String> variants) {
    String taken = line;
    for (String variant : variants) {
      taken = taken.replaceFirst("^( *)[^ ].*// variant " + variant + ": (.*)$", "$1$2");
    }
    return taken.replaceFirst(" // variant [a-z]*: .*$", "");
  }

  /** Names of ours in place of the default names; the parent of the counters before each. */
  private static String renamed(String line, String parent, Deployment names) {
    String collection = Paths.last(names.get(Setting.COUNTERS));
    String field = names.get(Setting.COUNT_FIELD);
    String rollups = names.get(Setting.ROLLUPS_COLLECTION);
    String path = "/" + parent.replaceAll("\\{([a-z0-9_]*)}", "\\$($1)") + collection;
    String text = parent.replaceAll("\\{([a-z0-9_]*)}", "' + $1 + '") + collection;
    return line.replace("/shards/", "/" + names.get(Setting.SHARDS_COLLECTION) + "/")
        .replace("/counters/{counter}", "/" + parent + collection + "/{counter}")
        .replace("/counters/$(counter)", path + "/$(counter)")
        .replace("'counters/' + counter", "'" + text + "/' + counter")
        .replace("'.*/counters/'", "'.*/" + collection + "/'")
        .replace(") counters/likes/", ") " + parent + collection + "/likes/")
        .replace("/rollups/{counter}", "/" + parent + rollups + "/{counter}")
        .replace("rollup_runs", names.get(Setting.RUNS_COLLECTION))
        .replace("['count']", "['" + field + "']")
        .replace("before.count", "before." + field)
        .replace("after.count", "after." + field);
  }

  /** A variable with the name of a function or a variable of our rules would hide it. */
  static Set<String> words(Path folder) throws IOException {
    String plain = Files.readString(folder.resolve("firestore.rules"));
    return (plain + Files.readString(folder.resolve("firestore.strict.rules")))
        .lines()
        .map(line -> line.replaceFirst("// variant [a-z]*:", "").replaceFirst("//.*", ""))
        .flatMap(line -> WORD.matcher(line).results())
        .map(MatchResult::group)
        .collect(Collectors.toSet());
  }

  static String releases(Deployment of) {
    return API + "projects/" + of.project() + "/releases";
  }

  /** Each database but the default one has a release of its own. */
  static String release(Deployment of) {
    String own = of.database().equals("(default)") ? "" : "/" + of.database();
    return "projects/" + of.project() + "/releases/cloud.firestore" + own;
  }

  /** Replaces a database's rule set, which it has one of. From the second step on, these hold. */
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
