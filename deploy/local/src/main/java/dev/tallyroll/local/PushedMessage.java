package dev.tallyroll.local;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import java.util.Map;

/** Turns what the Pub/Sub emulator pushes into the event that production would send. Stateless. */
final class PushedMessage {
  private static final String PUBLISHED = "google.cloud.pubsub.topic.v1.messagePublished";

  private PushedMessage() {}

  /** The body stays as it is: a wrapped push and the event's data have the same form. */
  static Event toEvent(byte[] body, Topic topic) {
    var data = ByteString.copyFrom(body);
    try {
      var message =
          JsonParser.parseString(data.toStringUtf8()).getAsJsonObject().getAsJsonObject("message");
      return new Event(
          Map.of(
              "ce-specversion",
              "1.0",
              "ce-type",
              PUBLISHED,
              "ce-source",
              topic.source(),
              "ce-id",
              message.get("messageId").getAsString(),
              "ce-time",
              message.get("publishTime").getAsString(),
              "content-type",
              "application/json"),
          data);
    } catch (JsonParseException | IllegalStateException | NullPointerException e) {
      throw new IllegalArgumentException(
          "expected a pushed message with messageId and publishTime, found " + data.toStringUtf8(),
          e);
    }
  }
}
