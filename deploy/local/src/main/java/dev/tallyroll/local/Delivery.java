package dev.tallyroll.local;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;

/**
 * One copy of an event on its way to a function. Used by one thread at a time, handed over safely.
 */
final class Delivery {
  /** The longest that an event-driven function may run. */
  static final Duration ANSWER_WITHIN = Duration.ofMinutes(9);

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
    event.headers().forEach(request::header);
    return request.build();
  }
}
