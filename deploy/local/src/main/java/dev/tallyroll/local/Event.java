package dev.tallyroll.local;

import com.google.gson.Gson;
import com.google.protobuf.ByteString;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A CloudEvent in the binary mode of HTTP, as the production platform sends it to a function.
 * Immutable.
 *
 * @param headers the {@code ce-} attributes and the content type, names in lower case
 * @param body the data
 */
public record Event(Map<String, String> headers, ByteString body) {
  /** The longest that an event-driven function may run. */
  private static final Duration ANSWER_WITHIN = Duration.ofMinutes(9);

  /** The type of an event about a message. */
  static final String MESSAGE = "google.cloud.pubsub.topic.v1.messagePublished";

  static final String JSON = "application/json";
  static final String PROTOBUF = "application/protobuf";
  private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x1F\\x7F]");

  public Event {
    headers = Map.copyOf(headers);
  }

  /** An event of now, with an id of its own. */
  static Event of(String type, String source, String contentType, ByteString body) {
    return new Event(
        Map.of(
            "ce-specversion",
            "1.0",
            "ce-id",
            UUID.randomUUID().toString(),
            "ce-type",
            type,
            "ce-source",
            source,
            "ce-time",
            Instant.now().toString(),
            "content-type",
            contentType),
        body);
  }

  /** The attribute of that name, without {@code ce-}; empty when the event has none. */
  public String attribute(String name) {
    return headers.getOrDefault("ce-" + name, "");
  }

  /** The same event with one header set. */
  public Event with(String header, String value) {
    var changed = new TreeMap<>(headers);
    changed.put(header, value);
    return new Event(changed, body);
  }

  /** Turns an event of the Firestore emulator into the event that production would send. */
  static Event fromFirestore(Map<String, List<String>> headers, byte[] body) {
    var kept = new TreeMap<String, String>();
    headers.forEach(
        (name, values) -> {
          var lowerCase = name.toLowerCase(Locale.ROOT);
          if (lowerCase.startsWith("ce-") || lowerCase.equals("content-type")) {
            kept.put(lowerCase, values.get(0));
          }
        });
    // In the binary mode, the content type has the same value.
    kept.remove("ce-datacontenttype");
    // The emulator writes projects/projects/P.
    kept.computeIfPresent(
        "ce-source", (name, value) -> value.replace("/projects/projects/", "/projects/"));
    return new Event(kept, decoded(body));
  }

  /**
   * The emulator sends base64 text where production sends protobuf. The two cannot be mixed up: a
   * serialized event starts with the tag of one of its first fields (0x0A, 0x12 or 0x1A), which is
   * no letter of base64.
   */
  private static ByteString decoded(byte[] body) {
    try {
      return ByteString.copyFrom(
          Base64.getDecoder().decode(new String(body, StandardCharsets.ISO_8859_1).strip()));
    } catch (IllegalArgumentException e) {
      return ByteString.copyFrom(body);
    }
  }

  /**
   * Turns a push of the Pub/Sub emulator into the event that production would send. The body stays
   * as it is: a wrapped push and the event's data have the same form.
   *
   * @param topic its full name
   * @throws IllegalArgumentException if the body is no pushed message
   */
  static Event fromPubSub(byte[] body, String topic) {
    var message = message(new String(body, StandardCharsets.UTF_8));
    return of(MESSAGE, "//pubsub.googleapis.com/" + topic, JSON, ByteString.copyFrom(body))
        .with("ce-id", message.messageId())
        .with("ce-time", message.publishTime());
  }

  private record Push(Message message) {}

  private record Message(String messageId, String publishTime) {}

  private static Message message(String json) {
    try {
      // Gson leaves a missing field null.
      var message = new Gson().fromJson(json, Push.class).message();
      Objects.requireNonNull(message.messageId());
      Objects.requireNonNull(message.publishTime());
      return message;
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("expected a pushed message, found " + json, e);
    }
  }

  /** The request that delivers it. */
  HttpRequest request(URI function) {
    var request =
        HttpRequest.newBuilder(function)
            .timeout(ANSWER_WITHIN)
            .POST(BodyPublishers.ofByteArray(body.toByteArray()));
    headers.forEach((name, value) -> request.header(name, withoutControls(value)));
    return request.build();
  }

  /**
   * Encodes control characters as CloudEvents' HTTP binding does (section 3.1.3.2). Ids may hold
   * them, headers must not, and an event that cannot be sent would stay pending for ever.
   */
  private static String withoutControls(String value) {
    return CONTROL
        .matcher(value)
        .replaceAll(found -> "%%%02X".formatted((int) found.group().charAt(0)));
  }
}
