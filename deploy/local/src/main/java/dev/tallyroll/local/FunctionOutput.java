package dev.tallyroll.local;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.tallyroll.local.Sweeps.Drift;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads what the processes of one function print, of which each log line is one JSON object, as
 * Cloud Logging takes it: shows the warnings and errors, and keeps what sweeps have done.
 * Thread-safe.
 */
final class FunctionOutput {
  /** A function that fails on every event would flood the terminal. */
  private static final int MOST_SHOWN = 50;

  private static final int LONGEST_SHOWN = 400;

  private static final Set<String> BAD =
      Set.of("WARNING", "ERROR", "CRITICAL", "ALERT", "EMERGENCY");
  private static final String SWEPT = "sweep";
  private static final String DRIFT = "drift corrected";

  private final String name;
  private final Consumer<String> log;
  private final List<Drift> drift = new ArrayList<>();
  private int shown;
  private long parts;
  private long checked;

  FunctionOutput(String name, Consumer<String> log) {
    this.name = name;
    this.log = log;
  }

  /** A new process may complain as much as the one before it. */
  synchronized void newProcess() {
    shown = 0;
  }

  synchronized void take(String line) {
    var fields = parse(line);
    if (fields.isEmpty()) {
      return;
    }
    var message = text(fields.get(), "message");
    if (BAD.contains(text(fields.get(), "severity"))) {
      show(line);
    }
    if (message.equals(SWEPT)) {
      parts++;
      checked += Long.parseLong(text(fields.get(), "checked"));
    } else if (message.startsWith(DRIFT)) {
      drift.add(
          new Drift(
              text(fields.get(), "counter"), text(fields.get(), "was"), text(fields.get(), "is")));
    }
  }

  /** Empty when the line is no JSON object: then it is some program's plain output. */
  private static Optional<JsonObject> parse(String line) {
    if (!line.startsWith("{")) {
      return Optional.empty();
    }
    try {
      return Optional.of(JsonParser.parseString(line).getAsJsonObject());
    } catch (JsonParseException | IllegalStateException e) {
      return Optional.empty();
    }
  }

  private static String text(JsonObject fields, String name) {
    var value = fields.get(name);
    return value != null && value.isJsonPrimitive() ? value.getAsString() : "";
  }

  private void show(String line) {
    shown++;
    if (shown <= MOST_SHOWN) {
      log.accept("[" + name + "] " + shortened(line));
    } else if (shown == MOST_SHOWN + 1) {
      log.accept("[" + name + "] (more warnings and errors of this process are not shown)");
    }
  }

  /** A stack trace is one long line; all of it is in the last lines of the process. */
  private static String shortened(String line) {
    return line.length() <= LONGEST_SHOWN ? line : line.substring(0, LONGEST_SHOWN) + " ...";
  }

  /** What the sweeps have done so far, over all processes. */
  synchronized Sweeps sweeps() {
    return new Sweeps(parts, checked, drift);
  }
}
