package dev.tallyroll.local;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.ByteString;
import java.util.Map;

/** Turns what the Pub/Sub emulator pushes into the event that production would send. Stateless. */
final class PushedMessage {
  private static final String PUBLISHED = "google.cloud.pubsub.topic.v1.messagePublished";

  private PushedMessage() {}

  /** The body stays as it is: a wrapped push and the event's data have the same form. */
  static Event toEvent(byte[] body, Topic topic) {
    var data = ByteString.copyFrom(body);
    var message = message(data.toStringUtf8());
    return new Event(
        Map.of(
            "ce-specversion",
            "1.0",
            "ce-type",
            PUBLISHED,
            "ce-source",
            topic.source(),
            "ce-id",
            text(message, "messageId"),
            "ce-time",
            text(message, "publishTime"),
            "content-type",
            "application/json"),
        data);
  }

  private static JsonObject message(String json) {
    try {
      if (JsonParser.parseString(json) instanceof JsonObject push
          && push.get("message") instanceof JsonObject message) {
        return message;
      }
    } catch (JsonParseException e) {
      throw new IllegalArgumentException("expected a pushed message, found " + json, e);
    }
    throw new IllegalArgumentException("expected a pushed message, found " + json);
  }

  private static String text(JsonObject message, String field) {
    if (message.get(field) instanceof JsonPrimitive text) {
      return text.getAsString();
    }
    throw new IllegalArgumentException(
        "expected a message with %s, found %s".formatted(field, message));
  }
}
