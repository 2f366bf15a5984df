package dev.tallyroll.local;

import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.protobuf.ByteString;
import com.google.protobuf.util.Timestamps;
import java.util.Map;
import java.util.UUID;

/** Events as production sends them, made by hand for a function that just started. Stateless. */
final class FirstEvent {
  private FirstEvent() {}

  /** That a shard was written now. */
  static Event written(String project, String shard) {
    var document =
        Document.newBuilder()
            .setName("projects/%s/databases/(default)/documents/%s".formatted(project, shard))
            .setUpdateTime(Timestamps.now());
    return event(
        "google.cloud.firestore.document.v1.written",
        "application/protobuf",
        DocumentEventData.newBuilder().setValue(document).build().toByteString());
  }

  /** What the schedule says each minute. */
  static Event run() {
    return event(
        "google.cloud.pubsub.topic.v1.messagePublished",
        "application/json",
        ByteString.copyFromUtf8("{\"message\":{\"attributes\":{\"kind\":\"run\"}}}"));
  }

  private static Event event(String type, String contentType, ByteString body) {
    return new Event(
        Map.of(
            "ce-specversion",
            "1.0",
            "ce-type",
            type,
            "ce-source",
            "//cold-start",
            "ce-id",
            UUID.randomUUID().toString(),
            "content-type",
            contentType),
        body);
  }
}
