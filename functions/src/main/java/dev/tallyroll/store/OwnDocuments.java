package dev.tallyroll.store;

import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldMask;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.internal.Failures;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Times;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.protocol.TotalFields;
import dev.tallyroll.protocol.TotalFields.FieldValues;
import dev.tallyroll.protocol.TotalFields.FreeFields;
import dev.tallyroll.protocol.TotalFields.Versions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The counters' own documents in Cloud Firestore, with the fields that show figures. */
final class OwnDocuments implements TotalFields.DocumentCalls {
  /**
   * How many are read at once. Nearly all have some bytes in the fields, and they must not wait for
   * each other; but each may have a megabyte there, and an instance has 300 of memory.
   */
  private static final int READS = 40;

  private final FirestoreRollups rollups;
  private final Firestore firestore;
  private final Calls reads;

  OwnDocuments(FirestoreRollups rollups, Firestore firestore, Calls calls) {
    this.rollups = rollups;
    this.firestore = firestore;
    this.reads = calls.separate(READS);
  }

  @Override
  public CompletableFuture<Optional<Versions>> commit(
      CounterId counter, Change change, FreeFields place) {
    var both = rollups.commit(counter, change, batch -> show(batch, counter, change, place));
    return Calls.cancelling(
        both.thenApply(results -> results.map(OwnDocuments::versions))
            .exceptionallyCompose(
                failure ->
                    // The document is full, say: then the roll-up is written alone.
                    Failures.code(failure.getCause()) == StatusCode.Code.INVALID_ARGUMENT
                        ? alone(counter, change)
                        : CompletableFuture.failedFuture(failure)),
        both);
  }

  /** The roll-up's write is the first, and the document's is the last. */
  private static Versions versions(List<WriteResult> results) {
    return new Versions(
        Times.instant(results.get(0).getUpdateTime()),
        Optional.of(Times.instant(results.get(results.size() - 1).getUpdateTime())));
  }

  private CompletableFuture<Optional<Versions>> alone(CounterId counter, Change change) {
    return rollups
        .write(counter, change)
        .thenApply(
            done ->
                done.map(
                    written -> new Versions(written.version().orElseThrow(), Optional.empty())));
  }

  /** Changes only those fields, and only if the document has the version. */
  private void show(WriteBatch batch, CounterId counter, Change change, FreeFields place) {
    Sum sum = change.sum().orElseThrow();
    List<Object> values = new ArrayList<>();
    for (Figure figure : place.free()) {
      values.add(path(counter, figure));
      values.add(figure.of(sum).number());
    }
    batch.update(
        document(counter),
        Times.version(place.version()),
        path(counter, place.free().iterator().next()),
        values.get(1),
        values.subList(2, values.size()).toArray());
  }

  private static FieldPath path(CounterId counter, Figure figure) {
    return Objects.requireNonNull(counter.entry().fields().get(figure)).path();
  }

  @Override
  public CompletableFuture<FieldValues> find(CounterId counter) {
    DocumentReference[] document = {document(counter)};
    Map<Figure, FieldName> fields = counter.entry().fields();
    FieldMask mask =
        fields.isEmpty()
            ? FieldMask.of(FieldPath.documentId())
            : FieldMask.of(
                fields.values().stream().map(FieldName::top).distinct().toArray(FieldPath[]::new));
    return reads
        .make(() -> firestore.getAll(document, mask))
        .thenApply(
            answer -> {
              DocumentSnapshot found = answer.get(0);
              return found.exists()
                  ? FieldValues.of(Times.instant(found.getUpdateTime()), found.getData(), fields)
                  : FieldValues.MISSING;
            });
  }

  private DocumentReference document(CounterId counter) {
    return firestore.document(counter.document());
  }
}
