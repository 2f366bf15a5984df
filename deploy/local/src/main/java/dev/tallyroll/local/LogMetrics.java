package dev.tallyroll.local;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Counts lines of the functions as the log metrics of {@code deploy --monitoring} do. */
public final class LogMetrics {
  /** The metrics that alert at a single line. */
  public static final Set<String> AT_ONCE =
      Set.of("bad-values", "cut", "other-settings", "overdue");

  /** Each metric's filter. */
  private static final Map<String, String> METRICS = read();

  private LogMetrics() {}

  private static Map<String, String> read() {
    Map<String, String> filters = new TreeMap<>();
    var folder = Checkout.fromSystemProperty().root().resolve("deploy/gcloud/monitoring/metrics");
    try (var files = Files.list(folder)) {
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
        .forEach(line -> METRICS.keySet().forEach(metric -> count(metric, line, counted)));
    return counted;
  }

  private static void count(String metric, String line, Map<String, Long> counted) {
    if (Filter.matches(METRICS.getOrDefault(metric, ""), line)) {
      counted.merge(metric, 1L, Long::sum);
    }
  }
}
