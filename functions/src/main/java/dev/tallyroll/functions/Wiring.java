package dev.tallyroll.functions;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.ShardSums;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.Runs;
import dev.tallyroll.protocol.Runs.Polling;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.store.Calls;
import dev.tallyroll.store.FirestoreStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
    FirestoreStore store,
    Optional<FirestoreStore> polled,
    ConfirmedSettings confirmed,
    Topic topic) {
  /**
   * A first call takes a second or so; a function that starts without Firestore waits no longer.
   */
  private static final Duration WARM_UP_LIMIT = Duration.ofSeconds(5);

  /**
   * Costs two reads.
   *
   * @param connections to Firestore; as many calls are under way at once as these take
   * @param attempts how often a call is made that Firestore could not be reached for
   */
  static Wiring of(
      Journal journal, int connections, int attempts, UnaryOperator<String> environment) {
    Settings settings = Settings.from(environment);
    EventLoop loop = new ThreadEventLoop("tallyroll", InstantSource.system());
    Firestore firestore = Clients.firestore(settings.database(), connections, environment);
    Calls calls = new Calls(loop, connections * Clients.CALLS_PER_CONNECTION, attempts);
    warmUp(firestore, settings, journal);
    return new Wiring(
        settings,
        loop,
        journal,
        store(firestore, settings, settings.layout(), calls),
        settings.polled().map(layout -> store(firestore, settings, layout, calls)),
        new ConfirmedSettings(firestore, settings.layout(), calls, journal),
        new Topic(() -> Clients.publisher(settings.topic(), environment), loop));
  }

  private static FirestoreStore store(
      Firestore firestore, Settings settings, Layout layout, Calls calls) {
    return new FirestoreStore(firestore, layout, settings.sum(), calls, settings.totalField());
  }

  /**
   * Opens the channel, and loads what the first event would load: the function does not listen yet,
   * so nobody waits, and the platform gives an instance more CPU while it starts. Reads the
   * document with the settings that totals were made with, and sums the shards below it, where
   * there are none. A failure is left to the events, which are tried again.
   */
  private static void warmUp(Firestore firestore, Settings settings, Journal journal) {
    Layout layout = settings.layout();
    DocumentReference ours = firestore.document(layout.settingsDocument());
    CollectionReference none = ours.collection(layout.shards());
    ShardSums sums = new ShardSums(settings.sum(), layout.countField());
    try {
      ApiFuture<DocumentSnapshot> read = ours.get();
      ApiFuture<?> sum = sums.sum(none);
      sum.get(WARM_UP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      DocumentSnapshot found = read.get(WARM_UP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      ConfirmedSettings.areOurs(found, layout, journal);
    } catch (ExecutionException failure) {
      report(journal, String.valueOf(failure.getCause()));
    } catch (TimeoutException failure) {
      report(journal, "no answer within " + WARM_UP_LIMIT);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void report(Journal journal, String cause) {
    journal.write(
        Severity.WARNING, "Firestore could not be read at the start", Map.of("cause", cause));
  }

  ShardWrites shardWrites() {
    return new ShardWrites(store, topic, journal, loop, settings.runs().timing());
  }

  Runs runs() {
    return new Runs(
        store,
        store,
        polled.map(its -> new Polling(its, its)),
        topic,
        journal,
        loop,
        settings.runs());
  }

  Sweep sweep() {
    return new Sweep(
        store, polled.map(its -> (RollupStore) its), store, journal, loop, settings.runs());
  }
}
