package dev.tallyroll.local;

import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;

/** Sends events directly to a function, without an emulator. Stateless. */
public final class DirectEvents {
  private static final String SOURCE = "//tallyroll.test/events";
  private static final HttpClient HTTP = Loopback.client();

  private DirectEvents() {}

  public static Event shardEvent(ByteString body) {
    return Event.of(Emulator.WRITTEN, SOURCE, Event.PROTOBUF, body);
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

  /** Sends an event; returns the status of the answer. */
  public static int send(Event event, FunctionServer function)
      throws IOException, InterruptedException {
    return HTTP.send(event.request(function.address()), BodyHandlers.discarding()).statusCode();
  }
}
