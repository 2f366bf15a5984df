package dev.tallyroll.store;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.Times;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.RollupStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The calls for roll-ups, each with its entry in the live list. */
final class FirestoreRollups implements RollupStore {
  private final Firestore firestore;
  private final Calls calls;
  private final LiveEntries<CounterId> entries;

  FirestoreRollups(Firestore firestore, Calls calls, LiveEntries<CounterId> entries) {
    this.firestore = firestore;
    this.calls = calls;
    this.entries = entries;
  }

  @Override
  public CompletableFuture<Reading> read(CounterId counter) {
    return calls
        .make(() -> document(counter).get())
        .thenApply(
            document -> {
              Optional<Rollup> rollup = RollupFields.decode(document, counter.mark());
              return new Reading(
                  rollup,
                  rollup.filter(Rollup::isForeign).map(foreign -> RollupFields.markOf(document)),
                  Times.instant(document.getReadTime()));
            });
  }

  @Override
  public CompletableFuture<Optional<Written>> write(CounterId counter, Change change) {
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
      CounterId counter, Change change, Consumer<WriteBatch> more) {
    return calls.compareAndSet(
        () -> {
          WriteBatch batch = batch(counter, change);
          more.accept(batch);
          return batch.commit();
        });
  }

  private WriteBatch batch(CounterId counter, Change change) {
    WriteBatch batch = firestore.batch();
    DocumentReference document = document(counter);
    Map<String, Object> fields = change.sum().map(RollupFields::encode).orElseGet(HashMap::new);
    change.liveUntil().ifPresent(end -> fields.put(RollupFields.LIVE_UNTIL, Times.timestamp(end)));
    if (change.expected().isEmpty()) {
      fields.putAll(RollupFields.encode(counter.mark()));
      batch.create(document, fields);
      return change.liveUntil().isPresent() ? enter(batch, counter) : batch;
    }
    Precondition version = Times.version(change.expected().orElseThrow());
    return switch (change.effect()) {
      case CREATE, BEGIN -> enter(batch.update(document, fields, version), counter);
      case UPDATE -> batch.update(document, fields, version);
      case END -> {
        fields.put(RollupFields.LIVE_UNTIL, FieldValue.delete());
        yield leave(batch.update(document, fields, version), counter);
      }
      case REMOVE -> leave(batch.delete(document, version), counter);
    };
  }

  private WriteBatch enter(WriteBatch batch, CounterId counter) {
    return batch.set(entries.document(counter), entries.fields(counter));
  }

  private WriteBatch leave(WriteBatch batch, CounterId counter) {
    return batch.delete(entries.document(counter));
  }

  private DocumentReference document(CounterId counter) {
    return firestore.document(counter.rollup());
  }
}
