package dev.tallyroll.fold;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.platform.GoogleClients;
import dev.tallyroll.platform.JsonJournal;
import dev.tallyroll.platform.ThreadEventLoop;
import dev.tallyroll.platform.Topic;
import dev.tallyroll.platform.WarmUp;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.Runs;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Puts a function that folds together. Only this class knows the clock and the network. */
record FoldWiring(
    FoldSettings settings, EventLoop loop, Journal journal, FirestoreFolds store, Topic topic) {
  /** An id that no shard has, and no document. */
  private static final String NONE = "none";

  /**
   * Costs two reads.
   *
   * @param function its name in the log
   * @param connections to Firestore; they bound the calls under way at once
   * @param attempts how often a call is made if Firestore cannot be reached
   */
  static FoldWiring of(
      String function, int connections, int attempts, UnaryOperator<String> environment) {
    FoldSettings settings = FoldSettings.from(environment);
    Journal journal = JsonJournal.of(function);
    EventLoop loop = new ThreadEventLoop("tallyroll", InstantSource.system());
    Firestore firestore = GoogleClients.firestore(settings.database(), connections, environment);
    Calls calls = new Calls(loop, connections * GoogleClients.CALLS_PER_CONNECTION, attempts);
    var ours = firestore.document(settings.layout().runDocument(NONE));
    var unused =
        WarmUp.by(ours, () -> ours.collection(settings.layout().shards()).limit(1).get(), journal);
    return new FoldWiring(
        settings,
        loop,
        journal,
        new FirestoreFolds(firestore, settings.layout(), calls),
        new Topic(() -> GoogleClients.publisher(settings.topic(), environment), loop));
  }

  FoldHandler handler() {
    return new FoldHandler(
        store, settings.fields(), topic, journal, loop, settings.runs().timing());
  }

  Runs runs() {
    return new Runs(
        FoldRoller.all(store, settings.fields(), journal, settings.runs(), loop),
        store.runs(),
        topic,
        journal,
        loop,
        settings.runs());
  }

  Supplier<CompletableFuture<Void>> sweep() {
    FoldSweep sweep =
        new FoldSweep(store, store.runs(), settings.fields(), journal, settings.runs(), loop);
    return () -> sweep.run().thenAccept(complete -> {});
  }
}
