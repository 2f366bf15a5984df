package dev.tallyroll.settings;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import java.io.EOFException;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads JSON as RFC 8259 has it: no comments, no trailing comma, no single quotes; and no object
 * with two values for one key, of which other readers take the last without a word.
 */
final class StrictJson {
  private final List<String> twice = new ArrayList<>();

  private StrictJson() {}

  /**
   * Reads a text.
   *
   * @throws IllegalArgumentException if it is no JSON, or has a key twice; the message has a line
   *     for each such key, and says where
   */
  static JsonElement read(String text) {
    StrictJson json = new StrictJson();
    try (JsonReader reader = new JsonReader(new StringReader(text))) {
      reader.setStrictness(Strictness.STRICT);
      JsonElement read = json.element(reader);
      if (reader.peek() != JsonToken.END_DOCUMENT) {
        throw new MalformedJsonException("more behind the end");
      }
      if (!json.twice.isEmpty()) {
        throw new IllegalArgumentException(String.join("\n", json.twice));
      }
      return read;
    } catch (EOFException ended) {
      throw refusal("an end before it is complete: a bracket or a brace is open", ended);
    } catch (IOException malformed) {
      throw refusal(
          String.valueOf(malformed.getMessage()).lines().findFirst().orElse(""), malformed);
    }
  }

  private static IllegalArgumentException refusal(String found, IOException cause) {
    return new IllegalArgumentException(
        "expected JSON, with double quotes, without comments and without a comma behind the last"
            + " value; found "
            + found,
        cause);
  }

  private JsonElement element(JsonReader reader) throws IOException {
    return switch (reader.peek()) {
      case BEGIN_OBJECT -> object(reader);
      case BEGIN_ARRAY -> array(reader);
      case STRING -> new JsonPrimitive(reader.nextString());
      case NUMBER -> new JsonPrimitive(new BigDecimal(reader.nextString()));
      case BOOLEAN -> new JsonPrimitive(reader.nextBoolean());
      default -> {
        reader.nextNull();
        yield JsonNull.INSTANCE;
      }
    };
  }

  private JsonObject object(JsonReader reader) throws IOException {
    JsonObject object = new JsonObject();
    reader.beginObject();
    while (reader.hasNext()) {
      String key = reader.nextName();
      if (object.has(key)) {
        twice.add("%s: expected it once; found it twice".formatted(reader.getPath().substring(2)));
      }
      object.add(key, element(reader));
    }
    reader.endObject();
    return object;
  }

  private JsonArray array(JsonReader reader) throws IOException {
    JsonArray array = new JsonArray();
    reader.beginArray();
    while (reader.hasNext()) {
      array.add(element(reader));
    }
    reader.endArray();
    return array;
  }
}
