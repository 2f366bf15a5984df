package dev.tallyroll.local.soak;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Counters;
import dev.tallyroll.local.CallFault;
import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.FaultyFirestore;
import dev.tallyroll.local.LocalCloud;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The clients of a soak, on two wires: a good one, and one that loses replies, for increments that
 * have names. Immutable, but for what its members do.
 */
record Cast(
    FaultyFirestore badWire, Firestore overBadWire, Firestore firestore, List<Client> clients)
    implements AutoCloseable {
  private static final double REPLIES_LOST = 0.2;
  private static final int TRIES_OF_A_NAME = 50;

  /** One in so many counters is nested. */
  private static final int NESTED = 5;

  Cast {
    clients = List.copyOf(clients);
  }

  static Cast of(LocalCloud cloud, SoakOptions options) {
    var badWire = FaultyFirestore.start(cloud.firestoreHost(), CallFaults.NONE);
    var overBadWire = cloud.openFirestore(badWire.address());
    var firestore = cloud.openFirestore();
    var clients =
        IntStream.range(0, options.counters())
            .mapToObj(number -> client(number, options, firestore, overBadWire))
            .toList();
    return new Cast(badWire, overBadWire, firestore, clients);
  }

  private static Client client(
      int number, SoakOptions options, Firestore firestore, Firestore overBadWire) {
    String parent = number % NESTED == 0 ? "rooms/room-" + number : "";
    var path = new CounterPath(parent, "soak-" + options.seed() + "-" + number);
    return new Client(
        Counters.of(firestore).counter(path),
        Counters.of(overBadWire).counter(path),
        Habit.of(number),
        options.seed() * options.counters() + number);
  }

  void loseReplies(long seed) {
    badWire.inject(CallFaults.losingReplies(REPLIES_LOST, seed));
  }

  void loseNoReplies() {
    badWire.inject(CallFaults.NONE);
  }

  long lostReplies() {
    return badWire.counts().of(CallFault.REPLY_LOST);
  }

  /** Repeats named increments until they are known to be counted; to be called without faults. */
  void settleNames(Consumer<String> log) throws InterruptedException {
    for (var client : clients) {
      for (int tries = 0; !client.settle() && tries < TRIES_OF_A_NAME; tries++) {
        log.accept(client.path() + ": a named increment is tried again");
      }
    }
  }

  /** Of the counters that only rise: of the others, a total may stand still though it is new. */
  Freshness freshness(Instant from, Instant to) {
    return clients.stream()
        .filter(client -> client.habit() == Habit.RISING)
        .map(Client::story)
        .map(story -> Freshness.of(story.changes(), story.heard(), from, to))
        .reduce(new Freshness(List.of(), 0), Freshness::plus);
  }

  Map<String, Story> stories() {
    var stories = new TreeMap<String, Story>();
    clients.forEach(client -> stories.put(client.path().toString(), client.story()));
    return stories;
  }

  @Override
  public void close() {
    firestore.shutdown();
    overBadWire.shutdown();
    badWire.close();
  }
}
