package dev.tallyroll.deploy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Rule sets that each lack one condition. The house form of a rule, one condition a line, makes
 * them a matter of text. Stateless.
 */
final class RulesMutants {

  /** The line that was changed, in place of which line, and the whole text with it. */
  record Mutant(String line, String rules) {}

  /** To the end of a line. What a function returns may be none: a path, or what stands for one. */
  private static final String CONDITION = "(?!/|(shard|request\\.[a-z.]*\\.shard);$)(.*?)(;?)$";

  private static final String FIRST = "^(.*\\b(?:if|return) )" + CONDITION;

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

  /** A condition that must hold is left out; one of two that may hold is so always, or never. */
  private static List<String> changes(String line, String next) {
    if (line.strip().startsWith("//")) {
      return List.of();
    }
    return Stream.of(
            line.replaceFirst("^( *&& )" + CONDITION, "$1true$4"),
            line.replaceFirst("^( *\\|\\| )" + CONDITION, "$1true$4"),
            line.replaceFirst("^( *\\|\\| )" + CONDITION, "$1false$4"),
            line.replaceFirst(FIRST, "$1true$4"),
            next.strip().startsWith("||") ? line.replaceFirst(FIRST, "$1false$4") : line,
            line.replaceFirst("^( *allow )get(: .*;)$", "$1read$2"))
        .filter(changed -> !changed.equals(line))
        .toList();
  }
}
