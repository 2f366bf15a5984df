package dev.tallyroll.deploy;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The templates of a JSON file. An object that is "like" a template gets its form; the object's own
 * values take the place of @names@ in it. A field whose value is not given is left out.
 */
record Templates(JsonObject all) {
  private static final Pattern NAME = Pattern.compile("@([a-z]+)@");

  /** Takes the templates out of a file, and fills in the rest of it. */
  static JsonObject filled(JsonObject file) {
    JsonElement templates = file.remove("templates");
    return templates == null
        ? file
        : new Templates(templates.getAsJsonObject()).filled(file, Map.of()).getAsJsonObject();
  }

  private JsonElement filled(JsonElement part, Map<String, JsonElement> values) {
    if (part.isJsonArray()) {
      return Json.array(
          part.getAsJsonArray().asList().stream().map(one -> filled(one, values)).toList());
    }
    if (part.isJsonObject()) {
      return filled(part.getAsJsonObject(), values);
    }
    return part.getAsJsonPrimitive().isString() ? filled(part.getAsString(), values) : part;
  }

  private JsonElement filled(JsonObject object, Map<String, JsonElement> values) {
    Map<String, JsonElement> own = new LinkedHashMap<>();
    object.asMap().forEach((key, value) -> own.put(key, filled(value, values)));
    own.values().removeIf(JsonElement::isJsonNull);
    JsonElement like = own.remove("like");
    if (like == null) {
      JsonObject filled = new JsonObject();
      own.forEach(filled::add);
      return filled;
    }
    Map<String, JsonElement> inherited = new HashMap<>(values);
    inherited.putAll(own);
    return filled(all.getAsJsonObject(like.getAsString()), inherited);
  }

  /** A text that is one name becomes the value, of any kind; a name in a text becomes a text. */
  private static JsonElement filled(String text, Map<String, JsonElement> values) {
    Matcher name = NAME.matcher(text);
    return name.matches()
        ? values.getOrDefault(name.group(1), JsonNull.INSTANCE)
        : new JsonPrimitive(
            name.replaceAll(
                found -> Matcher.quoteReplacement(Json.text(values.get(found.group(1)), ""))));
  }
}
