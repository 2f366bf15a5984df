package dev.tallyroll.store;

import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldMask;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.internal.Failures;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Times;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.TotalField;
import dev.tallyroll.protocol.TotalField.Versions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The counters' own documents in Cloud Firestore, with the field that TOTAL_FIELD names. */
final class OwnDocuments implements TotalField.Documents {
  /** How many are read at once: each may have a megabyte in the field. */
  private static final int READS = 8;

  private final FirestoreRollups rollups;
  private final Firestore firestore;
  private final Calls reads;
  private final FieldName field;

  OwnDocuments(FirestoreRollups rollups, Firestore firestore, Calls calls, FieldName field) {
    this.rollups = rollups;
    this.firestore = firestore;
    this.reads = calls.separate(READS);
    this.field = field;
  }

  @Override
  public CompletableFuture<Optional<Versions>> commit(
      Located counter, Change change, Instant document) {
    var both = rollups.commit(counter, change, batch -> show(batch, counter, change, document));
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

  /** The roll-up's write is the first, and the field's is the last. */
  private static Versions versions(List<WriteResult> results) {
    return new Versions(
        Times.instant(results.get(0).getUpdateTime()),
        Optional.of(Times.instant(results.get(results.size() - 1).getUpdateTime())));
  }

  private CompletableFuture<Optional<Versions>> alone(Located counter, Change change) {
    return rollups
        .write(counter, change)
        .thenApply(version -> version.map(rollup -> new Versions(rollup, Optional.empty())));
  }

  /** Changes only that field, and only if the document has the version. */
  private void show(WriteBatch batch, Located counter, Change change, Instant version) {
    Number total = change.sum().orElseThrow().total().number();
    batch.update(document(counter), Times.version(version), field.path(), total);
  }

  @Override
  public CompletableFuture<TotalField.Field> field(Located counter) {
    DocumentReference[] document = {document(counter)};
    FieldMask first = FieldMask.of(field.top());
    return reads
        .make(() -> firestore.getAll(document, first))
        .thenApply(
            answer -> {
              DocumentSnapshot found = answer.get(0);
              return found.exists()
                  ? TotalField.Field.of(
                      Times.instant(found.getUpdateTime()), found.getData(), field)
                  : TotalField.Field.MISSING;
            });
  }

  private DocumentReference document(Located counter) {
    return firestore.document(counter.document());
  }
}
