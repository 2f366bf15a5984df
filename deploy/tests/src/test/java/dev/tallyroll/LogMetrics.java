package dev.tallyroll;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts lines of the functions as the log metrics of {@code deploy --monitoring} do. Reads the
 * part of Cloud Logging's query language that their filters use: comparisons of a field with a
 * value, or with several values of which one must match. All comparisons have to hold.
 *
 * <p>Source: "Logging query language" of Cloud Logging's documentation.
 */
public final class LogMetrics {
  /** The metrics that alert at a single line. */
  public static final Set<String> AT_ONCE =
      Set.of("bad-values", "cut", "other-settings", "overdue");

  private static final Path FOLDER = Path.of("../gcloud/monitoring/metrics");
  private static final Pattern COMPARISON = Pattern.compile("([A-Za-z_.]+)(=|:|>)(.+)");
  private static final Pattern VALUE = Pattern.compile("\"[^\"]*\"|-?\\d+");

  /** Each metric's filter. */
  private static final Map<String, String> METRICS = read();

  private LogMetrics() {}

  private static Map<String, String> read() {
    Map<String, String> filters = new TreeMap<>();
    try (var files = Files.list(FOLDER)) {
      for (var file : files.toList()) {
        var metric = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
        String id = String.valueOf(file.getFileName()).replace(".json", "");
        filters.put(id, metric.get("filter").getAsString());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return filters;
  }

  /**
   * How many lines each metric counts, without zeros. Text before the JSON of a line is ignored.
   */
  public static Map<String, Long> counted(Collection<String> lines) {
    Map<String, Long> counted = new TreeMap<>();
    lines.stream()
        .filter(line -> line.contains("\"tallyroll_function\"")) // the framework's are not JSON
        .map(line -> line.substring(line.indexOf('{')))
        .forEach(
            line ->
                METRICS.forEach(
                    (metric, filter) -> {
                      if (matches(filter, line)) {
                        counted.merge(metric, 1L, Long::sum);
                      }
                    }));
    return counted;
  }

  private static boolean matches(String filter, String line) {
    JsonObject entry = entry(line);
    boolean all = true;
    for (String part : filter.split(" AND ", -1)) {
      Matcher comparison = COMPARISON.matcher(part);
      assertThat(comparison.matches()).as(part).isTrue();
      List<String> values =
          VALUE.matcher(comparison.group(3)).results().map(value -> value.group()).toList();
      assertThat(comparison.group(3).replaceAll("[()]", "")).isEqualTo(String.join(" OR ", values));
      JsonElement field = at(entry, comparison.group(1));
      all &= values.stream().anyMatch(value -> holds(field, comparison.group(2), value));
    }
    return all;
  }

  /** The log entry that Cloud Run makes of a printed line: special fields leave the payload. */
  private static JsonObject entry(String line) {
    JsonObject payload = JsonParser.parseString(line).getAsJsonObject();
    JsonElement function =
        payload.remove("logging.googleapis.com/labels").getAsJsonObject().get("tallyroll_function");
    boolean isRoller = function.getAsString().equals("RollUp");
    JsonObject labels = new JsonObject();
    labels.addProperty("service_name", "@NAME@-" + (isRoller ? "roll-up" : "on-shard-written"));
    JsonObject resource = new JsonObject();
    resource.addProperty("type", "cloud_run_revision");
    resource.add("labels", labels);
    JsonObject entry = new JsonObject();
    entry.add("resource", resource);
    entry.add("severity", payload.remove("severity"));
    // Cloud Run makes a text payload of a message without other fields.
    assertThat(payload.size()).as(line).isGreaterThan(1);
    entry.add("jsonPayload", payload);
    return entry;
  }

  private static JsonElement at(JsonObject entry, String path) {
    JsonElement found = entry;
    for (String key : path.split("\\.", -1)) {
      found = found.isJsonObject() ? found.getAsJsonObject().get(key) : null;
      if (found == null) {
        return new JsonObject();
      }
    }
    return found;
  }

  /** Whether a comparison holds; never for a missing field. */
  private static boolean holds(JsonElement field, String operator, String value) {
    if (!(field instanceof JsonPrimitive found)) {
      return false;
    }
    if (!value.startsWith("\"")) {
      double number = found.isNumber() ? found.getAsDouble() : Double.NaN;
      double other = Double.parseDouble(value);
      return operator.equals("=") ? number == other : operator.equals(">") && number > other;
    }
    String text = found.getAsString().toLowerCase(Locale.ROOT);
    String other = value.substring(1, value.length() - 1).toLowerCase(Locale.ROOT);
    return operator.equals("=") ? text.equals(other) : operator.equals(":") && text.contains(other);
  }
}
