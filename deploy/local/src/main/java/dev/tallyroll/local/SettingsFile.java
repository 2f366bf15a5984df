package dev.tallyroll.local;

import static dev.tallyroll.local.Invocation.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.TypeConversionException;

/** Settings as {@code deploy} takes them, and files in the form of its settings.env. Stateless. */
public final class SettingsFile {
  /** Where counters are, unless the setting of that name says it. */
  public static final String COUNTERS = "counters";

  private static final String DEFAULTS = "deploy/gcloud/settings.env";

  private SettingsFile() {}

  /**
   * The settings of a file that differ from those of deploy/gcloud/settings.env. The others are
   * left out: an empty value there may stand for a default that depends on others.
   *
   * @param home the folder of the checkout
   * @throws TypeConversionException if the file cannot be read, or has another line
   */
  public static Map<String, String> read(Path home, Path file) {
    Map<String, String> found = lines(file);
    Map<String, String> defaults = lines(home.resolve(DEFAULTS));
    found.forEach(
        (key, value) ->
            check(
                defaults.containsKey(key),
                file.toString(),
                "KEY=VALUE with a key of " + DEFAULTS,
                key + "=" + value));
    found.entrySet().removeIf(line -> line.getValue().equals(defaults.get(line.getKey())));
    return found;
  }

  /** The variables of this process, without NAME, which in some shells is that of the machine. */
  public static Map<String, String> shell() {
    Map<String, String> variables = new HashMap<>(System.getenv());
    variables.remove("NAME");
    return variables;
  }

  /**
   * All variables, and the settings of a file that no variable sets. As for {@code deploy},
   * counters are at the root unless COUNTERS says where they are.
   */
  public static Map<String, String> below(
      Map<String, String> environment, Map<String, String> file) {
    Map<String, String> all = new HashMap<>(Map.of("COUNTERS", COUNTERS));
    all.putAll(file);
    all.putAll(environment);
    return all;
  }

  /** As {@code read_settings} of deploy/gcloud/lib: without comments, and the last line counts. */
  private static Map<String, String> lines(Path file) {
    Map<String, String> found = new LinkedHashMap<>();
    try {
      for (String line : Files.readAllLines(file)) {
        String text = line.replaceFirst("(^|\\s)#.*", "").stripTrailing();
        if (!text.isEmpty()) {
          int equals = text.indexOf('=');
          check(equals > 0, file.toString(), "KEY=VALUE with a key of " + DEFAULTS, text);
          found.put(text.substring(0, equals), text.substring(equals + 1));
        }
      }
    } catch (IOException unreadable) {
      throw new TypeConversionException(
          "--settings: expected a file that can be read; found " + unreadable);
    }
    return found;
  }
}
