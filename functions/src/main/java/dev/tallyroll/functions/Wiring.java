package dev.tallyroll.functions;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Runs;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.protocol.ThreadEventLoop;
import dev.tallyroll.store.FirestoreRollups;
import dev.tallyroll.store.FirestoreRuns;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.UUID;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;

/**
 * Puts a function together. The one place that knows the clock, the environment and the network.
 *
 * @param settings from the environment
 */
record Wiring(
    Settings settings,
    EventLoop loop,
    Journal journal,
    FirestoreRollups rollups,
    FirestoreRuns runDocuments,
    Topic topic) {

  static Wiring of(String function, UnaryOperator<String> environment) {
    Settings settings = Settings.from(environment);
    EventLoop loop = new ThreadEventLoop("tallyroll", InstantSource.system());
    Journal journal = new JsonJournal(System.out, function);
    Firestore firestore = Clients.firestore(settings.database());
    return new Wiring(
        settings,
        loop,
        journal,
        new FirestoreRollups(firestore, settings.layout(), settings.sum(), loop),
        new FirestoreRuns(firestore, settings.layout(), loop),
        new Topic(() -> Clients.publisher(settings.topic(), environment), settings.lanes(), loop));
  }

  ShardWrites shardWrites() {
    return new ShardWrites(rollups, topic, journal, settings.timing(), randomLane());
  }

  Runs runs() {
    return new Runs(
        rollups,
        runDocuments,
        topic,
        journal,
        settings.timing(),
        settings.lanes(),
        settings.run(),
        loop,
        () -> UUID.randomUUID().toString());
  }

  Sweep sweep() {
    return new Sweep(rollups, topic, journal, settings.timing(), loop, randomLane());
  }

  private IntSupplier randomLane() {
    SecureRandom random = new SecureRandom();
    return () -> random.nextInt(settings.lanes().lanes());
  }
}
