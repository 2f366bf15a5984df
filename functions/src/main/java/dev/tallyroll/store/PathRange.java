package dev.tallyroll.store;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;

/** Queries of all collections of a name below one place, in the order of paths. */
public final class PathRange {
  /** The first of all document ids, by Firestore's order: numeric ids come before names. */
  private static final String FIRST_ID = "__id-9223372036854775808__";

  private PathRange() {}

  /**
   * All documents in collections of a name that are in, or below, one collection.
   *
   * @param start path of that collection; empty for the whole database
   */
  public static Query of(Firestore firestore, String name, String start) {
    Query all = firestore.collectionGroup(name).orderBy(FieldPath.documentId());
    return start.isEmpty()
        ? all
        : all.startAt(first(firestore.collection(start)))
            .endBefore(first(firestore.collection(start + '\0')));
  }

  private static DocumentReference first(CollectionReference collection) {
    return collection.document(FIRST_ID);
  }
}
