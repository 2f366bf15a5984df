package dev.tallyroll.local.faults;

import static dev.tallyroll.local.Answers.get;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.CounterPath;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.FaultyFirestore;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.Occurrence;
import dev.tallyroll.local.faults.Checks.Seen;
import dev.tallyroll.local.faults.Client.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The clients, on two wires: a good one, and one that loses replies, for named increments. The
 * clients make steps at a steady rate; few clients make most of the steps. A client that still
 * waits for an answer skips its step. A reader gets all roll-ups again and again. Used by one
 * thread; it starts others.
 */
final class ClientLoad implements AutoCloseable {
  private static final double REPLIES_LOST = 0.2;
  private static final int TRIES_OF_A_NAME = 50;
  private static final int THREADS = 32;
  private static final int STEP_EACH_MILLIS = 20;
  private static final int READ_EACH_MILLIS = 100;
  private static final int STOP_WITHIN_MINUTES = 3;

  /** One counter in so many is nested. */
  private static final int NESTED = 5;

  /** The first tenth of the clients makes about half of the steps. */
  private static final int STEEPNESS = 3;

  private final List<Client> clients;
  private final FaultyFirestore badWire;
  private final Firestore overBadWire;
  private final Firestore firestore;
  private final long seed;
  private final Random random;
  private final Consumer<String> log;
  private final Set<Client> busy = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService reader = Executors.newSingleThreadScheduledExecutor();

  ClientLoad(LocalCloud cloud, int counters, long seed, Consumer<String> log) {
    this.badWire = new FaultyFirestore(cloud.firestoreHost());
    this.overBadWire = cloud.openFirestore(badWire.open().address());
    this.firestore = cloud.openFirestore();
    this.seed = seed;
    this.random = new Random(seed);
    this.log = log;
    this.clients = IntStream.range(0, counters).mapToObj(this::client).toList();
  }

  private Client client(int number) {
    var parent = number % NESTED == 0 ? "rooms/room-" + number : "";
    var path = new CounterPath(parent, "faults-" + number);
    return new Client(
        FirestoreCounters.of(firestore).counter(path),
        FirestoreCounters.of(overBadWire).counter(path),
        Kind.of(number),
        random.nextLong());
  }

  /**
   * Creates all counters, and begins to read them. The reader does not listen, since the emulator's
   * listeners to queries break while documents are being written.
   */
  void begin() throws Exception {
    for (var client : clients) {
      client.create();
    }
    var unused =
        reader.scheduleWithFixedDelay(this::read, 0, READ_EACH_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void read() {
    var rollups =
        clients.stream()
            .map(client -> firestore.document(Layout.DEFAULT.rollupDocument(client.path())))
            .toArray(DocumentReference[]::new);
    try {
      var found = get(firestore.getAll(rollups));
      for (int i = 0; i < found.size(); i++) {
        if (found.get(i).get("count") instanceof Long count
            && found.get(i).get("as_of") instanceof Timestamp asOf) {
          clients.get(i).sees(new Seen(count, asOf.toSqlTimestamp().toInstant()));
        }
      }
    } catch (ExecutionException | TimeoutException failure) {
      log.accept("the roll-ups could not be read: " + failure);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The number of roll-ups that the reader has seen. */
  long seen() {
    return clients.stream().mapToLong(client -> client.seen.size()).sum();
  }

  /** Sets whether the bad wire loses replies. */
  void loseReplies(boolean wanted) {
    badWire.inject(wanted ? CallFaults.losingReplies(REPLIES_LOST, seed) : CallFaults.NONE);
  }

  long lostReplies() {
    return badWire.count(Occurrence.REPLY_LOST);
  }

  /** An action that may be interrupted. */
  interface Action {
    void run() throws InterruptedException;
  }

  /** Lets clients make steps while an action runs; returns when action and steps have ended. */
  void during(Action work) throws InterruptedException {
    var threads = Executors.newScheduledThreadPool(THREADS);
    var unused =
        threads.scheduleAtFixedRate(
            () -> threads.execute(this::step), 0, STEP_EACH_MILLIS, TimeUnit.MILLISECONDS);
    try {
      work.run();
    } finally {
      threads.shutdown();
      if (!threads.awaitTermination(STOP_WITHIN_MINUTES, TimeUnit.MINUTES)) {
        log.accept("expected all steps to end within " + STOP_WITHIN_MINUTES + " minutes");
      }
    }
  }

  private void step() {
    var client = clients.get((int) (clients.size() * Math.pow(random.nextDouble(), STEEPNESS)));
    if (!busy.add(client)) {
      return;
    }
    try {
      client.step();
    } catch (ExecutionException | TimeoutException failure) {
      log.accept(client.path() + ": a call failed: " + failure);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      busy.remove(client);
    }
  }

  /** Repeats named increments until all are surely counted. Call it when faults have ended. */
  void settleNames() throws InterruptedException {
    for (var client : clients) {
      for (int tries = 0; !client.settle() && tries < TRIES_OF_A_NAME; tries++) {
        log.accept(client.path() + ": a named increment is tried again");
      }
    }
  }

  /** Waits until all counters settle; returns a sentence for each that does not in time. */
  List<String> unsettledAfter(Duration limit) throws Exception {
    long end = System.nanoTime() + limit.toNanos();
    List<String> said = new ArrayList<>();
    do {
      said.clear();
      for (var client : clients) {
        var standing = client.standing();
        if (!standing.isSettled()) {
          said.add(client.path() + ": not settled: " + standing);
        }
      }
    } while (!said.isEmpty() && System.nanoTime() - end < 0);
    return said;
  }

  /** A sentence for each fault of all counters. */
  List<String> findings() throws Exception {
    var findings = new ArrayList<String>();
    for (var client : clients) {
      findings.addAll(client.findings());
    }
    return findings;
  }

  /** What each client did, and what the reader saw of its counter. */
  List<String> histories() {
    var lines = new ArrayList<String>();
    for (var client : clients) {
      lines.add(client.path().toString());
      client.changes.forEach(change -> lines.add("  " + change));
      List.copyOf(client.seen).forEach(seen -> lines.add("  " + seen));
    }
    return lines;
  }

  @Override
  public void close() {
    reader.shutdownNow();
    firestore.shutdown();
    overBadWire.shutdown();
    badWire.close();
  }
}
