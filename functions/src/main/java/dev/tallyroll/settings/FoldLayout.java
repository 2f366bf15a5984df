package dev.tallyroll.settings;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.PathPattern;
import dev.tallyroll.internal.ids.Names;
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
 * @param shards the collection of shards, below each document
 * @param deployment the name of the deployment, which its live list and its run documents have
 * @param documents those that are folded
 */
public record FoldLayout(String shards, String deployment, List<PathPattern> documents) {
  /** The collection that the extension and its clients use. */
  public static final String EXTENSION = "_counter_shards_";

  /**
   * A shard's place.
   *
   * @param document the path of the document that it belongs to
   */
  public record ShardPath(String document, String id) {}

  /**
   * @throws IllegalArgumentException if Firestore would refuse a name, or if the functions' own
   *     collection has it
   */
  public FoldLayout {
    Names.requireId("SHARDS_COLLECTION", shards);
    Names.requireId("NAME", deployment);
    if (shards.equals(Layout.RUNS)) {
      throw new IllegalArgumentException(
          "SHARDS_COLLECTION: expected a name other than the functions' " + shards + "; found it");
    }
  }

  /**
   * Reads patterns of documents with a space between, as in {@code FOLD_DOCUMENTS}.
   *
   * @param own the collections that no pattern may name: those of the functions
   * @throws IllegalArgumentException if there is none, or if one is malformed or names a collection
   *     of the functions
   */
  public static List<PathPattern> documents(String text, List<String> own) {
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
        .anyMatch(own::contains)) {
      throw refuse("no collection of the functions, which are " + own, text);
    }
    return patterns;
  }

  private static IllegalArgumentException refuse(String expected, String found) {
    return new IllegalArgumentException(
        "FOLD_DOCUMENTS: expected " + expected + "; found '" + found + "'");
  }

  /** The pattern of all shards, which the trigger watches. */
  public String pattern() {
    return "{parent=**}/" + shards + "/{shard}";
  }

  /** The place of a shard, of any document; empty if the path is not that of a shard. */
  public Optional<ShardPath> shard(String path) {
    String[] ids = path.split("/", -1);
    int size = ids.length;
    if (size < 4
        || size % 2 != 0
        || !ids[size - 2].equals(shards)
        || Arrays.asList(ids).contains("")) {
      return Optional.empty();
    }
    String id = ids[size - 1];
    return Optional.of(
        new ShardPath(path.substring(0, path.length() - id.length() - shards.length() - 2), id));
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
    return document + "/" + shards;
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
