package dev.tallyroll.deploy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rule sets that each lack one condition. The house form of a rule, one condition a line, makes
 * them a matter of text. Stateless.
 */
final class RulesMutants {

  /** The line that was changed, in place of which line, and the whole text with it. */
  record Mutant(String line, String rules) {}

  private static final Pattern AND = Pattern.compile("^( *&& )(.*?)(;?)$");
  private static final Pattern OR = Pattern.compile("^( *\\|\\| )(.*?)(;?)$");
  private static final Pattern FIRST = Pattern.compile("^(.*\\bif |.*\\breturn )(.*?)(;?)$");
  private static final Pattern GET = Pattern.compile("^( *allow )(get)(: .*;)$");

  /** What a function returns that is no condition: a path, or what stands for one. */
  private static final Pattern PATH = Pattern.compile("/.*|shard|request\\.[a-z.]*\\.shard");

  private RulesMutants() {}

  static List<Mutant> of(String rules) {
    List<Mutant> mutants = new ArrayList<>();
    String[] lines = rules.split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      if (!lines[i].strip().startsWith("//")) {
        for (String changed : changes(lines[i], lines[Math.min(i + 1, lines.length - 1)])) {
          mutants.add(
              new Mutant(lines[i].strip() + " -> " + changed.strip(), with(lines, i, changed)));
        }
      }
    }
    return mutants;
  }

  /** A condition that must hold is left out; one of two that may hold is so always, or never. */
  private static List<String> changes(String line, String next) {
    List<String> changes = new ArrayList<>();
    replace(AND, line, "true", changes);
    replace(OR, line, "true", changes);
    replace(OR, line, "false", changes);
    replace(FIRST, line, "true", changes);
    if (next.strip().startsWith("||")) {
      replace(FIRST, line, "false", changes);
    }
    replace(GET, line, "read", changes);
    return changes;
  }

  private static void replace(Pattern form, String line, String value, List<String> changes) {
    Matcher found = form.matcher(line);
    if (found.matches()
        && !found.group(2).equals(value)
        && !PATH.matcher(found.group(2)).matches()) {
      changes.add(found.group(1) + value + found.group(3));
    }
  }

  private static String with(String[] lines, int at, String changed) {
    String[] copy = lines.clone();
    copy[at] = changed;
    return String.join("\n", copy);
  }
}
