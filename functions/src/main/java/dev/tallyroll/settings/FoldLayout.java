package dev.tallyroll.settings;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.PathPattern;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where shards and the functions' own documents are.
 *
 * <p>Whoever may write a shard makes the functions write the document that it belongs to. So they
 * fold only the documents that an operator has named.
 *
 * @param deployment the name of the deployment, which its live list and its run documents have
 * @param documents those that are folded
 */
public record FoldLayout(String deployment, List<PathPattern> documents) {
  /** The collection of shards, below each document, of the extension and its clients. */
  public static final String SHARDS = "_counter_shards_";

  /** No pattern may name these. */
  private static final List<String> OWN = List.of(SHARDS, Layout.RUNS, "rollups");

  /**
   * A shard's place.
   *
   * @param document the path of the document that it belongs to
   */
  public record ShardPath(String document, String id) {}

  /** Copies the patterns. */
  public FoldLayout {
    documents = List.copyOf(documents);
  }

  /**
   * Reads patterns of documents with a space between, as in {@code FOLD_DOCUMENTS}.
   *
   * @throws IllegalArgumentException if there is none, or if one is malformed or names a collection
   *     of the functions
   */
  public static List<PathPattern> documents(String text) {
    List<PathPattern> patterns =
        Stream.of(text.split(" ")).filter(path -> !path.isEmpty()).map(PathPattern::of).toList();
    boolean sound =
        patterns.stream()
            .allMatch(
                pattern -> pattern.parts().size() % 2 == 0 && pattern.isSound("FOLD_DOCUMENTS"));
    if (patterns.isEmpty() || !sound) {
      throw refuse("documents' paths, such as pages/{page} rooms/{room}/posts/{post}", text);
    }
    if (patterns.stream()
        .flatMap(pattern -> pattern.collections().stream())
        .anyMatch(OWN::contains)) {
      throw refuse("no collection of the functions, which are " + OWN, text);
    }
    return patterns;
  }

  private static IllegalArgumentException refuse(String expected, String found) {
    return new IllegalArgumentException(
        "FOLD_DOCUMENTS: expected " + expected + "; found '" + found + "'");
  }

  /** The collection of shards, below each document. */
  public String shards() {
    return SHARDS;
  }

  /** The pattern of all shards, which the trigger watches. */
  public String pattern() {
    return "{parent=**}/" + SHARDS + "/{shard}";
  }

  /** The place of a shard, of any document; empty if the path is not that of a shard. */
  public Optional<ShardPath> shard(String path) {
    String[] ids = path.split("/", -1);
    int size = ids.length;
    if (size < 4
        || size % 2 != 0
        || !ids[size - 2].equals(SHARDS)
        || Arrays.asList(ids).contains("")) {
      return Optional.empty();
    }
    String id = ids[size - 1];
    return Optional.of(
        new ShardPath(path.substring(0, path.length() - id.length() - SHARDS.length() - 2), id));
  }

  /** Whether the document's shards are folded. */
  public boolean holds(String document) {
    List<String> path = List.of(document.split("/", -1));
    return documents.stream().anyMatch(pattern -> pattern.fits(path));
  }

  /** The paths of the collections that hold all folded documents, none inside another, in order. */
  public List<String> starts() {
    List<String> starts = documents.stream().map(PathPattern::start).distinct().sorted().toList();
    return starts.stream()
        .filter(start -> starts.stream().noneMatch(other -> start.startsWith(other + "/")))
        .toList();
  }

  public String shardsCollection(String document) {
    return document + "/" + SHARDS;
  }

  /** Path of the live list: the collection with an entry for each busy document. */
  public String liveList() {
    return Layout.liveList(deployment);
  }

  /** Id of a document's entry in the live list. */
  public String liveId(String document) {
    return Layout.liveId(document);
  }

  /** Path of the document that says who does a job now: a worker's number, or the sweep. */
  public String runDocument(String job) {
    return Layout.runDocument(deployment, job);
  }
}
