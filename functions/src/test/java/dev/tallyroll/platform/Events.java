package dev.tallyroll.platform;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import io.cloudevents.CloudEvent;
import io.cloudevents.core.builder.CloudEventBuilder;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/** Events in the form of the platform's. */
public final class Events {
  public static final String WRITTEN = "google.cloud.firestore.document.v1.written";
  public static final String DOCUMENTS = "projects/p/databases/(default)/documents/";

  public interface Decoding<T> {
    T decode() throws UnusableEventException;
  }

  /** The limit of a message about a dropped event, which must stay readable in a log. */
  private static final int LONGEST_MESSAGE = 1_000;

  private Events() {}

  public static DocumentEventData write(String path, long seconds) {
    return DocumentEventData.newBuilder().setValue(document(path, seconds)).build();
  }

  public static Document document(String path, long seconds) {
    return Document.newBuilder()
        .setName(DOCUMENTS + path)
        .setUpdateTime(timestamp(Instant.ofEpochSecond(seconds, 1_000)))
        .build();
  }

  public static Timestamp timestamp(Instant time) {
    return Timestamp.newBuilder()
        .setSeconds(time.getEpochSecond())
        .setNanos(time.getNano())
        .build();
  }

  /**
   * The names and times of the event, as the generated classes of its schema read them; empty if
   * the classes refuse the event.
   */
  public static Optional<byte[]> plain(byte[] body) {
    DocumentEventData data;
    try {
      data = DocumentEventData.parseFrom(body);
    } catch (InvalidProtocolBufferException malformed) {
      return Optional.empty();
    }
    DocumentEventData.Builder plain = DocumentEventData.newBuilder();
    if (data.hasValue()) {
      plain.setValue(plain(data.getValue()));
    }
    if (data.hasOldValue() && !data.hasValue()) { // else, it may be an update of nothing
      plain.setOldValue(plain(data.getOldValue()));
    }
    return Optional.of(plain.build().toByteArray());
  }

  private static Document plain(Document document) {
    Document.Builder plain = Document.newBuilder().setName(document.getName());
    if (document.hasUpdateTime()) {
      plain.setUpdateTime(document.getUpdateTime());
    }
    return plain.build();
  }

  public static CloudEvent event(byte[] body) {
    return event(WRITTEN, body);
  }

  public static CloudEvent event(String type, byte[] body) {
    return CloudEventBuilder.v1()
        .withId("1")
        .withType(type)
        .withSource(URI.create("//firestore.googleapis.com/projects/p/databases/(default)"))
        .withTime(OffsetDateTime.parse("2026-11-26T12:00:00Z"))
        .withData(body)
        .build();
  }

  public static CloudEvent message(String json) {
    return event(
        "google.cloud.pubsub.topic.v1.messagePublished", json.getBytes(StandardCharsets.UTF_8));
  }

  /** The decoded event; empty if it was dropped. Checks the message about a dropped event. */
  public static <T> Optional<T> readOrDrop(Decoding<T> decoding) {
    try {
      return Optional.of(decoding.decode());
    } catch (UnusableEventException dropped) {
      assertThat(dropped.getMessage())
          .startsWith("event dropped: expected ")
          .contains("; found ")
          .hasSizeLessThan(LONGEST_MESSAGE);
      return Optional.empty();
    }
  }
}
