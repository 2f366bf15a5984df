package dev.tallyroll.platform;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import com.google.protobuf.UnsafeByteOperations;
import com.google.protobuf.WireFormat;
import com.google.protobuf.util.Timestamps;
import dev.tallyroll.internal.ids.Names;
import io.cloudevents.CloudEvent;
import io.cloudevents.CloudEventData;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads Firestore's document events. Safe for use by many threads.
 *
 * <p>An event holds the whole document before and after the write, up to a megabyte each, and many
 * events come at once, so this reads only names and times, and copies nothing: the documents that
 * it hands on are parts of the event's body.
 */
public final class DocumentEvents {
  private static final Pattern TYPE =
      Pattern.compile(
          "google\\.cloud\\.firestore\\.document\\.v1\\.(written|created|updated|deleted)"
              + "(\\.withAuthContext)?");
  private static final Pattern NAME =
      Pattern.compile("projects/[^/]+/databases/([^/]+)/documents/(.+)", Pattern.DOTALL);

  // Field numbers of google.events.cloud.firestore.v1. If a field comes twice, messages are merged;
  // of other values, the last counts.
  private static final int VALUE = tag(1);
  private static final int OLD_VALUE = tag(2);
  private static final int UPDATE_MASK = tag(3);
  private static final Map<Integer, BinaryOperator<ByteString>> DOCUMENT_EVENT_DATA =
      Map.of(
          VALUE,
          ByteString::concat,
          OLD_VALUE,
          ByteString::concat,
          UPDATE_MASK,
          ByteString::concat);
  private static final int DOCUMENT_NAME = tag(1);
  private static final int UPDATE_TIME = tag(4);
  private static final Map<Integer, BinaryOperator<ByteString>> DOCUMENT =
      Map.of(DOCUMENT_NAME, (first, last) -> last, UPDATE_TIME, ByteString::concat);

  private final String database;

  /**
   * Makes what reads events.
   *
   * @param database whose events are read
   */
  public DocumentEvents(String database) {
    this.database = database;
  }

  private static int tag(int field) {
    return field << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  }

  /**
   * A write of a document.
   *
   * @param path of the document, from the root of the database
   * @param type whether the document is there before and after it
   * @param committed when, by Firestore's clock; empty for a delete
   * @param before the document, in protobuf; empty if it was not there
   * @param after the same, of the document as it is now
   * @param mask the names of the fields that an update changes, in protobuf; empty for all
   */
  public record DocumentWrite(
      String path,
      WriteType type,
      Optional<Instant> committed,
      ByteString before,
      ByteString after,
      ByteString mask) {}

  /** The type of a write. */
  public enum WriteType {
    CREATE,
    UPDATE,
    DELETE
  }

  /**
   * Reads an event.
   *
   * @throws UnusableEventException if it is not a write of a document of this database
   */
  public DocumentWrite decode(CloudEvent event) throws UnusableEventException {
    if (!TYPE.matcher(event.getType()).matches()) {
      throw new UnusableEventException("a type that matches " + TYPE, event.getType());
    }
    CloudEventData data = event.getData();
    byte[] body = data == null ? new byte[0] : data.toBytes();
    try {
      return decode(fields(DOCUMENT_EVENT_DATA, UnsafeByteOperations.unsafeWrap(body)));
    } catch (IOException malformed) {
      throw new UnusableEventException(
          "a DocumentEventData in protobuf", body.length + " bytes: " + malformed.getMessage());
    }
  }

  private DocumentWrite decode(Map<Integer, ByteString> documents)
      throws IOException, UnusableEventException {
    ByteString after = documents.get(VALUE);
    ByteString before = documents.get(OLD_VALUE);
    ByteString document = after != null ? after : before;
    if (document == null) {
      throw new UnusableEventException("a document before or after the write", "neither");
    }
    Map<Integer, ByteString> parts = fields(DOCUMENT, document);
    return new DocumentWrite(
        path(text(parts.getOrDefault(DOCUMENT_NAME, ByteString.EMPTY))),
        before == null ? WriteType.CREATE : after == null ? WriteType.DELETE : WriteType.UPDATE,
        after == null ? Optional.empty() : committed(parts.get(UPDATE_TIME)),
        before == null ? ByteString.EMPTY : before,
        after == null ? ByteString.EMPTY : after,
        documents.getOrDefault(UPDATE_MASK, ByteString.EMPTY));
  }

  /** The wanted fields of a message, not copied. */
  private static Map<Integer, ByteString> fields(
      Map<Integer, BinaryOperator<ByteString>> wanted, ByteString message) throws IOException {
    CodedInputStream in = message.newCodedInput();
    in.enableAliasing(true);
    Map<Integer, ByteString> found = new HashMap<>();
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      BinaryOperator<ByteString> twice = wanted.get(tag);
      if (twice != null) {
        found.merge(tag, in.readBytes(), twice);
      } else if (!in.skipField(tag)) {
        throw new InvalidProtocolBufferException("a group ends that did not begin");
      }
    }
    return found;
  }

  private static String text(ByteString bytes) throws InvalidProtocolBufferException {
    if (!bytes.isValidUtf8()) {
      throw new InvalidProtocolBufferException("the document's name is not UTF-8");
    }
    return bytes.toStringUtf8();
  }

  private String path(String name) throws UnusableEventException {
    Matcher parts = NAME.matcher(name);
    if (!parts.matches() || !parts.group(1).equals(database)) {
      throw new UnusableEventException("a document of database " + database, name);
    }
    return parts.group(2);
  }

  /** Leaves out a missing or impossible time: such a write is never taken as covered. */
  private static Optional<Instant> committed(@Nullable ByteString updateTime) throws IOException {
    Timestamp time = updateTime == null ? null : Timestamp.parseFrom(updateTime);
    return time != null && Timestamps.isValid(time)
        ? Optional.of(Instant.ofEpochSecond(time.getSeconds(), time.getNanos()))
        : Optional.empty();
  }

  /** The path of a document that is no shard's, or too long for the requests that handle it. */
  public static UnusableEventException refusal(String pattern, String path) {
    return new UnusableEventException(
        Names.fitsRequest(path)
            ? "a path that matches %s, with ids that Firestore takes".formatted(pattern)
            : "a path of at most %,d characters when it is percent-encoded"
                .formatted(Names.MAX_ENCODED),
        path);
  }
}
