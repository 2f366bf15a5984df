package dev.tallyroll.local.soak;

import static dev.tallyroll.Answers.get;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentChange;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Counters;
import dev.tallyroll.Layout;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.Total;
import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.FaultyFirestore;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.Occurrence;
import dev.tallyroll.local.soak.Checks.Seen;
import dev.tallyroll.local.soak.Client.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The clients of a soak, on two wires: a good one, and one that loses replies, for increments that
 * have names. They make steps at a steady rate, few of them often and most now and then; one that
 * still waits for an answer is passed over. Beside them two readers of all roll-ups: one listens,
 * one asks for one after the other. Used by one thread, but for what it starts.
 */
final class Load implements AutoCloseable {
  private static final double REPLIES_LOST = 0.2;
  private static final int TRIES_OF_A_NAME = 50;
  private static final int THREADS = 32;
  private static final int STOP_WITHIN_MINUTES = 3;
  private static final int POLL_MILLIS = 20;

  /** One in so many counters is nested. */
  private static final int NESTED = 5;

  /** The first tenth of the clients makes about half of the steps. */
  private static final int STEEPNESS = 3;

  final List<Client> clients;
  final LongAdder steps = new LongAdder();
  final LongAdder passedOver = new LongAdder();
  private final FaultyFirestore badWire;
  private final Firestore overBadWire;
  private final Firestore firestore;
  private final Random random;
  private final Consumer<String> log;
  private final Set<Client> busy = ConcurrentHashMap.newKeySet();
  private Runnable stopListening = () -> {};
  private final ScheduledExecutorService poller =
      Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "poller"));

  Load(LocalCloud cloud, int counters, long seed, Consumer<String> log) {
    this.badWire = new FaultyFirestore(cloud.firestoreHost());
    this.overBadWire = cloud.openFirestore(badWire.open().address());
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

  /** Creates all counters, and begins to read them. */
  void begin() throws Exception {
    for (var client : clients) {
      client.create();
    }
    var byRollup =
        clients.stream()
            .collect(
                Collectors.toMap(
                    client -> Layout.DEFAULT.rollupDocument(client.path()), Function.identity()));
    var listener =
        firestore
            .collectionGroup(Layout.DEFAULT.rollups())
            .addSnapshotListener(
                (rollups, failure) -> {
                  if (rollups != null) {
                    rollups.getDocumentChanges().forEach(change -> hear(change, byRollup));
                  }
                });
    stopListening = listener::remove;
    var random = new Random(1);
    var unused =
        poller.scheduleWithFixedDelay(
            () -> poll(clients.get(random.nextInt(clients.size()))),
            0,
            POLL_MILLIS,
            TimeUnit.MILLISECONDS);
  }

  private static void hear(DocumentChange change, Map<String, Client> byRollup) {
    var rollup = change.getDocument();
    var client = byRollup.get(rollup.getReference().getPath());
    if (client != null
        && change.getType() != DocumentChange.Type.REMOVED
        && rollup.get("count") instanceof Long count
        && rollup.get("as_of") instanceof Timestamp asOf) {
      var time = Instant.ofEpochSecond(asOf.getSeconds(), asOf.getNanos());
      client.heard.add(new Seen(count, time, Instant.now()));
    }
  }

  private void poll(Client client) {
    orLog(
        client,
        () -> {
          var rollup = get(client.counter.total());
          if (!rollup.equals(RolledUpTotal.NONE) && rollup.total() instanceof Total.Whole whole) {
            client.polled.add(new Seen(whole.value(), rollup.asOf(), Instant.now()));
          }
        });
  }

  /** How many roll-ups were seen, by both. */
  long seen() {
    return clients.stream().mapToLong(one -> one.heard.size() + one.polled.size()).sum();
  }

  /** From now on the bad wire does as it is called, or does not. */
  void loseReplies(boolean wanted, long seed) {
    badWire.inject(wanted ? CallFaults.losingReplies(REPLIES_LOST, seed) : CallFaults.NONE);
  }

  long lostReplies() {
    return badWire.count(Occurrence.REPLY_LOST);
  }

  /** What may fail, or be interrupted. */
  interface Action {
    void run() throws ExecutionException, InterruptedException, TimeoutException;
  }

  /** Lets clients make steps while something else is done; returns when all these have ended. */
  void during(double perSecond, Action work) throws Exception {
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
    orLog(
        client,
        () -> {
          client.step();
          steps.increment();
        });
    busy.remove(client);
  }

  private void orLog(Client client, Action action) {
    try {
      action.run();
    } catch (ExecutionException | TimeoutException failure) {
      log.accept(client.path() + ": a call failed: " + failure);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
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

  /** Looks again and again; says of each that has not settled within the limit how it stands. */
  List<String> unsettledAfter(Duration limit) throws Exception {
    long end = System.nanoTime() + limit.toNanos();
    List<Client> left = clients;
    while (true) {
      var unsettled = new ArrayList<Client>();
      var said = new ArrayList<String>();
      for (var client : left) {
        var standing = client.standing();
        if (!standing.isSettled()) {
          unsettled.add(client);
          said.add(client.path() + ": not settled: " + standing);
        }
      }
      left = unsettled;
      if (left.isEmpty() || System.nanoTime() - end > 0) {
        return said;
      }
    }
  }

  /** What is wrong with any of them, each in a sentence. */
  List<String> findings() throws Exception {
    var findings = new ArrayList<String>();
    for (var client : clients) {
      findings.addAll(client.findings());
    }
    return findings;
  }

  @Override
  public void close() {
    stopListening.run();
    poller.shutdownNow();
    firestore.shutdown();
    overBadWire.shutdown();
    badWire.close();
  }
}
