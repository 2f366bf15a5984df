package dev.tallyroll.functions;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.Sweep.Cursor;
import io.cloudevents.CloudEvent;
import io.cloudevents.CloudEventData;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A message on the roll-up topic. All it says is in its attributes.
 *
 * @param kind what to do
 * @param worker for which worker; empty if the message is for all
 * @param cursor where a sweep goes on
 */
record Message(Kind kind, OptionalInt worker, Cursor cursor) {
  private static final String KIND = "kind";
  private static final String WORKER = "worker";
  private static final String GROUP = "group";
  private static final String AFTER = "after";
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

  static Message of(Kind kind, int worker) {
    return new Message(kind, OptionalInt.of(worker), Cursor.START);
  }

  static Message sweep(Cursor from) {
    return new Message(Kind.SWEEP, OptionalInt.empty(), from);
  }

  Map<String, String> attributes() {
    Map<String, String> attributes = new TreeMap<>(Map.of(KIND, kind.attribute()));
    worker.ifPresent(index -> attributes.put(WORKER, Integer.toString(index)));
    if (!cursor.equals(Cursor.START)) {
      attributes.put(GROUP, cursor.group().name());
      attributes.put(AFTER, cursor.after());
    }
    return attributes;
  }

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
      if (body != null && body.message() != null) {
        return Objects.requireNonNullElse(body.message().attributes(), Map.of());
      }
    } catch (JsonParseException malformed) {
      // As whatever else is not one.
    }
    throw new UnusableEventException("a MessagePublishedData in JSON", text);
  }

  private static Kind kind(@Nullable String found) throws UnusableEventException {
    for (Kind kind : Kind.values()) {
      if (kind.attribute().equals(found)) {
        return kind;
      }
    }
    throw new UnusableEventException("attribute kind run, wake or sweep", found);
  }

  private static OptionalInt worker(@Nullable String found, int workers)
      throws UnusableEventException {
    if (found == null) {
      return OptionalInt.empty();
    }
    if (!found.matches("[0-9]{1,9}") || Integer.parseInt(found) >= workers) {
      throw new UnusableEventException("attribute worker from 0 to " + (workers - 1), found);
    }
    return OptionalInt.of(Integer.parseInt(found));
  }

  private static Cursor cursor(Map<String, String> attributes) throws UnusableEventException {
    String group = attributes.get(GROUP);
    // JSON may name an attribute and say null.
    String after = Objects.requireNonNullElse(attributes.get(AFTER), "");
    if (group == null) {
      return Cursor.START;
    }
    for (Group known : Group.values()) {
      if (known.name().equals(group) && (after.isEmpty() || isDocument(after))) {
        return new Cursor(known, after);
      }
    }
    throw new UnusableEventException(
        "attribute group ROLLUPS or COUNTERS, and after the path of a document",
        group + "' and '" + after);
  }

  private static boolean isDocument(String path) {
    List<String> ids = Arrays.asList(path.split("/", -1));
    return ids.size() % 2 == 0 && !ids.contains("");
  }
}
