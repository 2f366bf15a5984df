package dev.tallyroll.store;

import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QuerySnapshot;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.protocol.CounterPages;
import dev.tallyroll.protocol.Entry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The calls that list counters and roll-ups. */
final class FirestorePages implements CounterPages {
  private final Firestore firestore;
  private final Calls calls;

  /** Of the entries that are listed: those whose pattern has no variables. */
  private final Map<Entry, CountersWithShards> withShards = new HashMap<>();

  FirestorePages(Firestore firestore, Calls calls) {
    this.firestore = firestore;
    this.calls = calls;
  }

  private CountersWithShards withShards(Entry entry) {
    return withShards.computeIfAbsent(
        entry, one -> new CountersWithShards(firestore, one, calls, documents(one, Group.ROLLUPS)));
  }

  @Override
  public CompletableFuture<CounterPage> page(Entry entry, Group group, String after, int limit) {
    Optional<CounterPath> only = entry.layout().only();
    if (only.isPresent()) {
      return CompletableFuture.completedFuture(
          new CounterPage(List.of(entry.counter(only.get())), 1, ""));
    }
    if (group == Group.WITH_SHARDS) {
      return withShards(entry).page(after, limit);
    }
    Query documents = documents(entry, group);
    Query from = after.isEmpty() ? documents : documents.startAfter(firestore.document(after));
    return calls
        .make(() -> from.select(FieldPath.documentId()).limit(limit).get())
        .thenApply(answer -> page(entry, group, answer, limit));
  }

  /**
   * The collection, if there is only one; else all collections of this name below the pattern's
   * fixed start, which ends in the name of a collection.
   */
  private Query documents(Entry entry, Group group) {
    Layout layout = entry.layout();
    String name = group == Group.ROLLUPS ? layout.rollups() : layout.countersCollection();
    Optional<String> parent = layout.singleParent();
    if (parent.isPresent()) {
      return firestore
          .collection(parent.get().isEmpty() ? name : parent.get() + "/" + name)
          .orderBy(FieldPath.documentId());
    }
    return PathRange.of(firestore, name, layout.fixedStart());
  }

  private static CounterPage page(Entry entry, Group group, QuerySnapshot answer, int limit) {
    List<String> paths =
        answer.getDocuments().stream().map(document -> document.getReference().getPath()).toList();
    return new CounterPage(
        paths.stream()
            .map(
                path ->
                    group == Group.ROLLUPS
                        ? entry.counterOfRollup(path)
                        : entry.counterOfDocument(path))
            .flatMap(Optional::stream)
            .toList(),
        paths.size(),
        paths.size() == limit ? paths.get(limit - 1) : "");
  }

  @Override
  public boolean canBeginAfter(Entry entry, Group group, String path) {
    if (group == Group.WITH_SHARDS) {
      return withShards(entry).canBeginAfter(path);
    }
    try {
      documents(entry, group).startAfter(firestore.document(path));
      return true;
    } catch (IllegalArgumentException elsewhere) {
      return false;
    }
  }
}
