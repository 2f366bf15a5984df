package dev.tallyroll.settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A file of settings, such as deploy/gcloud/settings.env: a KEY=VALUE a line, without quotes. What
 * follows a # at the beginning of a line, or after a space, is a comment. Stateless.
 */
public final class SettingsFile {
  private SettingsFile() {}

  /**
   * The settings of a file. Of two lines with one key, the last counts. An empty value stands for
   * the default, and is left out. {@code TOTALS} has the text of the file that it names.
   *
   * @throws IllegalArgumentException if the file cannot be read, or has other lines, or if the file
   *     of totals is wrong; the message has a line for each
   */
  public static Map<String, String> read(Path file) {
    return readWith(file, Optional.empty());
  }

  /**
   * The same with another file of totals.
   *
   * @param totals in place of the one that {@code TOTALS} names; empty for that
   */
  public static Map<String, String> readWith(Path file, Optional<Path> totals) {
    Map<String, String> found = new LinkedHashMap<>();
    Set<String> keys = OperatorSettings.keys();
    Environment mistakes = new Environment(name -> "");
    for (String line : lines(file)) {
      String text = line.replaceFirst("(^|\\s)#.*", "").stripTrailing();
      int equals = text.indexOf('=');
      if (equals > 0 && keys.contains(text.substring(0, equals))) {
        found.put(text.substring(0, equals), text.substring(equals + 1));
      } else if (!text.isEmpty()) {
        mistakes.note(
            file
                + ": expected KEY=VALUE with a key of deploy/gcloud/settings.env; found '"
                + text
                + "'");
      }
    }
    found.entrySet().removeIf(line -> line.getValue().isEmpty());
    String key = Settings.TOTALS.name();
    totals
        .or(() -> Optional.ofNullable(found.get(key)).map(file::resolveSibling))
        .ifPresent(path -> found.put(key, mistakes.made(() -> TotalsFile.text(path), () -> "")));
    mistakes.end();
    return found;
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(
          "--settings: expected a file that can be read; found " + unreadable, unreadable);
    }
  }

  /** The variables of this process, without NAME, which in some shells is that of the machine. */
  public static Map<String, String> shell() {
    Map<String, String> variables = new HashMap<>(System.getenv());
    variables.remove("NAME");
    return variables;
  }
}
