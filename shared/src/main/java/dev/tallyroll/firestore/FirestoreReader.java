package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.ListenerRegistration;
import dev.tallyroll.CounterPath;
import dev.tallyroll.CounterReader;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.internal.Arguments;
import dev.tallyroll.internal.AwaitedTotal;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Reads a counter's roll-up on Cloud Firestore. */
class FirestoreReader implements CounterReader {
  final CounterDocuments documents;

  FirestoreReader(CounterDocuments documents) {
    this.documents = documents;
  }

  final <T> ApiFuture<T> call(String name, Supplier<ApiFuture<T>> work) {
    return documents.client().call(name, work);
  }

  @Override
  public final CounterPath path() {
    return documents.counter();
  }

  @Override
  public final ApiFuture<RolledUpTotal> total() {
    return call("total", this::rollup);
  }

  private ApiFuture<RolledUpTotal> rollup() {
    return Steps.then(documents.rollup().get(), documents::decode);
  }

  /** Reads repeatedly, since a listener would take one of the 100 streams of a connection. */
  @Override
  public final ApiFuture<RolledUpTotal> awaitTotal(Instant committed, Duration atMost) {
    AwaitedTotal awaited = new AwaitedTotal(path(), committed, atMost);
    documents.client().observe("awaitTotal", System.nanoTime(), awaited);
    awaited.readFrom(this::rollup);
    return awaited;
  }

  @Override
  public final ListenerRegistration listen(
      Consumer<RolledUpTotal> changed, Consumer<RuntimeException> ended) {
    return listen(Runnable::run, changed, ended);
  }

  @Override
  public final ListenerRegistration listen(
      Executor executor, Consumer<RolledUpTotal> changed, Consumer<RuntimeException> ended) {
    Executor inOrder = Arguments.inOrder(executor);
    Arguments.present("changed", changed);
    Arguments.present("ended", ended);
    return documents
        .rollup()
        .addSnapshotListener(
            inOrder,
            (document, failure) -> {
              if (document != null) {
                changed.accept(documents.decode(document));
              } else if (failure != null) {
                ended.accept(failure);
              }
            });
  }

  @Override
  public final String toString() {
    return "counter " + path();
  }
}
