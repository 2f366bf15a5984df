package dev.tallyroll.settings;

import com.google.gson.JsonElement;
import java.util.Map;
import java.util.TreeMap;

/** The keys of a file's entries, for people who compare two files. Stateless. */
final class TotalsKeys {
  private TotalsKeys() {}

  /**
   * The value of each key of each entry, such as {@code likes.into}, in JSON.
   *
   * @param text of a file; one that cannot be read is a value as it is
   */
  static Map<String, String> of(String text) {
    Map<String, String> keys = new TreeMap<>();
    try {
      JsonElement file = StrictJson.read(text.isEmpty() ? TotalsFile.DEFAULT : text);
      file.getAsJsonObject()
          .asMap()
          .forEach(
              (name, entry) -> {
                if (!name.equals(TotalsFile.SCHEMA)) {
                  entry
                      .getAsJsonObject()
                      .asMap()
                      .forEach((key, value) -> keys.put(name + "." + key, value.toString()));
                }
              });
      return keys;
    } catch (IllegalArgumentException | IllegalStateException unreadable) {
      return Map.of(Settings.TOTALS.name(), text);
    }
  }
}
