package dev.tallyroll.deploy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Reads and makes JSON. An absent value is an empty text or list: the APIs omit defaults. */
final class Json {

  private static final JsonArray NOTHING = new JsonArray();

  private Json() {}

  /**
   * The text, number or truth at a path of keys with dots between, 0 for the first of a list; or
   * empty.
   */
  static String text(@Nullable JsonElement from, String path) {
    JsonElement found = at(from, path);
    return found.isJsonPrimitive() ? found.getAsString() : "";
  }

  private static JsonElement at(@Nullable JsonElement from, String path) {
    JsonElement found = from == null ? NOTHING : from;
    for (String key : path.isEmpty() ? new String[0] : path.split("\\.", -1)) {
      if (found.isJsonObject()) {
        JsonElement value = found.getAsJsonObject().get(key);
        found = value == null ? NOTHING : value;
      } else {
        boolean isFirst =
            key.equals("0") && found.isJsonArray() && !found.getAsJsonArray().isEmpty();
        found = isFirst ? found.getAsJsonArray().get(0) : NOTHING;
      }
    }
    return found;
  }

  static List<JsonObject> objects(@Nullable JsonElement from, String path) {
    return elements(from, path).stream()
        .filter(JsonElement::isJsonObject)
        .map(JsonElement::getAsJsonObject)
        .toList();
  }

  static List<String> texts(@Nullable JsonElement from, String path) {
    return elements(from, path).stream().map(JsonElement::getAsString).toList();
  }

  private static List<JsonElement> elements(@Nullable JsonElement from, String path) {
    JsonElement found = at(from, path);
    return found.isJsonArray()
        ? StreamSupport.stream(found.getAsJsonArray().spliterator(), false).toList()
        : List.of();
  }

  static JsonObject object(JsonElement from, String path) {
    JsonElement found = at(from, path);
    return found.isJsonObject() ? found.getAsJsonObject() : new JsonObject();
  }

  /** The texts of an object, by their keys. */
  static Map<String, String> map(JsonElement from, String path) {
    Map<String, String> map = new TreeMap<>();
    object(from, path).entrySet().forEach(e -> map.put(e.getKey(), e.getValue().getAsString()));
    return map;
  }

  /** An object of keys and values in turn: texts, truths, elements. */
  static JsonObject of(Object... keysAndValues) {
    JsonObject made = new JsonObject();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      made.add(keysAndValues[i].toString(), element(keysAndValues[i + 1]));
    }
    return made;
  }

  static JsonArray array(List<?> values) {
    JsonArray made = new JsonArray();
    values.forEach(value -> made.add(element(value)));
    return made;
  }

  private static JsonElement element(Object value) {
    if (value instanceof JsonElement json) {
      return json;
    }
    return value instanceof Boolean truth
        ? new JsonPrimitive(truth)
        : new JsonPrimitive(value.toString());
  }

  /** The last part of a resource's name. */
  static String id(String name) {
    return name.substring(name.lastIndexOf('/') + 1);
  }
}
