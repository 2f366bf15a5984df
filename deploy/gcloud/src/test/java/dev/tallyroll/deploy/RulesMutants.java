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

  private static final Pattern FURTHER = Pattern.compile("^( *&& ).*?(;?)$");
  private static final Pattern FIRST = Pattern.compile("^(.*\\b(?:if|return) )(?!/)(.*?)(;?)$");
  private static final Pattern GET = Pattern.compile("^( *allow )get(: .*)()$");

  private RulesMutants() {}

  static List<Mutant> of(String rules) {
    List<Mutant> mutants = new ArrayList<>();
    String[] lines = rules.split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      if (!lines[i].strip().startsWith("//")) {
        for (String changed : changes(lines[i])) {
          mutants.add(
              new Mutant(lines[i].strip() + " -> " + changed.strip(), with(lines, i, changed)));
        }
      }
    }
    return mutants;
  }

  private static List<String> changes(String line) {
    List<String> changes = new ArrayList<>();
    Matcher further = FURTHER.matcher(line);
    Matcher first = FIRST.matcher(line);
    Matcher get = GET.matcher(line);
    if (further.matches()) {
      changes.add(further.group(1) + "true" + further.group(2));
    } else if (first.matches()
        && !first.group(2).equals("true")
        && !first.group(2).equals("false")) {
      changes.add(first.group(1) + "true" + first.group(3));
    }
    if (get.matches()) {
      changes.add(get.group(1) + "read" + get.group(2));
    }
    return changes;
  }

  private static String with(String[] lines, int at, String changed) {
    String[] copy = lines.clone();
    copy[at] = changed;
    return String.join("\n", copy);
  }
}
