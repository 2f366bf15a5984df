package dev.tallyroll.operator;

import dev.tallyroll.settings.OperatorSettings;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Prints the security rules for a settings file.
 *
 * <p>Options: those of {@link PrintSettings}, of which rules need neither {@code --project} nor
 * {@code --region}; {@code --totals FILE}, in place of the file that the settings name; and those
 * of {@link RulesOptions}. It ends with 0, or with 2 if there are no such rules.
 */
public final class PrintRules {
  private PrintRules() {}

  /** Runs, and ends the JVM with the status. */
  public static void main(String[] arguments) throws Exception {
    Program program = Program.ofProcess();
    System.exit(program.run(() -> print(program, arguments)));
  }

  private static int print(Program program, String[] words) {
    Set<String> allowed = new HashSet<>(PrintSettings.OPTIONS);
    allowed.addAll(RulesOptions.NAMES);
    Arguments arguments = new Arguments(words, allowed);
    if (!arguments.words().isEmpty()) {
      throw new IllegalArgumentException(
          "rules: expected options; found '" + String.join(" ", arguments.words()) + "'");
    }
    Map<String, String> given = new HashMap<>();
    RulesOptions.NAMES.forEach(
        name -> arguments.value(name).ifPresent(value -> given.put(name, value)));
    Map<String, String> settings = arguments.given();
    settings.putIfAbsent("PROJECT", "any-project");
    settings.putIfAbsent("REGION", "us-central1");
    program.out().print(ClientRules.of(OperatorSettings.of(settings), RulesOptions.parse(given)));
    return 0;
  }
}
