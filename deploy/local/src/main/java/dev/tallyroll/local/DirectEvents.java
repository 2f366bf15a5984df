package dev.tallyroll.local;

import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/** Sends events directly to a function, without an emulator. Stateless. */
public final class DirectEvents {
  private static final HttpClient HTTP = Loopback.client();

  private DirectEvents() {}

  public static Event shardEvent(ByteString body) {
    return event("google.cloud.firestore.document.v1.written", "application/protobuf", body);
  }

  /** The body of an event about a shard. With an empty database, the document has no name. */
  public static ByteString document(String database, String path, Instant committed) {
    var name = database.isEmpty() ? "" : "projects/p/databases/" + database + "/documents/" + path;
    var updated =
        Timestamp.newBuilder().setSeconds(committed.getEpochSecond()).setNanos(committed.getNano());
    return DocumentEventData.newBuilder()
        .setValue(Document.newBuilder().setName(name).setUpdateTime(updated))
        .build()
        .toByteString();
  }

  public static Event message(String body) {
    return event(
        "google.cloud.pubsub.topic.v1.messagePublished",
        "application/json",
        ByteString.copyFromUtf8(body));
  }

  private static Event event(String type, String contentType, ByteString body) {
    return new Event(
        Map.of(
            "ce-specversion",
            "1.0",
            "ce-id",
            UUID.randomUUID().toString(),
            "ce-type",
            type,
            "ce-source",
            "//tallyroll.test/events",
            "content-type",
            contentType),
        body);
  }

  /** Sends an event; returns the status of the answer. */
  public static int send(Event event, FunctionServer function)
      throws IOException, InterruptedException {
    return HTTP.send(event.request(function.address()), BodyHandlers.discarding()).statusCode();
  }
}
