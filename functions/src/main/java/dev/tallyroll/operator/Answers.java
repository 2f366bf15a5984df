package dev.tallyroll.operator;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;

/**
 * What gcloud answered: a folder with a file of JSON for each question. Without a file, there is
 * nothing of that kind, or it was not asked. Immutable.
 */
record Answers(Path folder) {

  /** The things of a list. */
  List<JsonObject> list(String question) {
    return list(read(question));
  }

  /**
   * The things of a list.
   *
   * @throws IllegalArgumentException if the answer is no JSON
   */
  static List<JsonObject> list(Reader answer) {
    return list(parse(answer, "a list"));
  }

  private static List<JsonObject> list(JsonElement answer) {
    return answer.isJsonArray() ? objects(answer.getAsJsonArray()) : List.of();
  }

  /** The questions that gcloud's account may not ask. */
  List<String> denied() {
    Path file = folder.resolve("denied");
    try {
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** The one thing that was described; empty if it is not there. */
  JsonObject one(String question) {
    JsonElement answer = read(question);
    return answer.isJsonObject() ? answer.getAsJsonObject() : new JsonObject();
  }

  private JsonElement read(String question) {
    Path file = folder.resolve(question + ".json");
    if (!Files.exists(file)) {
      return new JsonArray();
    }
    try (Reader reader = Files.newBufferedReader(file)) {
      return parse(reader, question);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static JsonElement parse(Reader answer, String question) {
    try {
      return JsonParser.parseReader(answer);
    } catch (JsonParseException malformed) {
      throw new IllegalArgumentException(
          "gcloud: expected JSON about " + question + "; found other text", malformed);
    }
  }

  /** A value below these names, as text for a terminal; empty if it is not there. */
  static String text(JsonObject object, String... names) {
    JsonElement found = below(object, names);
    return found.isJsonPrimitive() ? Printable.of(found.getAsString()) : "";
  }

  /** The things of a list below these names; none if it is not there. */
  static List<JsonObject> objects(JsonObject object, String... names) {
    JsonElement found = below(object, names);
    return found.isJsonArray() ? objects(found.getAsJsonArray()) : List.of();
  }

  /** The texts of an object below these names; none if it is not there. */
  static Map<String, String> texts(JsonObject object, String... names) {
    Map<String, String> texts = new TreeMap<>();
    if (below(object, names) instanceof JsonObject found) {
      found.entrySet().forEach(entry -> texts.put(entry.getKey(), entry.getValue().getAsString()));
    }
    return texts;
  }

  private static JsonElement below(JsonObject object, String... names) {
    JsonElement found = object;
    for (String name : names) {
      JsonElement next = found instanceof JsonObject map ? map.get(name) : null;
      found = next == null ? new JsonObject() : next;
    }
    return found;
  }

  private static List<JsonObject> objects(JsonArray array) {
    return StreamSupport.stream(array.spliterator(), /* parallel= */ false)
        .filter(JsonElement::isJsonObject)
        .map(JsonElement::getAsJsonObject)
        .toList();
  }

  /** The location in a resource's name, such as projects/p/locations/us-central1/triggers/t. */
  static String location(JsonObject resource) {
    return text(resource, "name").replaceFirst(".*/locations/", "").replaceFirst("/.*", "");
  }

  /** The last part of a resource's name, such as projects/p/topics/t. */
  static String id(JsonObject resource) {
    String name = text(resource, "name");
    return name.substring(name.lastIndexOf('/') + 1);
  }
}
