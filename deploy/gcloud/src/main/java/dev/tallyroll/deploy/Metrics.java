package dev.tallyroll.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.net.URLEncoder;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A project's own metrics, summed over a span of time.
 *
 * @param get answers a URL
 */
record Metrics(Function<String, JsonElement> get, String project, Instant from, Instant to) {
  /** The operations of all clients of a database; %s is read, write or delete. */
  static final String OPERATIONS = "firestore.googleapis.com/document/%s_ops_count";

  static final String PUSHES = "pubsub.googleapis.com/subscription/push_request_count";
  static final String REQUESTS = "run.googleapis.com/request_count";
  static final String VCPU_SECONDS = "run.googleapis.com/container/cpu/allocation_time";
  static final String GIB_SECONDS = "run.googleapis.com/container/memory/allocation_time";

  private static final String URL =
      "https://monitoring.googleapis.com/v3/projects/%s/timeSeries?filter=%s"
          + "&interval.startTime=%s&interval.endTime=%s";
  private static final String SUMMED =
      "&aggregation.alignmentPeriod=%ss"
          + "&aggregation.perSeriesAligner=ALIGN_DELTA&aggregation.crossSeriesReducer=REDUCE_SUM%s";

  /** The shortest that is taken. */
  private static final long LEAST_SECONDS = 60;

  /** The filter for one resource by its label, such as {@code database_id}. */
  static String of(String label, String value) {
    return "resource.labels.%s=\"%s\"".formatted(label, value);
  }

  /** The URL that asks for the points of a metric, as they were measured. */
  static String url(String project, String type, String filter, Instant from, Instant to) {
    String all = "metric.type=\"" + type + "\" AND " + filter;
    return URL.formatted(project, URLEncoder.encode(all, UTF_8), from, to);
  }

  private JsonElement ask(String type, String filter, String label) {
    long seconds = Math.max(LEAST_SECONDS, Duration.between(from, to).toSeconds());
    String group = label.isEmpty() ? "" : "&aggregation.groupByFields=metric.labels." + label;
    String url = url(project, type, filter, from, to) + SUMMED.formatted(seconds, group);
    return get.apply(url);
  }

  /** The count of each value of a label. */
  Map<String, Long> by(String label, String type, String filter) {
    Map<String, Long> counts = new TreeMap<>();
    Map<String, Double> sums = sums(label, type, filter);
    if (sums.isEmpty()) {
      throw none(type);
    }
    sums.forEach((value, sum) -> counts.put(value, Math.round(sum)));
    return counts;
  }

  private Map<String, Double> sums(String label, String type, String filter) {
    Map<String, Double> sums = new TreeMap<>();
    for (JsonObject series : Json.objects(ask(type, filter, label), "timeSeries")) {
      for (JsonObject point : Json.objects(series, "points")) {
        String value = Json.text(point, "value.int64Value") + Json.text(point, "value.doubleValue");
        if (!value.isEmpty()) {
          String key = label.isEmpty() ? "" : Json.text(series, "metric.labels." + label);
          sums.merge(key, Double.valueOf(value), Double::sum);
        }
      }
    }
    return sums;
  }

  private static Undetermined none(String type) {
    return new Undetermined("no value of " + type + " in these minutes");
  }

  double sum(String type, String filter) {
    return known(type, filter).orElseThrow(() -> none(type));
  }

  /** The sum; empty where there is no value. */
  OptionalDouble known(String type, String filter) {
    Double sum = sums("", type, filter).get("");
    return sum == null ? OptionalDouble.empty() : OptionalDouble.of(sum);
  }

  /** The mean of a distribution, and of how many. */
  String mean(String type, String filter) {
    double sum = 0;
    long count = 0;
    for (JsonObject series : Json.objects(ask(type, filter, ""), "timeSeries")) {
      for (JsonObject point : Json.objects(series, "points")) {
        long number = Long.parseLong("0" + Json.text(point, "value.distributionValue.count"));
        if (number > 0) {
          sum += number * Double.parseDouble(Json.text(point, "value.distributionValue.mean"));
          count += number;
        }
      }
    }
    if (count == 0) {
      throw none(type);
    }
    return String.format(Locale.ROOT, "%.0f ms on average, of %d", sum / count, count);
  }
}
