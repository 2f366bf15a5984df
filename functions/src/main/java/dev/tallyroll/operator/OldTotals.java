package dev.tallyroll.operator;

import com.google.api.core.ApiFuture;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.internal.Failures;
import dev.tallyroll.internal.RollupFields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

/**
 * Totals that no function keeps any more, since what they are of has changed.
 *
 * <p>A roll-up is one of them if it carries the mark of its own place and of what they are of. It
 * is deleted, at the version that was read; if it has fields of others, only ours are taken from
 * it. Everything else stays.
 *
 * @param rollups the collection of the roll-ups, at the root and below any document
 * @param totalOf what they are of
 */
record OldTotals(Firestore firestore, String rollups, String totalOf) {
  private static final int PAGE = 300;

  /**
   * How many roll-ups were removed.
   *
   * @param deleted as whole documents
   * @param cleared which have fields of others, and keep those
   * @param changed which somebody has written meanwhile, so they are still there
   */
  record Removed(long looked, long deleted, long cleared, long changed) {}

  /**
   * Removes them. Costs one read for each document in collections of that name, and one delete or
   * write for each that is removed.
   */
  Removed remove() throws ExecutionException, InterruptedException {
    Removed all = new Removed(0, 0, 0, 0);
    Query group = firestore.collectionGroup(rollups).orderBy(FieldPath.documentId()).limit(PAGE);
    Query next = group;
    while (true) {
      List<QueryDocumentSnapshot> page = next.get().get().getDocuments();
      all = remove(page, all);
      if (page.size() < PAGE) {
        return all;
      }
      next = group.startAfter(page.get(PAGE - 1));
    }
  }

  private Removed remove(List<QueryDocumentSnapshot> page, Removed before)
      throws ExecutionException, InterruptedException {
    Map<QueryDocumentSnapshot, ApiFuture<WriteResult>> writes = new LinkedHashMap<>();
    for (QueryDocumentSnapshot document : page) {
      if (isOne(document)) {
        writes.put(document, remove(document));
      }
    }
    long deleted = 0;
    long cleared = 0;
    for (var write : writes.entrySet()) {
      if (isDone(write.getValue())) {
        deleted += isWhole(write.getKey()) ? 1 : 0;
        cleared += isWhole(write.getKey()) ? 0 : 1;
      }
    }
    return new Removed(
        before.looked() + page.size(),
        before.deleted() + deleted,
        before.cleared() + cleared,
        before.changed() + writes.size() - deleted - cleared);
  }

  private boolean isOne(QueryDocumentSnapshot document) {
    return totalOf.equals(document.get(RollupFields.TOTAL_OF))
        && document.get(RollupFields.COUNTER) instanceof String counter
        && isBeside(counter, document.getReference().getPath());
  }

  /** Whether a roll-up's path is that of a counter, but for the names of the collections. */
  private static boolean isBeside(String counter, String rollup) {
    String[] one = counter.split("/", -1);
    String[] other = rollup.split("/", -1);
    if (one.length != other.length || one.length < 2) {
      return false;
    }
    one[one.length - 2] = other[one.length - 2];
    return Arrays.equals(one, other);
  }

  /** Whether all its fields are ours. */
  private static boolean isWhole(QueryDocumentSnapshot document) {
    return RollupFields.OURS.containsAll(document.getData().keySet());
  }

  private static ApiFuture<WriteResult> remove(QueryDocumentSnapshot document) {
    DocumentReference place = document.getReference();
    Precondition version = Precondition.updatedAt(document.getUpdateTime());
    if (isWhole(document)) {
      return place.delete(version);
    }
    return place.update(
        new ArrayList<>(RollupFields.OURS)
            .stream().collect(Collectors.toMap(field -> field, field -> FieldValue.delete())),
        version);
  }

  /** Whether it was written; not if the document has changed, or has gone. */
  private static boolean isDone(ApiFuture<WriteResult> write)
      throws ExecutionException, InterruptedException {
    try {
      write.get();
      return true;
    } catch (ExecutionException failure) {
      StatusCode.Code code = Failures.code(failure.getCause());
      if (code == StatusCode.Code.FAILED_PRECONDITION || code == StatusCode.Code.NOT_FOUND) {
        return false;
      }
      throw failure;
    }
  }
}
