package dev.tallyroll.local;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The stand-in for Eventarc: delivers events to a function, many at once, in no order, at least
 * once. An event whose delivery fails is tried again with a growing wait, as long as the back-off
 * says or until this is closed; events that are not delivered by then are lost, as nothing is kept
 * on disk. Holds as many events as come in. Thread-safe.
 */
public final class Deliveries implements AutoCloseable {
  /** How many events a function instance is given at once, as with {@code --concurrency=80}. */
  static final int CONCURRENCY = 80;

  private final URI function;
  private final HttpClient http;
  private final Backoff backoff;
  private final Consumer<String> log;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Deliveries::daemon);
  private final ArrayDeque<Delivery> waiting = new ArrayDeque<>();
  private final AtomicLong pending = new AtomicLong();
  private final DeliveryCounts.Counter counts = new DeliveryCounts.Counter();
  private volatile FaultPlan faults = new FaultPlan(DeliveryFaults.NONE);
  private int underway;
  private boolean closed;

  Deliveries(URI function, HttpClient http, Backoff backoff, Consumer<String> log) {
    this.function = function;
    this.http = http;
    this.backoff = backoff;
    this.log = log;
  }

  /** From now on these faults are injected; they draw from their seed afresh. */
  public void inject(DeliveryFaults wanted) {
    faults = new FaultPlan(wanted);
  }

  /** Takes over an event; returns at once. */
  public void submit(Event event) {
    var waits = faults.next();
    pending.addAndGet(waits.size());
    counts.submitted.increment();
    if (waits.isEmpty()) {
      counts.lostEvents.increment();
      return;
    }
    counts.duplicated.add(waits.size() - 1L);
    for (var wait : waits) {
      if (!wait.isZero()) {
        counts.delayed.increment();
      }
      later(new Delivery(event), wait);
    }
  }

  /** How many copies of events are not delivered yet, waiting and under way. */
  public long pending() {
    return pending.get();
  }

  /** What was done since the start. */
  public DeliveryCounts counts() {
    return counts.snapshot();
  }

  /** Also without a wait on the timer's thread, so that the emulator has its answer sooner. */
  private synchronized void later(Delivery delivery, Duration wait) {
    if (!closed) {
      var unused = timer.schedule(() -> enqueue(delivery), wait.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void enqueue(Delivery delivery) {
    synchronized (this) {
      if (closed) {
        return;
      }
      if (underway == CONCURRENCY) {
        waiting.addLast(delivery);
        return;
      }
      underway++;
    }
    send(delivery);
  }

  private void send(Delivery delivery) {
    var unused =
        http.sendAsync(delivery.request(function), BodyHandlers.discarding())
            .whenComplete(
                (answer, failure) -> {
                  if (failure != null) {
                    failed(delivery, failure.toString());
                  } else if (answer.statusCode() / 100 != 2) {
                    failed(delivery, "status " + answer.statusCode());
                  } else if (faults.losesAnswer()) {
                    counts.lostAnswers.increment();
                    failed(delivery, "answer lost");
                  } else {
                    counts.delivered.increment();
                    pending.decrementAndGet();
                  }
                  next();
                });
  }

  private void failed(Delivery delivery, String reason) {
    delivery.failed();
    if (backoff.givesUp(delivery.age())) {
      counts.givenUp.increment();
      pending.decrementAndGet();
      log.accept(
          "gave up event %s after %s: %s".formatted(delivery.id(), backoff.giveUpAfter(), reason));
      return;
    }
    if (delivery.failures() == 1) {
      counts.retriedEvents.increment();
    }
    counts.retries.increment();
    later(delivery, backoff.after(delivery.failures()));
  }

  private void next() {
    Delivery delivery;
    synchronized (this) {
      delivery = closed ? null : waiting.pollFirst();
      if (delivery == null) {
        underway--;
        return;
      }
    }
    send(delivery);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      waiting.clear();
    }
    timer.shutdownNow();
  }

  private static Thread daemon(Runnable task) {
    var thread = new Thread(task, "deliveries");
    thread.setDaemon(true);
    return thread;
  }
}
