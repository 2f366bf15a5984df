package dev.tallyroll.local;

import com.google.common.base.Ascii;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.tallyroll.local.FunctionServer.Drift;
import dev.tallyroll.local.FunctionServer.Sweeps;
import dev.tallyroll.operator.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads the output of the processes of one function. Each of their log lines is a JSON object, as
 * Cloud Logging reads it. Shows warnings and errors; keeps the work of sweeps. Thread-safe.
 */
final class FunctionOutput {
  /** The limit per process. A function that fails on every event would flood the terminal. */
  private static final int MOST_SHOWN = 50;

  /** A stack trace becomes one long line. The last lines of the process keep all of it. */
  private static final int LONGEST_SHOWN = 400;

  private static final Set<String> BAD =
      Set.of("WARNING", "ERROR", "CRITICAL", "ALERT", "EMERGENCY");

  private static final Pattern OF_THE_PLATFORM =
      Pattern.compile("severity$|message$|time$|timestamp|logging[.]googleapis[.]com/");

  private static final JsonObject NONE = new JsonObject();

  private final String name;
  private final Consumer<String> log;
  private final List<Drift> drift = new ArrayList<>();
  private int shown;
  private long parts;
  private long complete;

  FunctionOutput(String name, Consumer<String> log) {
    this.name = name;
    this.log = log;
  }

  /** Starts the count of shown lines anew for a new process. */
  synchronized void newProcess() {
    shown = 0;
  }

  synchronized void take(String line) {
    var fields = fieldsOf(line);
    if (BAD.contains(text(fields, "severity"))) {
      show(Printable.of(sentence(fields)));
    }
    var message = text(fields, "message");
    if (message.equals("sweep")) {
      parts++;
      complete += text(fields, "complete").equals("true") ? 1 : 0;
    } else if (message.startsWith("drift corrected")) {
      drift.add(new Drift(text(fields, "counter"), text(fields, "was"), text(fields, "is")));
    }
  }

  /** The fields of a log line; none if the line is plain output. */
  private static JsonObject fieldsOf(String line) {
    try {
      return line.startsWith("{") ? JsonParser.parseString(line).getAsJsonObject() : NONE;
    } catch (JsonParseException e) {
      return NONE;
    }
  }

  private static String text(JsonObject fields, String name) {
    var value = fields.get(name);
    return value != null && value.isJsonPrimitive() ? value.getAsString() : "";
  }

  /**
   * A sentence for a person: what happened, and the details in brackets, without those of the
   * platform.
   */
  private static String sentence(JsonObject fields) {
    var details =
        fields.entrySet().stream()
            .filter(field -> !OF_THE_PLATFORM.matcher(field.getKey()).lookingAt())
            .map(field -> field.getKey() + ": " + plain(field.getValue()))
            .collect(Collectors.joining(", "));
    return Ascii.toLowerCase(text(fields, "severity"))
        + ": "
        + text(fields, "message").replaceAll("\\s*\\R\\s*", " ")
        + (details.isEmpty() ? "" : " (" + details + ")");
  }

  private static String plain(JsonElement value) {
    return value.isJsonPrimitive() ? value.getAsString() : value.toString();
  }

  private void show(String line) {
    shown++;
    if (shown <= MOST_SHOWN) {
      log.accept("[" + name + "] " + Ascii.truncate(line, LONGEST_SHOWN, " ..."));
    } else if (shown == MOST_SHOWN + 1) {
      log.accept("[" + name + "] (more warnings and errors of this process are not shown)");
    }
  }

  /** The work of the sweeps so far, over all processes. */
  synchronized Sweeps sweeps() {
    return new Sweeps(parts, complete, drift);
  }
}
