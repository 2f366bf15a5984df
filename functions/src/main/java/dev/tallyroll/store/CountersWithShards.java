package dev.tallyroll.store;

import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QuerySnapshot;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.CounterPages.CounterPage;
import dev.tallyroll.protocol.Entry;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Lists the counters of one collection that have a shard, whether their own documents are there or
 * not: Google's samples for servers make none. It jumps from each counter to the first shard behind
 * it, which costs one read a counter.
 *
 * <p>There may be other collections of the shards' name further below a counter. Whoever fills them
 * hides no counter; those below one counter cost two reads.
 *
 * <p>One jump after another takes long. So it remembers the counters that it has found, and jumps
 * from each of them at the same time. A counter that is new is found by the jump from the one
 * before it, and behind it a jump reads two shards, then four, eight and so on as long as each is
 * another counter's, so that a thousand new ones take ten jumps. That costs at most a read more for
 * a new counter, and none for one that is known. One that has lost its shards is found by none: it
 * is listed once more, as its total may not be 0 yet, and forgotten. Before its first page, it
 * reads the roll-ups and remembers their counters: one read for each, and one more if the counter
 * has no shard.
 */
final class CountersWithShards {
  /** A page ends when it has cost so many reads for each counter that it may have. */
  private static final int MOST_READS = 2;

  /** How many roll-ups are read before the first page: as many as a run polls by default. */
  private static final int MOST_ROLLUPS = 10_000;

  /** How many counters are remembered, in some 20 megabytes. */
  private static final int MOST_KNOWN = 100_000;

  /** Almost no id sorts behind it. */
  private static final String LAST_ID = Character.toString(Character.MAX_CODE_POINT);

  /**
   * Firestore's order of paths. The client library has it for the parts of any path; it fails for
   * numeric ids beyond 64 bits, which Firestore refuses.
   */
  private static final Comparator<String> ORDER =
      Comparator.comparing(path -> FieldPath.of(path.split("/")));

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final Firestore firestore;
  private final Entry entry;
  private final Layout layout;
  private final Calls calls;
  private final Query shards;
  private final Query rollups;

  /** The documents above the shards of the counters that it has found, in Firestore's order. */
  private final NavigableSet<String> known = new TreeSet<>(ORDER);

  /** Completes once the roll-ups have been read; null before that. */
  private @Nullable CompletableFuture<Void> begun;

  /**
   * @param rollups all roll-ups of these counters
   */
  CountersWithShards(Firestore firestore, Entry entry, Calls calls, Query rollups) {
    this.firestore = firestore;
    this.entry = entry;
    this.layout = entry.layout();
    this.calls = calls;
    this.shards = PathRange.of(firestore, layout.shards(), layout.owners());
    this.rollups = rollups;
  }

  /**
   * A page of counters.
   *
   * @param after path of the last counter of the page before, or of a document that stood there;
   *     empty for the first page
   */
  CompletableFuture<CounterPage> page(String after, int limit) {
    if (begun == null) {
      begun = remember();
    }
    return begun.thenCompose(
        none -> {
          Jumps jumps = new Jumps(after.isEmpty() ? layout.owners() : after, limit);
          return jumps.all().thenApply(all -> jumps.page());
        });
  }

  /**
   * Remembers the counters of all roll-ups. If it fails, jumps find them one after another, until
   * it works.
   */
  private CompletableFuture<Void> remember() {
    return calls
        .make(() -> rollups.select(RollupFields.COUNTER).limit(MOST_ROLLUPS).get())
        .thenAccept(
            answer ->
                answer.getDocuments().stream()
                    .flatMap(rollup -> counter(rollup).stream())
                    .map(CountersWithShards::owner)
                    .forEach(known::add))
        .exceptionally(
            failure -> {
              begun = null; // the next page tries again
              return null;
            });
  }

  /** The counter of a roll-up, if it is ours. */
  private Optional<CounterId> counter(DocumentSnapshot rollup) {
    return entry
        .counterOfRollup(rollup.getReference().getPath())
        .filter(counter -> counter.document().equals(rollup.get(RollupFields.COUNTER)));
  }

  /** The document that a counter's shards are below: its own, or one of the same id. */
  private static String owner(CounterId counter) {
    return counter.shards().substring(0, counter.shards().lastIndexOf('/'));
  }

  private Optional<CounterId> counter(String owner) {
    return entry.counterOfShard(owner + "/" + layout.shards() + "/0");
  }

  /** Whether a page can begin after a document. */
  boolean canBeginAfter(String path) {
    return path.startsWith(layout.owners() + "/") && path.split("/", -1).length % 2 == 0;
  }

  /** The jumps for one page. */
  private final class Jumps {
    private final String after;
    private final int limit;

    /** The counters that jumps begin at, and the end of the page before, or the collection. */
    private final Set<String> starts = new LinkedHashSet<>();

    /** Behind this counter or document, the next page begins; empty for the end of all. */
    private String last = "";

