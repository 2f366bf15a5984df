package dev.tallyroll.local.soak;

import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Lets clients make steps at a steady rate, few of them often and most now and then. A client that
 * still waits for an answer is passed over. Thread-safe.
 */
final class Crowd implements AutoCloseable {
  private static final int THREADS = 32;
  private static final int STOP_WITHIN_MINUTES = 3;

  /** The first tenth of the clients makes about half of the steps. */
  private static final int STEEPNESS = 3;

  private final List<Client> clients;
  private final Random random;
  private final Consumer<String> log;
  private final Set<Client> busy = ConcurrentHashMap.newKeySet();
  private final LongAdder steps = new LongAdder();
  private final LongAdder passedOver = new LongAdder();
  private final ScheduledExecutorService clock;
  private final ExecutorService workers;

  private Crowd(List<Client> clients, long seed, Consumer<String> log) {
    this.clients = clients;
    this.random = new Random(seed);
    this.log = log;
    this.clock = Executors.newSingleThreadScheduledExecutor(daemons("crowd"));
    this.workers = Executors.newFixedThreadPool(THREADS, daemons("client"));
  }

  static Crowd start(List<Client> clients, double perSecond, long seed, Consumer<String> log) {
    var crowd = new Crowd(clients, seed, log);
    long period = (long) (TimeUnit.SECONDS.toNanos(1) / perSecond);
    var unused = crowd.clock.scheduleAtFixedRate(crowd::pick, period, period, TimeUnit.NANOSECONDS);
    return crowd;
  }

  private static ThreadFactory daemons(String name) {
    return task -> {
      var thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  private void pick() {
    var client = clients.get((int) (clients.size() * Math.pow(random.nextDouble(), STEEPNESS)));
    if (busy.add(client)) {
      workers.execute(() -> step(client));
    } else {
      passedOver.increment();
    }
  }

  private void step(Client client) {
    try {
      client.step();
      steps.increment();
    } catch (ExecutionException | TimeoutException failure) {
      log.accept(client.path() + ": a client's call failed: " + failure);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      busy.remove(client);
    }
  }

  long steps() {
    return steps.sum();
  }

  long passedOver() {
    return passedOver.sum();
  }

  /** Returns when every step has ended. */
  @Override
  public void close() {
    clock.shutdownNow();
    try {
      // First the clock, so that nothing is handed to workers that are shut down.
      boolean ended = clock.awaitTermination(STOP_WITHIN_MINUTES, TimeUnit.MINUTES);
      workers.shutdown();
      if (!ended || !workers.awaitTermination(STOP_WITHIN_MINUTES, TimeUnit.MINUTES)) {
        throw new IllegalStateException(
            "expected all steps to end within " + STOP_WITHIN_MINUTES + " minutes");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
