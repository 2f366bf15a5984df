package dev.tallyroll.store;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.Times;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.RollupWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The calls for roll-ups, each with its entry in the live list. */
final class FirestoreRollups implements RollupWriter {
  private final Firestore firestore;

  private final Calls calls;
  private final LiveEntries<Located> entries;

  FirestoreRollups(Firestore firestore, Calls calls, LiveEntries<Located> entries) {
    this.firestore = firestore;
    this.calls = calls;
    this.entries = entries;
  }

  CompletableFuture<Reading> read(Located counter) {
    return calls
        .make(() -> document(counter).get())
        .thenApply(
            document ->
                new Reading(
                    RollupFields.decode(document, counter.document()),
                    otherMark(counter, document),
                    Times.instant(document.getReadTime())));
  }

  /** The mark of a roll-up that belongs to another pattern of counters. */
  private static Optional<String> otherMark(Located counter, DocumentSnapshot document) {
    return document.get(RollupFields.COUNTER) instanceof String mark
            && counter.layout().counterOfDocument(mark).isEmpty()
        ? Optional.of(mark)
        : Optional.empty();
  }

  @Override
  public CompletableFuture<Optional<Written>> write(Located counter, Change change) {
    return commit(counter, change, batch -> {})
        .thenApply(
            results -> results.map(all -> new Written(Times.instant(all.get(0).getUpdateTime()))));
  }

  /**
   * Writes as {@link #write}.
   *
   * @param more adds writes to the commit
   * @return the results, of which the roll-up's is the first
   */
  CompletableFuture<Optional<List<WriteResult>>> commit(
      Located counter, Change change, Consumer<WriteBatch> more) {
    return calls.compareAndSet(
        () -> {
          WriteBatch batch = batch(counter, change);
          more.accept(batch);
          return batch.commit();
        });
  }

  private WriteBatch batch(Located counter, Change change) {
    WriteBatch batch = firestore.batch();
    DocumentReference document = document(counter);
    Map<String, Object> fields = change.sum().map(RollupFields::encode).orElseGet(HashMap::new);
    change.liveUntil().ifPresent(end -> fields.put(RollupFields.LIVE_UNTIL, Times.timestamp(end)));
    if (change.expected().isEmpty()) {
      fields.put(RollupFields.COUNTER, counter.document());
      batch.create(document, fields);
      return change.liveUntil().isPresent() ? enter(batch, counter) : batch;
    }
    Precondition version = Times.version(change.expected().orElseThrow());
    return switch (change.kind()) {
      case CREATE, BEGIN -> enter(batch.update(document, fields, version), counter);
      case UPDATE -> batch.update(document, fields, version);
      case END -> {
        fields.put(RollupFields.LIVE_UNTIL, FieldValue.delete());
        yield leave(batch.update(document, fields, version), counter);
      }
      case REMOVE -> leave(batch.delete(document, version), counter);
    };
  }

  private WriteBatch enter(WriteBatch batch, Located counter) {
    return batch.set(
        entries.document(counter), entries.fields(counter.document()), SetOptions.merge());
  }

  private WriteBatch leave(WriteBatch batch, Located counter) {
    return batch.delete(entries.document(counter));
  }

  private DocumentReference document(Located counter) {
    return firestore.document(counter.rollup());
  }
}