    private final NavigableSet<String> found = new TreeSet<>(ORDER);
    private int reads;

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
          starts.stream().map(start -> jump(start, 1)).toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> jump(String from, int size) {
      return calls
          .make(() -> behind(from).select(FieldPath.documentId()).limit(size).get())
          .thenCompose(answer -> land(pathsOf(answer), size))
          .exceptionallyCompose(failure -> endAt(from, failure));
    }

    /** The shards that a jump has found; an answer of none costs a read, too. */
    private List<String> pathsOf(QuerySnapshot answer) {
      reads += Math.max(1, answer.size());
      return answer.getDocuments().stream().map(shard -> shard.getReference().getPath()).toList();
    }

    /** A jump that fails ends the page where it began; the first one, with the failure. */
    private CompletableFuture<Void> endAt(String from, Throwable failure) {
      if (from.equals(after) || from.equals(layout.owners())) {
        return CompletableFuture.failedFuture(failure);
      }
      endBehind(from);
      return DONE;
    }

    /** Goes on until it meets a counter that another jump begins at. */
    private CompletableFuture<Void> land(List<String> shards, int size) {
      if (shards.isEmpty()) {
        return DONE;
      }
      String shard = shards.get(0);
      List<String> others = shards.subList(1, shards.size());
      if (!last.isEmpty() && ORDER.compare(shard, end(last)) > 0) {
        return DONE;
      }
      String document = documentAbove(shard);
      return note(document, shard)
          .thenCompose(none -> goOn(next(document, shard), others, isOwn(shard) ? size : 0));
    }

    /** Notes the counter of a shard; of a document further below, only if it has a shard too. */
    private CompletableFuture<Void> note(String document, String shard) {
      boolean isNew = ORDER.compare(document, after) > 0 && !found.contains(document);
      if (!isNew || counter(document).isEmpty()) {
        return DONE;
      }
      if (isOwn(shard)) {
        found.add(document);
        return DONE;
      }
      return calls
          .make(() -> ownShards(document).select(FieldPath.documentId()).limit(1).get())
          .thenAccept(
              own -> {
                reads++;
                own.forEach(unused -> found.add(document));
              });
    }

    /**
     * @param others the shards that the last jump has found behind those of this counter, and maybe
     *     more of this counter's
     * @param size how many shards that jump asked for; 0 if it met one of a document further below
     */
    private CompletableFuture<Void> goOn(String next, List<String> others, int size) {
      if (starts.contains(next) || next.equals(last)) {
        return DONE;
      }
      boolean areBehind = !others.isEmpty() && ORDER.compare(others.get(0), end(next)) > 0;
      if (areBehind) {
        return land(others, size);
      }
      int left = MOST_READS * limit - reads;
      if (left <= 0) {
        endBehind(next);
        return DONE;
      }
      int larger = Math.max(1, Math.min(2 * size, limit));
      return jump(next, others.isEmpty() ? Math.min(larger, left) : 1);
    }

    /** Several jumps may end the page. The next page begins behind the first of these places. */
    private void endBehind(String next) {
      last = last.isEmpty() || ORDER.compare(next, last) < 0 ? next : last;
    }

    CounterPage page() {
      if (!last.isEmpty()) {
        found.tailSet(last, /* inclusive= */ false).clear();
      }
      Set<String> before =
          last.isEmpty() ? known.tailSet(after, false) : known.subSet(after, false, last, true);
      NavigableSet<String> listed = new TreeSet<>(ORDER);
      listed.addAll(before);
      listed.addAll(found);
      before.clear();
      found.stream().limit(Math.max(0, MOST_KNOWN - known.size())).forEach(known::add);
      List<CounterId> counters = listed.stream().flatMap(owner -> counter(owner).stream()).toList();
      return new CounterPage(counters, reads, last);
    }
  }

  private Query ownShards(String document) {
    return firestore.collection(document + "/" + layout.shards());
  }

  private boolean isOwn(String shard) {
    return layout.counterOfShard(shard).isPresent();
  }

  /** The document of the collection that a path leads through. */
  private String documentAbove(String path) {
    return path.substring(0, path.indexOf('/', layout.owners().length() + 1));
  }

  private boolean isInCollection(String path) {
    return path.lastIndexOf('/') == layout.owners().length();
  }

  /** The document, behind all of its shards; or the found path, if that is still behind them. */
  private static String next(String document, String shard) {
    return shard.startsWith(document + "/" + LAST_ID) ? shard : document;
  }

  /** The shards behind all that is below a document of the collection, or behind a path. */
  private Query behind(String path) {
    return path.equals(layout.owners()) ? shards : shards.startAfter(firestore.document(end(path)));
  }

  /** The end of what is below a document of the collection, or else the path itself. */
  private String end(String path) {
    return isInCollection(path) ? path + "/" + LAST_ID + "/" + LAST_ID : path;
  }
}
