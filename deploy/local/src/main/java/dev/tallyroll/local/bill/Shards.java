package dev.tallyroll.local.bill;

/**
 * The documents of one counter that the functions sum. Immutable.
 *
 * @param number how many there are
 * @param areDocuments whether the app writes them for its own sake; else clients increment them
 * @param deletes the part of all changes that are deletes; shards are not deleted
 */
record Shards(int number, boolean areDocuments, double deletes) {
  private static final int OF_A_READ = 1_000;

  static Shards incremented(int number) {
    return new Shards(number, /* areDocuments= */ false, /* deletes= */ 0);
  }

  static Shards documents(int number, double deletes) {
    return new Shards(number, /* areDocuments= */ true, deletes);
  }

  double readsOfASum() {
    return Math.max(1, Math.ceil((double) number / OF_A_READ));
  }
}
