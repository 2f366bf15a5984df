package dev.tallyroll.operator;

import com.google.api.core.ApiFuture;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.internal.Failures;
import dev.tallyroll.internal.Mark;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Rollup.Whose;
import dev.tallyroll.internal.RollupFields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

/**
 * Removes totals that no function keeps any more, since what they are of has changed.
 *
 * <p>A roll-up is one of them if it carries the mark of its own place and of what they are of. It
 * is deleted, at the version that was read; if it has fields of others, only ours are taken from
 * it. Everything else stays.
 */
final class OldTotals {
  private static final int PAGE = 300;

  private final Firestore firestore;
  private final String rollups;
  private final String totalOf;
  private long looked;
  private long deleted;
  private long cleared;
  private long changed;

  /**
   * @param rollups the collection of the roll-ups, at the root and below any document
   * @param totalOf what they are of
   */
  OldTotals(Firestore firestore, String rollups, String totalOf) {
    this.firestore = firestore;
    this.rollups = rollups;
    this.totalOf = totalOf;
  }

  /** How many documents it has looked at. */
  long looked() {
    return looked;
  }

  /** How many roll-ups it has deleted. */
  long deleted() {
    return deleted;
  }

  /** How many have kept fields of others. */
  long cleared() {
    return cleared;
  }

  /** How many somebody has written meanwhile, so they are still there. */
  long changed() {
    return changed;
  }

  /**
   * Removes them. Costs one read for each document in collections of that name, and one delete or
   * write for each that is removed.
   */
  void remove() throws ExecutionException, InterruptedException {
    Query group = firestore.collectionGroup(rollups).orderBy(FieldPath.documentId()).limit(PAGE);
    List<QueryDocumentSnapshot> page = group.get().get().getDocuments();
    remove(page);
    while (page.size() == PAGE) {
      page = group.startAfter(page.get(PAGE - 1)).get().get().getDocuments();
      remove(page);
    }
  }

  /** All of a page at once. */
  private void remove(List<QueryDocumentSnapshot> page)
      throws ExecutionException, InterruptedException {
    looked += page.size();
    List<ApiFuture<WriteResult>> deletes = new ArrayList<>();
    List<ApiFuture<WriteResult>> updates = new ArrayList<>();
    for (QueryDocumentSnapshot document : page) {
      Precondition version = Precondition.updatedAt(document.getUpdateTime());
      switch (whose(document)) {
        case OURS -> deletes.add(document.getReference().delete(version));
        case SHARED ->
            updates.add(
                document
                    .getReference()
                    .update(
                        RollupFields.OURS.stream()
                            .collect(Collectors.toMap(field -> field, all -> FieldValue.delete())),
                        version));
        case FOREIGN -> {}
      }
    }
    deleted += done(deletes);
    cleared += done(updates);
  }

  private Whose whose(QueryDocumentSnapshot document) {
    return document.get(RollupFields.COUNTER) instanceof String counter && isBeside(document)
        ? RollupFields.decode(document, new Mark(counter, totalOf))
            .map(Rollup::whose)
            .orElse(Whose.FOREIGN)
        : Whose.FOREIGN;
  }

  /**
   * Whether a document's path is that of the counter it names, but for the names of the
   * collections.
   */
  static boolean isBeside(DocumentSnapshot document) {
    if (!(document.get(RollupFields.COUNTER) instanceof String counter)) {
      return false;
    }
    String[] one = counter.split("/", -1);
    String[] other = document.getReference().getPath().split("/", -1);
    if (one.length != other.length || one.length < 2) {
      return false;
    }
    one[one.length - 2] = other[one.length - 2];
    return Arrays.equals(one, other);
  }

  /** How many took effect; the documents of the others have changed, or have gone. */
  private long done(List<ApiFuture<WriteResult>> writes)
      throws ExecutionException, InterruptedException {
    long done = 0;
    for (ApiFuture<WriteResult> write : writes) {
      try {
        write.get();
        done++;
      } catch (ExecutionException failure) {
        StatusCode.Code code = Failures.code(failure.getCause());
        if (code != StatusCode.Code.FAILED_PRECONDITION && code != StatusCode.Code.NOT_FOUND) {
          throw failure;
        }
        changed++;
      }
    }
    return done;
  }
}
