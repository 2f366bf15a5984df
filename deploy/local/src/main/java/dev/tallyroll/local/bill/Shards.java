package dev.tallyroll.local.bill;

/**
 * The documents of one counter that the functions sum. Immutable.
 *
 * @param number how many there are
 * @param deletes the part of all changes that are deletes; shards are not deleted
 */
record Shards(int number, Kind kind, double deletes) {
  private static final int OF_A_READ = 1_000;

  /** Which documents the app writes for each change that it counts. */
  enum Kind {
    /** An increment of a shard. */
    INCREMENTED,
    /** A write or a delete of a document of the app's own, which is a shard. */
    DOCUMENTS,
    /** A write or a delete of such a document, and an increment of a shard beside it. */
    BESIDE_DOCUMENTS
  }

  static Shards incremented(int number) {
    return new Shards(number, Kind.INCREMENTED, /* deletes= */ 0);
  }

  static Shards documents(int number, double deletes) {
    return new Shards(number, Kind.DOCUMENTS, deletes);
  }

  /** So many shards that the app increments at each change of a document. */
  Shards beside(int incremented) {
    return new Shards(incremented, Kind.BESIDE_DOCUMENTS, deletes);
  }

  boolean areDocuments() {
    return kind == Kind.DOCUMENTS;
  }

  double readsOfASum() {
    return Math.max(1, Math.ceil((double) number / OF_A_READ));
  }

  /** The part of all events that are deletes. */
  double deleted() {
    return areDocuments() ? deletes : 0;
  }
}
