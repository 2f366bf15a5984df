package dev.tallyroll.operator;

import dev.tallyroll.settings.OperatorSettings;
import dev.tallyroll.settings.SettingsFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The words of a command line: {@code --name VALUE} or {@code --name=VALUE}, of which the last
 * counts, and words that stand alone.
 */
final class Arguments {
  private final Map<String, String> values = new LinkedHashMap<>();
  private final List<String> words = new ArrayList<>();

  /**
   * @param allowed the options, each with its dashes
   * @throws IllegalArgumentException if another option is there, or one without a value
   */
  Arguments(String[] arguments, Set<String> allowed) {
    for (int i = 0; i < arguments.length; i++) {
      String[] option = arguments[i].split("=", 2);
      if (!arguments[i].startsWith("-")) {
        words.add(arguments[i]);
      } else if (!allowed.contains(option[0])) {
        throw new IllegalArgumentException(
            "expected one of "
                + String.join(" ", allowed.stream().sorted().toList())
                + "; found '"
                + option[0]
                + "'");
      } else if (option.length == 1 && i + 1 == arguments.length) {
        throw new IllegalArgumentException(option[0] + ": expected a value after it; found none");
      } else {
        values.put(option[0], option.length == 2 ? option[1] : arguments[++i]);
      }
    }
  }

  /** The value of an option; empty if it was not given. */
  Optional<String> value(String option) {
    return Optional.ofNullable(values.get(option));
  }

  /**
   * The settings of {@code --settings}, with those of {@code --project} and {@code --region}.
   *
   * @throws IllegalArgumentException if some are wrong; the message has a line for each
   */
  OperatorSettings settings() {
    return OperatorSettings.of(given());
  }

  /**
   * The same, unchecked, but for the file of totals, which {@code --totals} names, or the settings.
   */
  Map<String, String> given() {
    Optional<Path> totals = value("--totals").map(Path::of);
    Map<String, String> settings =
        new TreeMap<>(
            value("--settings")
                .map(file -> SettingsFile.readWith(Path.of(file), totals))
                .orElse(Map.of()));
    value("--project").ifPresent(id -> settings.put("PROJECT", id));
    value("--region").ifPresent(name -> settings.put("REGION", name));
    return settings;
  }

  /** The value of an option that must be given. */
  String required(String option) {
    return value(option)
        .orElseThrow(() -> new IllegalArgumentException(option + ": expected it; found none"));
  }

  /** The words that belong to no option. */
  List<String> words() {
    return List.copyOf(words);
  }
}
