package dev.tallyroll.functions;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.Sweep;
import io.cloudevents.CloudEvent;
import io.cloudevents.CloudEventData;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A message on the roll-up topic.
 *
 * @param kind what to do
 * @param worker for which worker; empty if the message is for all
 * @param cursor where a sweep goes on; empty from its start
 */
record Message(Kind kind, OptionalInt worker, Optional<Sweep.Cursor> cursor) {
  static final String KIND = "kind";
  static final String WORKER = "worker";
  static final String GROUP = "group";
  static final String AFTER = "after";
  private static final Gson GSON = new Gson();

  /** What a message asks for. */
  enum Kind {
    /** From the schedule, once a minute. */
    RUN,
    /** From a handler that made a counter live. */
    WAKE,
    /** From the second schedule, once an hour, and from a sweep that has come to its deadline. */
    SWEEP;

    String attribute() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The part of Pub/Sub's MessagePublishedData that is read here. */
  private record Body(@Nullable Content message) {}

  private record Content(@Nullable Map<String, String> attributes) {}

  /**
   * @param workers how many workers there are
   * @throws UnusableEventException if the message says nothing that can be done
   */
  static Message decode(CloudEvent event, int workers) throws UnusableEventException {
    Map<String, String> attributes = attributes(event.getData());
    return new Message(
        kind(attributes.get(KIND)), worker(attributes.get(WORKER), workers), cursor(attributes));
  }

  private static Map<String, String> attributes(@Nullable CloudEventData data)
      throws UnusableEventException {
    String text = data == null ? "" : new String(data.toBytes(), StandardCharsets.UTF_8);
    try {
      Body body = GSON.fromJson(text, Body.class);
      if (body == null || body.message() == null) {
        throw new UnusableEventException("a MessagePublishedData in JSON", "'" + cut(text) + "'");
      }
      Map<String, String> attributes = body.message().attributes();
      return attributes == null ? Map.of() : attributes;
    } catch (JsonParseException malformed) {
      throw new UnusableEventException("a MessagePublishedData in JSON", "'" + cut(text) + "'");
    }
  }

  private static Kind kind(@Nullable String found) throws UnusableEventException {
    return Arrays.stream(Kind.values())
        .filter(kind -> kind.attribute().equals(found))
        .findFirst()
        .orElseThrow(
            () ->
                new UnusableEventException("attribute kind run, wake or sweep", "'" + found + "'"));
  }

  private static OptionalInt worker(@Nullable String found, int workers)
      throws UnusableEventException {
    if (found == null) {
      return OptionalInt.empty();
    }
    if (!found.matches("[0-9]{1,9}") || Integer.parseInt(found) >= workers) {
      throw new UnusableEventException(
          "attribute worker from 0 to " + (workers - 1), "'" + found + "'");
    }
    return OptionalInt.of(Integer.parseInt(found));
  }

  private static Optional<Sweep.Cursor> cursor(Map<String, String> attributes)
      throws UnusableEventException {
    String group = attributes.get(GROUP);
    // JSON may name an attribute and say null.
    String after = Objects.requireNonNullElse(attributes.get(AFTER), "");
    if (group == null) {
      return Optional.empty();
    }
    for (Group known : Group.values()) {
      if (known.name().equals(group) && (after.isEmpty() || isDocument(after))) {
        return Optional.of(new Sweep.Cursor(known, after));
      }
    }
    throw new UnusableEventException(
        "attribute group ROLLUPS or COUNTERS, and after the path of a document",
        "'" + cut(group) + "' and '" + cut(after) + "'");
  }

  private static boolean isDocument(String path) {
    List<String> ids = Arrays.asList(path.split("/", -1));
    return ids.size() % 2 == 0 && !ids.contains("");
  }

  private static String cut(String text) {
    return text.length() <= 80 ? text : text.substring(0, 80) + "...";
  }
}
