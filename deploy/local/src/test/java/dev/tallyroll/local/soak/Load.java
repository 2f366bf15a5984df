package dev.tallyroll.local.soak;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Counters;
import dev.tallyroll.local.CallFault;
import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.FaultyFirestore;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.soak.Client.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The clients of a soak, on two wires: a good one, and one that loses replies, for increments that
 * have names. They make steps at a steady rate, few of them often and most now and then; one that
 * still waits for an answer is passed over. Used by one thread, but for what it starts.
 */
final class Load implements AutoCloseable {
  private static final double REPLIES_LOST = 0.2;
  private static final int TRIES_OF_A_NAME = 50;
  private static final int THREADS = 32;
  private static final int STOP_WITHIN_MINUTES = 3;

  /** One in so many counters is nested. */
  private static final int NESTED = 5;

  /** The first tenth of the clients makes about half of the steps. */
  private static final int STEEPNESS = 3;

  private final FaultyFirestore badWire;
  private final Firestore overBadWire;
  private final Firestore firestore;
  private final List<Client> clients;
  private final Random random;
  private final Consumer<String> log;
  private final Set<Client> busy = ConcurrentHashMap.newKeySet();
  private final LongAdder steps = new LongAdder();
  private final LongAdder passedOver = new LongAdder();

  Load(LocalCloud cloud, int counters, long seed, Consumer<String> log) {
    this.badWire = FaultyFirestore.start(cloud.firestoreHost(), CallFaults.NONE);
    this.overBadWire = cloud.openFirestore(badWire.address());
    this.firestore = cloud.openFirestore();
    this.random = new Random(seed);
    this.log = log;
    this.clients =
        IntStream.range(0, counters)
            .mapToObj(number -> client(number, seed * counters + number, "soak-" + seed + "-"))
            .toList();
  }

  private Client client(int number, long seed, String prefix) {
    String parent = number % NESTED == 0 ? "rooms/room-" + number : "";
    var path = new CounterPath(parent, prefix + number);
    return new Client(
        Counters.of(firestore).counter(path),
        Counters.of(overBadWire).counter(path),
        Kind.of(number),
        seed);
  }

  void createAll() throws ExecutionException, InterruptedException, TimeoutException {
    for (var client : clients) {
      client.create();
    }
  }

  List<Client> clients() {
    return clients;
  }

  /** Over the good wire. */
  Firestore firestore() {
    return firestore;
  }

  long steps() {
    return steps.sum();
  }

  long passedOver() {
    return passedOver.sum();
  }

  /** From now on the bad wire does as it is called, or does not. */
  void loseReplies(boolean wanted, long seed) {
    badWire.inject(wanted ? CallFaults.losingReplies(REPLIES_LOST, seed) : CallFaults.NONE);
  }

  long lostReplies() {
    return badWire.counts().of(CallFault.REPLY_LOST);
  }

  /** What is done while clients make steps. */
  interface Meanwhile {
    void run() throws InterruptedException;
  }

  static Meanwhile nothingFor(Duration duration) {
    return () -> TimeUnit.NANOSECONDS.sleep(duration.toNanos());
  }

  /** Lets clients make steps; returns when all these have ended. */
  void during(double perSecond, Meanwhile work) throws InterruptedException {
    var clock = Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "load"));
    var workers = Executors.newFixedThreadPool(THREADS, task -> daemon(task, "client"));
    long period = (long) (TimeUnit.SECONDS.toNanos(1) / perSecond);
    var unused =
        clock.scheduleAtFixedRate(
            () -> {
              var client = pick();
              if (busy.add(client)) {
                workers.execute(() -> step(client));
              } else {
                passedOver.increment();
              }
            },
            period,
            period,
            TimeUnit.NANOSECONDS);
    try {
      work.run();
    } finally {
      // First the clock, so that nothing is handed to workers that are shut down.
      clock.shutdownNow();
      boolean ended = clock.awaitTermination(STOP_WITHIN_MINUTES, TimeUnit.MINUTES);
      workers.shutdown();
      ended &= workers.awaitTermination(STOP_WITHIN_MINUTES, TimeUnit.MINUTES);
      if (!ended) {
        log.accept("expected all steps to end within " + STOP_WITHIN_MINUTES + " minutes");
      }
    }
  }

  private Client pick() {
    return clients.get((int) (clients.size() * Math.pow(random.nextDouble(), STEEPNESS)));
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

  private static Thread daemon(Runnable task, String name) {
    var thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Repeats named increments until they are known to be counted; to be called without faults. */
  void settleNames() throws InterruptedException {
    for (var client : clients) {
      for (int tries = 0; !client.settle() && tries < TRIES_OF_A_NAME; tries++) {
        log.accept(client.path() + ": a named increment is tried again");
      }
    }
  }

  /** Looks again and again; returns those that have not settled within the limit. */
  List<Client> awaitSettled(Duration limit)
      throws ExecutionException, InterruptedException, TimeoutException {
    long end = System.nanoTime() + limit.toNanos();
    List<Client> left = clients;
    while (true) {
      var unsettled = new ArrayList<Client>();
      for (var client : left) {
        if (!Checks.standing(client).isSettled()) {
          unsettled.add(client);
        }
      }
      left = unsettled;
      if (left.isEmpty() || System.nanoTime() - end > 0) {
        return left;
      }
    }
  }

  @Override
  public void close() {
    firestore.shutdown();
    overBadWire.shutdown();
    badWire.close();
  }
}
