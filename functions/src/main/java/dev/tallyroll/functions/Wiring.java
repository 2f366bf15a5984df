package dev.tallyroll.functions;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.fold.FoldHandler;
import dev.tallyroll.fold.FoldRoller;
import dev.tallyroll.fold.FoldSweep;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.ShardSums;
import dev.tallyroll.protocol.ConfirmedSettings;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.Runs;
import dev.tallyroll.protocol.Runs.Polling;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.store.Calls;
import dev.tallyroll.store.FirestoreFolds;
import dev.tallyroll.store.FirestoreStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
    Optional<FirestoreStore> polled,
    Optional<Fold> fold,
    ConfirmedSettings confirmed,
    Topic topic) {
  /**
   * A first call takes about a second; without Firestore, a function waits this long at its start.
   */
  private static final Duration WARM_UP_LIMIT = Duration.ofSeconds(5);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

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
    FirestoreStore store = store(firestore, settings, settings.layout(), calls, journal);
    warmUp(firestore, settings, store.confirmed(), journal);
    return new Wiring(
        settings,
        loop,
        journal,
        store,
        settings.polled().map(layout -> store(firestore, settings, layout, calls, journal)),
        settings
            .fold()
            .map(its -> new Fold(new FirestoreFolds(firestore, its.layout(), calls), its.fields())),
        store.confirmed(),
        new Topic(() -> GoogleClients.publisher(settings.topic(), environment), loop));
  }

  private static FirestoreStore store(
      Firestore firestore, Settings settings, Layout layout, Calls calls, Journal journal) {
    return new FirestoreStore(
        firestore, layout, settings.sum(), calls, settings.totalField(), journal);
  }

  /**
   * Opens the channel, and loads what the first event would load: nobody waits, since the function
   * does not listen yet, and the platform gives an instance more CPU while it starts. Reads the
   * document with the confirmed settings, and sums the shards below it, of which there are none. If
   * this fails, the events try again.
   */
  private static void warmUp(
      Firestore firestore, Settings settings, ConfirmedSettings confirmed, Journal journal) {
    Layout layout = settings.layout();
    DocumentReference ours = firestore.document(layout.settingsDocument());
    CollectionReference none = ours.collection(layout.shards());
    ShardSums sums = new ShardSums(settings.sum(), layout.countField());
    try {
      ApiFuture<DocumentSnapshot> read = ours.get();
      ApiFuture<?> sum = sums.sum(none);
      sum.get(WARM_UP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      DocumentSnapshot found = read.get(WARM_UP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      if (settings.fold().isEmpty()) { // which has no totals
        confirmed.allowSweeps(Optional.ofNullable(found.getData()), journal);
      }
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
    return fold.isPresent()
        ? runs(fold.get())
        : new Runs(store, store.runs(), polling(), topic, journal, loop, settings.runs());
  }

  private Optional<Polling> polling() {
    return polled.map(its -> new Polling(its, its.runs()));
  }

  private Runs runs(Fold its) {
    return new Runs(
        worker -> new FoldRoller(its.store(), its.fields(), journal, settings.runs(), worker, loop),
        its.store().runs(),
        Optional.empty(),
        topic,
        journal,
        loop,
        settings.runs());
  }

  FoldHandler foldHandler(Fold its) {
    return new FoldHandler(
        its.store(), its.fields(), topic, journal, loop, settings.runs().timing());
  }

  /** What RollUp does once an hour. */
  Supplier<CompletableFuture<Void>> sweep() {
    if (fold.isPresent()) {
      Fold its = fold.get();
      FoldSweep sweep =
          new FoldSweep(
              its.store(), its.store().runs(), its.fields(), journal, settings.runs(), loop);
      return () -> sweep.run().thenAccept(complete -> {});
    }
    Sweep sweep = new Sweep(store, polling(), store.runs(), journal, loop, settings.runs());
    return () ->
        allowSweeps().thenCompose(allowed -> allowed ? sweep.run().thenAccept(done -> {}) : DONE);
  }

  /** Costs a read, and another for polled counters, whose totals have settings of their own. */
  private CompletableFuture<Boolean> allowSweeps() {
    CompletableFuture<Boolean> ofPolled =
        polled
            .map(its -> its.confirmed().allowSweeps(journal))
            .orElse(CompletableFuture.completedFuture(true));
    return confirmed.allowSweeps(journal).thenCombine(ofPolled, (one, other) -> one && other);
  }

  /** With FOLD, replaces all else. */
  record Fold(FirestoreFolds store, Set<List<String>> fields) {}
}
