package dev.tallyroll.functions;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import dev.tallyroll.protocol.Journal;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Writes one JSON object a line, as Cloud Logging reads them from a function's standard output.
 *
 * <p>Source: "Special fields in structured payloads" of Cloud Logging's page on structured logging.
 * Safe for use by many threads.
 */
final class JsonJournal implements Journal {
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private final PrintStream out;
  private final Map<String, String> labels;

  JsonJournal(PrintStream out, String function) {
    this.out = out;
    this.labels = Map.of("tallyroll_function", function);
  }

  @Override
  public void write(Severity severity, String message, Map<String, ?> fields) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("severity", severity.name());
    line.put("message", message);
    line.putAll(fields);
    line.put("logging.googleapis.com/labels", labels);
    out.println(GSON.toJson(line));
  }
}
