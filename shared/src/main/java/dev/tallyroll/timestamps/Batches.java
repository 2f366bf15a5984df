package dev.tallyroll.timestamps;

/**
 * How much is fetched at a time for a page. Each chunk is asked for its even share and a few more;
 * the chunk that runs dry is asked again. Nothing more than one batch a chunk can be left over, so
 * a page never reads more than {@code wanted + chunks * size()} documents; and as a batch is used
 * up before the next is fetched, it is refilled at most {@code chunks} times. Immutable.
 *
 * @param wanted how many documents the page needs, with the one that tells whether there are more
 * @param chunks how many queries there are
 */
record Batches(int wanted, int chunks) {
  /** Random shards are uneven: a few more at first save a second round for most pages. */
  private static final int SPARE = 3;

  int size() {
    return Math.min(wanted, (wanted + chunks - 1) / chunks + SPARE);
  }

  /** A batch when so many have been merged: never more than the page could use. */
  int size(int merged) {
    return Math.min(size(), wanted - merged);
  }
}
