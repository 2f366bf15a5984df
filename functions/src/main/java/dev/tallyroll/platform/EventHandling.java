package dev.tallyroll.platform;

import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.StructuredLog.Severity;
import io.cloudevents.CloudEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Runs the work of an event on the event loop, and waits until the work has ended, since a function
 * has no CPU after it has returned. It drops and reports an event that no retry can make usable,
 * and one that fails and is not delivered again. Each instance reports a limited number a minute.
 * Safe for use by many threads.
 */
public final class EventHandling {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int MOST_A_MINUTE = 20;

  private final EventLoop loop;
  private final StructuredLog log;
  private final Duration limit;
  private final boolean isRetried;
  private Instant nextMinute = Times.LONG_AGO;
  private int reported;
  private int unreported;

  /**
   * Makes what handles events.
   *
   * @param isRetried whether an event that fails is delivered again
   */
  public EventHandling(EventLoop loop, StructuredLog log, Duration limit, boolean isRetried) {
    this.loop = loop;
    this.log = log;
    this.limit = limit;
    this.isRetried = isRetried;
  }

  /** Drops an event that no retry can make usable, and reports it. */
  public void drop(CloudEvent event, UnusableEventException unusable) {
    report(String.valueOf(unusable.getMessage()), describe(event));
  }

  /**
   * Works on what an event says, and returns when the work has ended.
   *
   * @param work is called on the event loop
   * @throws Exception if events are retried: what the work failed with, or {@link TimeoutException}
   */
  public void runToEnd(CloudEvent event, Supplier<CompletableFuture<Void>> work) throws Exception {
    try {
      await(loop, limit, work);
    } catch (Exception failure) {
      if (isRetried) {
        throw failure;
      }
      Map<String, Object> fields = describe(event);
      fields.put("cause", failure.toString());
      report("message failed; the next one tries again", fields);
    }
  }

  /** Throws what the work itself threw, without the wrapping of futures. */
  public static <T> T await(EventLoop loop, Duration limit, Supplier<CompletableFuture<T>> work)
      throws Exception {
    try {
      return CompletableFuture.completedFuture(null)
          .thenComposeAsync(none -> work.get(), loop)
          .get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException failure) {
      throw failure.getCause() instanceof Exception cause ? cause : failure;
    }
  }

  private synchronized void report(String message, Map<String, Object> fields) {
    Instant now = loop.instant();
    if (!now.isBefore(nextMinute)) {
      nextMinute = now.plus(MINUTE);
      reported = 0;
    }
    if (reported++ >= MOST_A_MINUTE) {
      unreported++;
      return;
    }
    fields.put("unreported", unreported);
    unreported = 0;
    log.write(Severity.ERROR, message, fields);
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
