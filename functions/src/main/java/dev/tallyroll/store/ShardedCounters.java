package dev.tallyroll.store;

import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QuerySnapshot;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.protocol.RollupStore.Page;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * Lists the counters of one collection that have a shard, whether their own documents are there or
 * not: Google's samples for servers make none. It jumps from each counter to the first shard behind
 * it, which costs one read a counter.
 *
 * <p>One jump after another takes long. So it remembers the counters that it has found, and jumps
 * from each of them at the same time. A counter that is new is found by the jump from the one
 * before it; one that has gone, by none.
 */
final class ShardedCounters {
  /** A page ends when it has cost so many reads for each counter that it may have. */
  private static final int MOST_LOOKS = 2;

  /** How many counters are remembered, in some 20 megabytes. */
  private static final int MOST_KNOWN = 100_000;

  /** Behind all ids of shards. */
  private static final String LAST_ID = Character.toString(Character.MAX_CODE_POINT);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final Firestore firestore;
  private final Layout layout;
  private final Calls calls;
  private final Query shards;

  /** The paths of the counters that it has found, in Firestore's order. */
  private final NavigableSet<String> known = new TreeSet<>(ShardedCounters::inOrder);

  ShardedCounters(Firestore firestore, Layout layout, Calls calls) {
    this.firestore = firestore;
    this.layout = layout;
    this.calls = calls;
    this.shards = PathRange.of(firestore, layout.shards(), layout.counters());
  }

  /** Firestore orders ids by their bytes in UTF-8, which is the order of code points. */
  private static int inOrder(String one, String other) {
    return Arrays.compare(codes(one), codes(other));
  }

  private static int[] codes(String path) {
    return path.codePoints().map(code -> code == '/' ? -1 : code).toArray();
  }

  /**
   * A page of counters.
   *
   * @param after path of the last counter of the page before, or of a document that stood there
   */
  CompletableFuture<Page> page(String after, int limit) {
    Jumps jumps = new Jumps(after, limit);
    return jumps.all().thenApply(none -> jumps.page());
  }

  /** Whether no page can begin after a document. */
  boolean isElsewhere(String path) {
    return !path.startsWith(layout.counters() + "/") || path.split("/", -1).length % 2 != 0;
  }

  /** The jumps for one page. */
  private final class Jumps {
    private final String after;
    private final int limit;

    /** The counters that jumps begin at, and the end of the page before. */
    private final Set<String> starts = new LinkedHashSet<>();

    /** Behind this counter or document, the next page begins; empty for the end of all. */
    private String last = "";

    private final NavigableSet<String> found = new TreeSet<>(ShardedCounters::inOrder);
    private int looked;

    Jumps(String after, int limit) {
      this.after = after;
      this.limit = limit;
      starts.add(after);
      for (String counter : known.tailSet(after, /* inclusive= */ false)) {
        if (starts.size() == limit) {
          last = counter;
          break;
        }
        starts.add(counter);
      }
    }

    CompletableFuture<Void> all() {
      return CompletableFuture.allOf(
          starts.stream().map(this::jump).toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> jump(String from) {
      return calls
          .make(() -> behind(from).select(FieldPath.documentId()).limit(1).get())
          .thenCompose(answer -> land(from, answer));
    }

    /** Goes on until it meets a counter that another jump begins at. */
    private CompletableFuture<Void> land(String from, QuerySnapshot answer) {
      looked++;
      if (answer.isEmpty()) {
        return DONE;
      }
      String shard = answer.getDocuments().get(0).getReference().getPath();
      if (!last.isEmpty() && inOrder(shard, end(last)) > 0) {
        return DONE;
      }
      Optional<String> counter = counterOf(shard);
      counter.ifPresent(found::add);
      // There may be another collection of this name somewhere below a counter.
      String next = counter.filter(it -> !it.equals(from)).orElse(shard);
      if (starts.contains(next) || next.equals(last)) {
        return DONE;
      }
      if (looked >= MOST_LOOKS * limit) {
        last = next;
        return DONE;
      }
      return jump(next);
    }

    Page page() {
      if (last.isEmpty()) {
        known.tailSet(after, /* inclusive= */ false).clear();
      } else {
        found.tailSet(last, /* inclusive= */ false).clear();
        known.subSet(after, false, last, true).clear();
      }
      found.stream().limit(Math.max(0, MOST_KNOWN - known.size())).forEach(known::add);
      List<Located> counters =
          found.stream()
              .flatMap(path -> layout.counterOfDocument(path).stream())
              .map(path -> new Located(layout, path))
              .toList();
      return new Page(counters, looked, last);
    }
  }

  /** The counter of a shard, by its document's path. */
  private Optional<String> counterOf(String shard) {
    return layout.counterOfShard(shard).map(layout::counterDocument);
  }

  /** The shards behind a counter's, or behind a document. */
  private Query behind(String path) {
    return path.isEmpty() ? shards : shards.startAfter(firestore.document(end(path)));
  }

  /** The end of a counter's shards, or else the document itself. */
  private String end(String path) {
    return layout.counterOfDocument(path).isPresent()
        ? path + "/" + layout.shards() + "/" + LAST_ID
        : path;
  }
}
