package dev.tallyroll.fold;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.ids.Names;
import java.util.Optional;

/**
 * Where shards and the functions' own documents are.
 *
 * @param shards the collection of shards, below any document
 * @param runs the collection of the functions' own documents, at the root
 */
public record FoldLayout(String shards, String runs) {
  /** The collection that the extension and its clients use. */
  public static final String EXTENSION = "_counter_shards_";

  /**
   * @throws IllegalArgumentException if Firestore would refuse a name, or if both are the same
   */
  public FoldLayout {
    Names.requireId("SHARDS_COLLECTION", shards);
    Names.requireId("RUNS_COLLECTION", runs);
    if (shards.equals(runs)) {
      throw new IllegalArgumentException(
          "collections: expected two different names; found " + shards + " twice");
    }
  }

  /** The mark of our own documents: which shards they are about. */
  public String mark() {
    return "{parent=**}/" + shards;
  }

  /** The document that a shard's path belongs to; empty if it is not a shard's path. */
  public Optional<String> documentOfShard(String path) {
    String[] ids = path.split("/", -1);
    int size = ids.length;
    return size >= 4 && size % 2 == 0 && ids[size - 2].equals(shards)
        ? Optional.of(
            path.substring(0, path.length() - ids[size - 1].length() - shards.length() - 2))
        : Optional.empty();
  }

  public String shardsCollection(String document) {
    return document + "/" + shards;
  }

  /** Path of the live list: the collection with an entry for each busy document. */
  public String liveList() {
    return runs + "/" + shards + "/live";
  }

  /** Id of a document's entry in the live list. */
  public String liveId(String document) {
    return Layout.liveId(document);
  }

  /** Path of the document that says who does a job now: a worker's number. */
  public String runDocument(String job) {
    return liveList() + "/" + Layout.runId(job);
  }
}
