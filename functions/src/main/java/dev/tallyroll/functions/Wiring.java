package dev.tallyroll.functions;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.internal.ShardSums;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.platform.GoogleClients;
import dev.tallyroll.platform.ThreadEventLoop;
import dev.tallyroll.platform.Topic;
import dev.tallyroll.platform.WarmUp;
import dev.tallyroll.protocol.ConfirmedSettings;
import dev.tallyroll.protocol.Roller;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.Runs;
import dev.tallyroll.store.FirestoreStore;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Puts a function together. Only this class knows the clock, the environment and the network.
 *
 * @param settings from the environment
 */
record Wiring(
    Settings settings,
    EventLoop loop,
    Journal journal,
    FirestoreStore store,
    RollupStore rollups,
    Topic topic) {
  /**
   * Costs two reads.
   *
   * @param connections to Firestore; they bound the calls under way at once
   * @param attempts how often a call is made if Firestore cannot be reached
   */
  static Wiring of(
      Journal journal, int connections, int attempts, UnaryOperator<String> environment) {
    Settings settings = Settings.from(environment);
    EventLoop loop = new ThreadEventLoop("tallyroll", InstantSource.system());
    Firestore firestore = GoogleClients.firestore(settings.database(), connections, environment);
    Calls calls = new Calls(loop, connections * GoogleClients.CALLS_PER_CONNECTION, attempts);
    FirestoreStore store =
        new FirestoreStore(firestore, settings.layout(), settings.polled(), settings.sum(), calls);
    ConfirmedSettings confirmed = store.confirmed(settings.layout());
    DocumentReference ours = firestore.document(settings.layout().settingsDocument());
    ShardSums sums = new ShardSums(settings.sum(), settings.layout().countField());
    WarmUp.by(ours, () -> sums.sum(ours.collection(settings.layout().shards())), journal)
        .ifPresent(found -> confirmed.agree(Optional.ofNullable(found.getData()), journal));
    return new Wiring(
        settings,
        loop,
        journal,
        store,
        store.showing(settings.totalField(), journal),
        new Topic(() -> GoogleClients.publisher(settings.topic(), environment), loop));
  }

  ShardWrites shardWrites() {
    return new ShardWrites(rollups, topic, journal, loop, settings.runs().timing());
  }

  Runs runs() {
    return new Runs(
        Roller.all(
            rollups, settings.polled().map(polled -> store.runs()), journal, loop, settings.runs()),
        store.runs(),
        topic,
        journal,
        loop,
        settings.runs());
  }

  /** What RollUp does once an hour. */
  Supplier<CompletableFuture<Void>> sweep() {
    Sweep sweep = new Sweep(rollups, store.runs(), journal, loop, settings.runs());
    return () -> sweep.run().thenAccept(done -> {});
  }
}
