package dev.tallyroll.local;

import com.google.protobuf.ByteString;
import java.util.Map;
import java.util.TreeMap;

/**
 * A CloudEvent in the binary mode of HTTP, as the production platform sends it to a function.
 * Immutable.
 *
 * @param headers the {@code ce-} attributes and the content type, names in lower case
 * @param body the data
 */
public record Event(Map<String, String> headers, ByteString body) {
  public Event {
    headers = Map.copyOf(headers);
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
}
