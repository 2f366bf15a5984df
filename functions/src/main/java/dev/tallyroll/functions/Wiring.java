package dev.tallyroll.functions;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.pubsub.v1.Publisher;
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
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

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
    FirestoreRuns runs,
    Topic topic) {

  static Wiring of(String function, UnaryOperator<String> environment) {
    Settings settings = Settings.from(environment);
    EventLoop loop = new ThreadEventLoop("tallyroll", InstantSource.system());
    Journal journal = new JsonJournal(System.out, function);
    Firestore firestore = Clients.firestore(settings.database());
    Supplier<Publisher> publisher =
        new Once<>(() -> Clients.publisher(settings.topic(), environment));
    return new Wiring(
        settings,
        loop,
        journal,
        new FirestoreRollups(firestore, settings.layout(), settings.sum(), loop),
        new FirestoreRuns(firestore, settings.layout(), loop),
        new Topic(publisher, settings.lanes(), loop));
  }

  ShardWrites shardWrites() {
    return new ShardWrites(rollups, topic, journal, settings.timing(), randomLane());
  }

  private IntSupplier randomLane() {
    SecureRandom random = new SecureRandom();
    return () -> random.nextInt(settings.lanes().lanes());
  }

  Errands errands() {
    Runs workers =
        new Runs(
            rollups,
            runs,
            topic,
            journal,
            settings.timing(),
            settings.lanes(),
            settings.run(),
            loop,
            () -> UUID.randomUUID().toString());
    Sweep sweep = new Sweep(rollups, topic, journal, settings.timing(), loop, randomLane());
    return new Errands(
        workers, sweep, settings.sweep(), topic, journal, settings.lanes().workers());
  }

  /** Makes a thing when it is first asked for. */
  private static final class Once<T> implements Supplier<T> {
    private final Supplier<T> make;
    private @Nullable T made;

    Once(Supplier<T> make) {
      this.make = make;
    }

    @Override
    public synchronized T get() {
      T thing = made;
      if (thing == null) {
        thing = make.get();
        made = thing;
      }
      return thing;
    }
  }
}
