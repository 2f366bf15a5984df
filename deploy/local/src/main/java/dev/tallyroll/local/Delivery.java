package dev.tallyroll.local;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * One copy of an event on its way to a function. Used by one thread at a time, handed over safely.
 */
final class Delivery {
  /** The longest that an event-driven function may run. */
  static final Duration ANSWER_WITHIN = Duration.ofMinutes(9);

  private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x1F\\x7F]");

  private final Event event;
  private final long startedNanos = System.nanoTime();
  private volatile int failures;

  Delivery(Event event) {
    this.event = event;
  }

  String id() {
    return event.attribute("id");
  }

  int failures() {
    return failures;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // One attempt at a time.
  void failed() {
    failures++;
  }

  Duration age() {
    return Duration.ofNanos(System.nanoTime() - startedNanos);
  }

  HttpRequest request(URI function) {
    return request(event, function);
  }

  static HttpRequest request(Event event, URI function) {
    var request =
        HttpRequest.newBuilder(function)
            .timeout(ANSWER_WITHIN)
            .POST(BodyPublishers.ofByteArray(event.body().toByteArray()));
    event.headers().forEach((name, value) -> request.header(name, withoutControls(value)));
    return request.build();
  }

  /**
   * As CloudEvents' HTTP binding encodes them (section 3.1.3.2): ids of documents may hold such
   * characters, headers must not, and an event that cannot be sent would stay pending for ever.
   */
  private static String withoutControls(String value) {
    return CONTROL
        .matcher(value)
        .replaceAll(found -> "%%%02X".formatted((int) found.group().charAt(0)));
  }
}
