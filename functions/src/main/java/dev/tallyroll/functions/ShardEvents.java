package dev.tallyroll.functions;

import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import io.cloudevents.CloudEvent;
import io.cloudevents.CloudEventData;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads Firestore's document events. Safe for use by many threads. */
final class ShardEvents {
  private static final Pattern TYPE =
      Pattern.compile(
          "google\\.cloud\\.firestore\\.document\\.v1\\.(written|created|updated|deleted)"
              + "(\\.withAuthContext)?");
  private static final Pattern NAME =
      Pattern.compile("projects/[^/]+/databases/([^/]+)/documents/(.+)", Pattern.DOTALL);

  private final Layout layout;
  private final String database;

  ShardEvents(Layout layout, String database) {
    this.layout = layout;
    this.database = database;
  }

  /**
   * A write of a shard.
   *
   * @param counter the counter that the shard belongs to
   * @param committed when, by Firestore's clock; empty for a delete
   */
  record ShardWrite(CounterPath counter, Optional<Instant> committed) {}

  /**
   * @throws UnusableEventException if it is not a write of a shard
   */
  ShardWrite decode(CloudEvent event) throws UnusableEventException {
    if (!TYPE.matcher(event.getType()).matches()) {
      throw new UnusableEventException("a type that matches " + TYPE, event.getType());
    }
    DocumentEventData data = parse(event.getData());
    if (!data.hasValue() && !data.hasOldValue()) {
      throw new UnusableEventException("a document before or after the write", "neither");
    }
    Document document = data.hasValue() ? data.getValue() : data.getOldValue();
    return new ShardWrite(counter(document.getName()), committed(data));
  }

  private CounterPath counter(String name) throws UnusableEventException {
    Matcher parts = NAME.matcher(name);
    if (!parts.matches() || !parts.group(1).equals(database)) {
      throw new UnusableEventException("a document of database " + database, "'" + name + "'");
    }
    return layout
        .counterOfShard(parts.group(2))
        .orElseThrow(
            () ->
                new UnusableEventException(
                    "a path that matches %s/{counter}/%s/{shard}"
                        .formatted(layout.counters(), layout.shards()),
                    "'" + parts.group(2) + "'"));
  }

  /** A time that is missing or impossible is left out: such a write is never taken as covered. */
  private static Optional<Instant> committed(DocumentEventData data) {
    Timestamp time = data.getValue().getUpdateTime();
    return data.getValue().hasUpdateTime() && Timestamps.isValid(time)
        ? Optional.of(Instant.ofEpochSecond(time.getSeconds(), time.getNanos()))
        : Optional.empty();
  }

  private static DocumentEventData parse(CloudEventData data) throws UnusableEventException {
    byte[] bytes = data == null ? new byte[0] : data.toBytes();
    try {
      return DocumentEventData.parseFrom(bytes);
    } catch (InvalidProtocolBufferException malformed) {
      throw new UnusableEventException(
          "a DocumentEventData in protobuf", bytes.length + " bytes: " + malformed.getMessage());
    }
  }
}
