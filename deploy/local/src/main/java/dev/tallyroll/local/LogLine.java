package dev.tallyroll.local;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.Optional;
import java.util.Set;

/**
 * A line that a function logged, as Cloud Logging reads it: one JSON object. Not changed after it
 * was read.
 */
record LogLine(JsonObject fields) {
  private static final Set<String> BAD =
      Set.of("WARNING", "ERROR", "CRITICAL", "ALERT", "EMERGENCY");

  /** Empty when the line is no JSON object: then it is some program's plain output. */
  static Optional<LogLine> parse(String line) {
    if (!line.startsWith("{")) {
      return Optional.empty();
    }
    try {
      return Optional.of(new LogLine(JsonParser.parseString(line).getAsJsonObject()));
    } catch (JsonParseException | IllegalStateException e) {
      return Optional.empty();
    }
  }

  String message() {
    return text("message");
  }

  boolean isBad() {
    return BAD.contains(text("severity"));
  }

  long number(String name) {
    var value = fields.get(name);
    return value != null && value.isJsonPrimitive() && value.getAsJsonPrimitive().isNumber()
        ? value.getAsLong()
        : 0;
  }

  String text(String name) {
    var value = fields.get(name);
    return value != null && value.isJsonPrimitive() ? value.getAsString() : "";
  }
}
