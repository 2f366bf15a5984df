package dev.tallyroll.deploy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.tallyroll.settings.TotalsFile;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A file of totals, written as keys of its entries, such as {@code likes.of=posts/{post}/likes},
 * with ' for ". Those of the entry counters come to its default, and an empty value takes a key
 * away. Stateless.
 */
final class Totals {
  private static final Pattern KEY = Pattern.compile("([a-z][a-z0-9-]*)\\.([a-z]+)=(.*)");

  private Totals() {}

  /** The text; empty if no line is a key of an entry. */
  static Optional<String> text(List<String> lines) {
    JsonObject totals = new JsonObject();
    lines.stream()
        .map(KEY::matcher)
        .filter(Matcher::matches)
        .forEach(
            line -> {
              JsonObject entry = entry(totals, line.group(1));
              entry.remove(line.group(2));
              if (!line.group(3).isEmpty()) {
                entry.add(line.group(2), json(line.group(3).replace('\'', '"')));
              }
            });
    return totals.size() == 0 ? Optional.empty() : Optional.of(totals.toString());
  }

  private static JsonObject entry(JsonObject totals, String name) {
    if (!totals.has(name)) {
      JsonObject usual = JsonParser.parseString(TotalsFile.DEFAULT).getAsJsonObject();
      totals.add(name, usual.has(name) ? usual.get(name) : new JsonObject());
    }
    return totals.getAsJsonObject(name);
  }

  private static JsonElement json(String value) {
    return value.matches("\\{\".*|\\[.*|true|false")
        ? JsonParser.parseString(value)
        : new JsonPrimitive(value);
  }

  /** The lines that are no keys of entries. */
  static Stream<String> others(List<String> lines) {
    return lines.stream().filter(line -> !KEY.matcher(line).matches());
  }
}
