package dev.tallyroll.local.bill;

import static dev.tallyroll.local.Invocation.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.TypeConversionException;

/** Files of settings, in the form of {@code deploy/gcloud/settings.env}. Stateless. */
final class SettingsFile {
  private static final String DEFAULTS = "deploy/gcloud/settings.env";

  private SettingsFile() {}

  /** The settings of {@code deploy}, where a file of one's own says nothing else. */
  static Map<String, String> defaults(Path home) {
    return lines(home.resolve(DEFAULTS));
  }

  /**
   * The settings of a file.
   *
   * @param defaults whose keys it may have
   * @throws TypeConversionException if it cannot be read, or has another line
   */
  static Map<String, String> read(Path file, Map<String, String> defaults) {
    Map<String, String> found = lines(file);
    found.forEach(
        (key, value) ->
            check(
                defaults.containsKey(key),
                file.toString(),
                "KEY=VALUE with a key of " + DEFAULTS,
                key + "=" + value));
    return found;
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
