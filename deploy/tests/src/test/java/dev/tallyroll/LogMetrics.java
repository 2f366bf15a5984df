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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts lines of the functions as the log metrics of {@code deploy --monitoring} do. Reads the
 * part of Cloud Logging's query language that their filters use: comparisons of a field with a
 * value, or with several values of which one must match, or several comparisons in brackets of
 * which one must hold. All of these have to hold.
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
    JsonObject payload = JsonParser.parseString(line).getAsJsonObject();
    JsonElement function =
        payload.remove("logging.googleapis.com/labels").getAsJsonObject().get("tallyroll_function");
    payload.remove("severity");
    // Cloud Run makes a text payload of a message without other fields.
    assertThat(payload.size()).as(line).isGreaterThan(1);
    return Stream.of(filter.split(" AND ", -1))
        .allMatch(
            part ->
                part.startsWith("(")
                    ? Stream.of(part.substring(1, part.length() - 1).split(" OR ", -1))
                        .anyMatch(one -> holds(one, function, payload))
                    : holds(part, function, payload));
  }

  private static boolean holds(String part, JsonElement function, JsonObject payload) {
    Matcher comparison = COMPARISON.matcher(part);
    assertThat(comparison.matches()).as(part).isTrue();
    List<String> values =
        VALUE.matcher(comparison.group(3)).results().map(value -> value.group()).toList();
    assertThat(comparison.group(3).replaceAll("[()]", "")).isEqualTo(String.join(" OR ", values));
    JsonElement field = field(comparison.group(1), function, payload);
    return values.stream().anyMatch(value -> holds(field, comparison.group(2), value));
  }

  /** A field of the log entry that Cloud Run makes of a printed line. */
  private static @Nullable JsonElement field(
      String name, JsonElement function, JsonObject payload) {
    boolean isRollUp = function.getAsString().equals("RollUp");
    return switch (name) {
      case "resource.type" -> new JsonPrimitive("cloud_run_revision");
      case "resource.labels.service_name" ->
          new JsonPrimitive("@NAME@-" + (isRollUp ? "roll-up" : "on-shard-written"));
      default -> payload.get(name.replaceFirst("jsonPayload\\.", ""));
    };
  }

  /** Whether a comparison holds; never for a missing field. */
  private static boolean holds(@Nullable JsonElement field, String operator, String value) {
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
