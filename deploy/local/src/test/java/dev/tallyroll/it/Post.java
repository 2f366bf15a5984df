package dev.tallyroll.it;

import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import dev.tallyroll.local.Event;
import dev.tallyroll.local.FunctionServer;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/** Events straight to a function, such as no emulator sends. Stateless. */
final class Post {
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Post() {}

  static Event shardEvent(ByteString body) {
    return event("google.cloud.firestore.document.v1.written", "application/protobuf", body);
  }

  /** The body of an event about a shard; without a database it has no name. */
  static ByteString document(String database, String path, Instant committed) {
    var name = database.isEmpty() ? "" : "projects/p/databases/" + database + "/documents/" + path;
    var updated =
        Timestamp.newBuilder().setSeconds(committed.getEpochSecond()).setNanos(committed.getNano());
    return DocumentEventData.newBuilder()
        .setValue(Document.newBuilder().setName(name).setUpdateTime(updated))
        .build()
        .toByteString();
  }

  static Event message(String body) {
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
            "//tallyroll.test/malformed",
            "content-type",
            contentType),
        body);
  }

  /** Sends it; returns the status of the answer. */
  static int to(FunctionServer function, Event event) throws Exception {
    var request =
        HttpRequest.newBuilder(function.address())
            .timeout(ANSWER_WITHIN)
            .POST(BodyPublishers.ofByteArray(event.body().toByteArray()));
    event.headers().forEach(request::header);
    return HTTP.send(request.build(), BodyHandlers.discarding()).statusCode();
  }
}
