package dev.tallyroll.functions;

import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import io.cloudevents.CloudEvent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What both functions do with an event: read it, work on the event loop, and wait for the end, as a
 * function has no CPU after it has returned. An event that no retry can make usable is reported and
 * dropped. Safe for use by many threads.
 */
record EventHandling(EventLoop loop, Journal journal, Duration limit) {
  interface Decoder<T> {
    T decode(CloudEvent event) throws UnusableEventException;
  }

  /**
   * @param work is called on the event loop
   * @throws Exception what the work failed with, or {@link TimeoutException}: the event is to be
   *     delivered again
   */
  <T> void handle(CloudEvent event, Decoder<T> decoder, Function<T, CompletableFuture<Void>> work)
      throws Exception {
    T decoded;
    try {
      decoded = decoder.decode(event);
    } catch (UnusableEventException unusable) {
      journal.write(Severity.ERROR, String.valueOf(unusable.getMessage()), describe(event));
      return;
    }
    await(() -> work.apply(decoded));
  }

  /** Throws what the work itself threw, without the wrapping of futures. */
  <T> T await(Supplier<CompletableFuture<T>> work) throws Exception {
    try {
      return CompletableFuture.completedFuture(null)
          .thenComposeAsync(none -> work.get(), loop)
          .get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException failure) {
      throw failure.getCause() instanceof Exception cause ? cause : failure;
    }
  }

  private static Map<String, Object> describe(CloudEvent event) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("event_id", event.getId());
    fields.put("event_type", event.getType());
    fields.put("event_source", event.getSource());
    if (event.getSubject() != null) {
      fields.put("event_subject", event.getSubject());
    }
    if (event.getExtension("traceparent") instanceof String trace) {
      // W3C's form is version-trace-span-flags.
      String[] parts = trace.split("-", -1);
      fields.put("logging.googleapis.com/trace", parts.length == 4 ? parts[1] : trace);
    }
    return fields;
  }
}
