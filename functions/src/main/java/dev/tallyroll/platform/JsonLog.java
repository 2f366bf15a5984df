package dev.tallyroll.platform;

import com.google.gson.JsonObject;
import dev.tallyroll.runs.StructuredLog;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Writes one JSON object a line, as Cloud Logging reads them from a function's standard output.
 *
 * <p>Source: "Special fields in structured payloads" of Cloud Logging's page on structured logging.
 * Safe for use by many threads.
 */
public record JsonLog(PrintStream out, String function) implements StructuredLog {

  /** Writes to standard output, in UTF-8 whatever the container's locale is. */
  public static JsonLog of(String function) {
    return new JsonLog(new PrintStream(System.out, true, StandardCharsets.UTF_8), function);
  }

  @Override
  public void write(Severity severity, String message, Map<String, ?> fields) {
    JsonObject line = new JsonObject();
    line.addProperty("severity", severity.name());
    line.addProperty("message", message);
    fields.forEach(
        (name, value) -> {
          if (value instanceof Number number) {
            line.addProperty(name, number);
          } else {
            line.addProperty(name, String.valueOf(value));
          }
        });
    JsonObject labels = new JsonObject();
    labels.addProperty("tallyroll_function", function);
    line.add("logging.googleapis.com/labels", labels);
    out.println(line);
  }
}
