package dev.tallyroll.local;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Turns what the Firestore emulator's hook sends into the event that production would send.
 * Stateless.
 */
final class EmulatorEvent {
  private static final String PREFIX = "ce-";
  private static final String SOURCE = "ce-source";
  private static final String CONTENT_TYPE = "content-type";
  // In the binary mode the content type says it.
  private static final Set<String> NOT_IN_PRODUCTION = Set.of("ce-datacontenttype");

  private EmulatorEvent() {}

  static Event decode(Map<String, List<String>> headers, byte[] body) {
    var kept = new TreeMap<String, String>();
    headers.forEach(
        (name, values) -> {
          var lowerCase = name.toLowerCase(Locale.ROOT);
          if (isKept(lowerCase) && !values.isEmpty()) {
            kept.put(lowerCase, values.get(0));
          }
        });
    // The emulator says projects/projects/P.
    kept.computeIfPresent(
        SOURCE, (name, value) -> value.replace("/projects/projects/", "/projects/"));
    return new Event(kept, decodeBody(body));
  }

  private static boolean isKept(String header) {
    return header.equals(CONTENT_TYPE)
        || (header.startsWith(PREFIX) && !NOT_IN_PRODUCTION.contains(header));
  }

  /**
   * The emulator sends base64 text where production sends protobuf. The two cannot be mixed up: a
   * serialized event starts with the tag of one of its first fields (0x0A, 0x12 or 0x1A), which is
   * no letter of base64.
   */
  private static ByteString decodeBody(byte[] body) {
    try {
      return ByteString.copyFrom(
          Base64.getDecoder().decode(new String(body, StandardCharsets.ISO_8859_1).strip()));
    } catch (IllegalArgumentException e) {
      return ByteString.copyFrom(body);
    }
  }
}
