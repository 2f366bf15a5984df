package dev.tallyroll.local;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of Cloud Logging's query language that our filters use: comparisons of a field with a
 * value, or with several values of which one must match. All comparisons have to hold.
 *
 * <p>Source: "Logging query language" of Cloud Logging's documentation.
 */
public final class Filter {
  private static final Pattern COMPARISON = Pattern.compile("([A-Za-z_.]+)(=|:|>)(.+)");
  private static final Pattern VALUE = Pattern.compile("\"[^\"]*\"|-?\\d+");

  private Filter() {}

  public static boolean matches(String filter, String line) {
    JsonObject entry = entry(line);
    boolean all = true;
    for (String part : filter.split(" AND ", -1)) {
      Matcher comparison = COMPARISON.matcher(part);
      require(comparison.matches(), part);
      List<String> values =
          VALUE.matcher(comparison.group(3)).results().map(value -> value.group()).toList();
      require(comparison.group(3).replaceAll("[()]", "").equals(String.join(" OR ", values)), part);
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
    require(payload.size() > 1, line);
    entry.add("jsonPayload", payload);
    return entry;
  }

  /** An assertion without a library, for the soak, which has none. */
  private static void require(boolean holds, String found) {
    if (!holds) {
      throw new AssertionError("expected a form that this class reads, found " + found);
    }
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
