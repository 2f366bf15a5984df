package dev.tallyroll.it;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.local.FunctionServer;
import java.util.List;

/** What a function has logged lately, one JSON object a line. Stateless. */
final class FunctionLog {
  private FunctionLog() {}

  /** The errors in which the field has that value. */
  static List<JsonObject> errors(FunctionServer function, String field, String value) {
    return function.lastLines().stream()
        .filter(line -> line.startsWith("{") && line.contains("\"ERROR\""))
        .map(JsonParser::parseString)
        .map(JsonElement::getAsJsonObject)
        .filter(line -> text(line, "severity").equals("ERROR") && text(line, field).equals(value))
        .toList();
  }

  private static String text(JsonObject line, String field) {
    var value = line.get(field);
    return value != null && value.isJsonPrimitive() ? value.getAsString() : "";
  }
}
