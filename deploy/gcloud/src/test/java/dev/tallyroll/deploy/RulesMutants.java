package dev.tallyroll.deploy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rule sets that each lack one condition. The house form of a rule, one condition a line or several
 * with && between, makes them a matter of text. Stateless.
 */
final class RulesMutants {

  /** The line that was changed, in place of which line, and the whole text with it. */
  record Mutant(String line, String rules) {}

  /** The start of a line, its conditions, and its end. */
  private static final Pattern LINE =
      Pattern.compile("^( *(?:&&|\\|\\|) |.*\\b(?:if|return) )(.*?)(;?(?: })?)$");

  /**
   * A function may return something else than a condition: a path, or a variable that holds one.
   */
  private static final Pattern PATH = Pattern.compile("/.*|shard|request\\.[a-z.]*\\.shard");

  private RulesMutants() {}

  static List<Mutant> of(String rules) {
    List<Mutant> mutants = new ArrayList<>();
    String[] lines = rules.split("\n", -1);
    for (int i = 0; i < lines.length - 1; i++) {
      String line = lines[i];
      for (String changed : changes(line, lines[i + 1])) {
        lines[i] = changed;
        mutants.add(new Mutant(line.strip() + " -> " + changed.strip(), String.join("\n", lines)));
      }
      lines[i] = line;
    }
    return mutants;
  }

  /**
   * Leaves out a condition that must hold; makes a condition that may hold always or never hold.
   */
  private static List<String> changes(String line, String next) {
    Matcher found = LINE.matcher(line);
    if (line.strip().startsWith("//")
        || !found.matches()
        || PATH.matcher(found.group(2)).matches()) {
      return List.of();
    }
    List<String> conditions = List.of(found.group(2).split(" && ", -1));
    List<String> changed = new ArrayList<>();
    for (int i = 0; i < conditions.size(); i++) {
      List<String> others = new ArrayList<>(conditions);
      others.set(i, "true");
      changed.add(found.group(1) + String.join(" && ", others) + found.group(3));
    }
    String start = line.strip();
    if (start.startsWith("||") || start.startsWith("allow") || next.strip().startsWith("||")) {
      changed.add(found.group(1) + "false" + found.group(3));
    }
    if (!line.contains("resource")) { // a query is not judged by what it finds
      changed.add(line.replaceFirst("^( *allow )get(: .*;)$", "$1read$2"));
    }
    changed.removeIf(line::equals);
    return changed;
  }
}
