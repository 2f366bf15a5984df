package dev.tallyroll.local;

import com.google.common.base.Throwables;
import com.google.common.util.concurrent.AtomicLongMap;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The stand-in for Eventarc and for a push of Pub/Sub. Delivers each event at least once, to a
 * random instance of a function, many at once and in any order. It repeats a failed delivery with a
 * growing back-off, until the back-off gives up or this is closed; the event is then lost, since
 * nothing is kept on disk. The number of events in memory has no limit. Thread-safe.
 */
public final class HttpDeliveries implements AutoCloseable {
  /** How many events an instance takes at a time, as {@code deploy} sets it for a whole vCPU. */
  public static final int CONCURRENCY = 80;

  private final List<URI> instances;
  private final int concurrency;
  private final HttpClient http;
  private final Backoff backoff;
  private final Consumer<String> log;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setNameFormat("deliveries").setDaemon(true).build());
  private final ArrayDeque<Delivery> waiting = new ArrayDeque<>();
  private final AtomicLong pending = new AtomicLong();
  private final AtomicLongMap<Occurrence> counts = AtomicLongMap.create();

  /** Uses the same seed in each process; thread order decides who draws which number. */
  private final Random choice = new Random(0);

  private final int[] underway;
  private final List<BilledTime> billed;
  private volatile DeliveryFaults.Draw faults = new DeliveryFaults.Draw(DeliveryFaults.NONE);
  private volatile Duration delay = Duration.ZERO;
  private boolean closed;

  /**
   * The waits between the attempts of a delivery. Each wait is twice the one before. Immutable.
   *
   * @param first the wait after the first failure
   * @param longest the limit of the waits
   * @param giveUpAfter the time from the first attempt until the delivery is given up
   */
  record Backoff(Duration first, Duration longest, Duration giveUpAfter) {
    /** Production waits 10 s to 600 s, too long for a demo. Both give up after a day. */
    static final Backoff LOCAL =
        new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10), Duration.ofHours(24));

    /** One attempt: an event whose delivery fails is lost. */
    static final Backoff NONE = new Backoff(Duration.ZERO, Duration.ZERO, Duration.ZERO);

    private static final int MOST_DOUBLINGS = 30;

    /** The wait after so many failures, one or more. */
    Duration after(int failures) {
      var wait = first.multipliedBy(1L << Math.min(failures - 1, MOST_DOUBLINGS));
      return wait.compareTo(longest) < 0 ? wait : longest;
    }
  }

  /** One copy of an event in flight. Used by one thread at a time, handed over safely. */
  private static final class Delivery {
    private final Event event;
    private final long startedNanos = System.nanoTime();
    private int failures;

    Delivery(Event event) {
      this.event = event;
    }

    Duration age() {
      return Duration.ofNanos(System.nanoTime() - startedNanos);
    }
  }

  /**
   * Delivers to these instances.
   *
   * @param concurrency the largest number of events in flight to an instance; others wait here
   */
  HttpDeliveries(
      List<URI> instances,
      int concurrency,
      HttpClient http,
      Backoff backoff,
      Consumer<String> log) {
    this.instances = List.copyOf(instances);
    this.concurrency = concurrency;
    this.http = http;
    this.backoff = backoff;
    this.log = log;
    this.underway = new int[instances.size()];
    this.billed = instances.stream().map(instance -> new BilledTime()).toList();
  }

  /** Injects these faults into later events, and starts their random choices anew from the seed. */
  public void inject(DeliveryFaults wanted) {
    faults = new DeliveryFaults.Draw(wanted);
  }

  /**
   * Makes every later event wait at least this long, in addition to the delays by faults. Events
   * that already wait are not affected.
   */
  public void delay(Duration everyEvent) {
    delay = everyEvent;
  }

  /** Takes an event, and delivers it later. */
  public void submit(Event event) {
    var waits = faults.next();
    pending.addAndGet(waits.size());
    counts.incrementAndGet(Occurrence.EVENT);
    if (waits.isEmpty()) {
      counts.incrementAndGet(Occurrence.EVENT_LOST);
      return;
    }
    counts.addAndGet(Occurrence.EVENT_DOUBLED, waits.size() - 1L);
    for (var wait : waits) {
      if (!wait.isZero()) {
        counts.incrementAndGet(Occurrence.EVENT_LATE);
      }
      later(new Delivery(event), wait.plus(delay));
    }
  }

  /** The number of copies of events that are not delivered yet: waiting or in flight. */
  public long pending() {
    return pending.get();
  }

  /** How often this has happened to these events since the start. */
  public long count(Occurrence what) {
    return counts.get(what);
  }

  /** The billed seconds of all instances until now. */
  public synchronized double billedSeconds() {
    long now = System.nanoTime();
    return billed.stream().mapToDouble(time -> time.seconds(now)).sum();
  }

  /** Uses the timer's thread even for no wait, so that the emulator gets its answer sooner. */
  private synchronized void later(Delivery delivery, Duration wait) {
    if (!closed) {
      var unused = timer.schedule(() -> enqueue(delivery), wait.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void enqueue(Delivery delivery) {
    int instance;
    synchronized (this) {
      if (closed) {
        return;
      }
      var free =
          IntStream.range(0, underway.length).filter(i -> underway[i] < concurrency).toArray();
      if (free.length == 0) {
        waiting.addLast(delivery);
        return;
      }
      instance = free[choice.nextInt(free.length)];
      underway[instance]++;
      billed.get(instance).begin(System.nanoTime());
    }
    send(delivery, instance);
  }

  private void send(Delivery delivery, int instance) {
    var unused =
        http.sendAsync(delivery.event.request(instances.get(instance)), BodyHandlers.discarding())
            .whenComplete(
                (answer, failure) -> {
                  if (failure != null) {
                    failed(delivery, words(failure, instances.get(instance)));
                  } else if (answer.statusCode() / 100 != 2) {
                    failed(delivery, "status " + answer.statusCode());
                  } else if (faults.losesAnswer()) {
                    counts.incrementAndGet(Occurrence.ANSWER_LOST);
                    failed(delivery, "answer lost");
                  } else {
                    counts.incrementAndGet(Occurrence.DELIVERED);
                    pending.decrementAndGet();
                  }
                  next(instance);
                });
  }

  private static String words(Throwable failure, URI instance) {
    boolean nobody =
        Throwables.getCausalChain(failure).stream().anyMatch(ConnectException.class::isInstance);
    return (nobody ? "nothing listens at " : "the connection broke with ") + instance;
  }

  private void failed(Delivery delivery, String reason) {
    delivery.failures++;
    if (delivery.age().compareTo(backoff.giveUpAfter()) > 0) {
      counts.incrementAndGet(Occurrence.GIVEN_UP);
      pending.decrementAndGet();
      logUnlessClosed(
          "gave up event %s after %d s: %s"
              .formatted(
                  delivery.event.attribute("id"), backoff.giveUpAfter().toSeconds(), reason));
      return;
    }
    counts.incrementAndGet(Occurrence.RETRIED);
    later(delivery, backoff.after(delivery.failures));
  }

  /** A delivery that fails because the cloud closes is not logged. */
  private synchronized void logUnlessClosed(String line) {
    if (!closed) {
      log.accept(line);
    }
  }

  /** Sends a waiting delivery to the instance, which has just finished one. */
  private void next(int instance) {
    @Nullable Delivery delivery;
    synchronized (this) {
      delivery = waiting.pollFirst();
      if (delivery == null) {
        underway[instance]--;
        billed.get(instance).end(System.nanoTime());
        return;
      }
    }
    send(delivery, instance);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      waiting.clear();
    }
    timer.shutdownNow();
  }
}
