package dev.tallyroll.store;

import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QuerySnapshot;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.protocol.CounterPages;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The calls that list counters and roll-ups. */
final class FirestorePages implements CounterPages {
  private final Firestore firestore;
  private final Layout layout;
  private final Calls calls;

  /** Empty where the pattern has variables: nobody lists those. */
  private final Optional<CountersWithShards> countersWithShards;

  FirestorePages(Firestore firestore, Layout layout, Calls calls) {
    this.firestore = firestore;
    this.layout = layout;
    this.calls = calls;
    this.countersWithShards =
        layout
            .singleParent()
            .map(
                parent ->
                    new CountersWithShards(firestore, layout, calls, documents(Group.ROLLUPS)));
  }

  @Override
  public CompletableFuture<Page> page(Group group, String after, int limit) {
    if (group == Group.WITH_SHARDS) {
      return countersWithShards.orElseThrow().page(after, limit);
    }
    Query documents = documents(group);
    Query from = after.isEmpty() ? documents : documents.startAfter(firestore.document(after));
    return calls
        .make(() -> from.select(FieldPath.documentId()).limit(limit).get())
        .thenApply(answer -> page(group, answer, limit));
  }

  /**
   * The collection, if there is only one; else all collections of this name below the pattern's
   * fixed start, which ends in the name of a collection.
   */
  private Query documents(Group group) {
    String name = group == Group.ROLLUPS ? layout.rollups() : layout.countersCollection();
    Optional<String> parent = layout.singleParent();
    if (parent.isPresent()) {
      return firestore
          .collection(parent.get().isEmpty() ? name : parent.get() + "/" + name)
          .orderBy(FieldPath.documentId());
    }
    return PathRange.of(firestore, name, layout.fixedStart());
  }

  private Page page(Group group, QuerySnapshot answer, int limit) {
    List<String> paths =
        answer.getDocuments().stream().map(document -> document.getReference().getPath()).toList();
    return new Page(
        paths.stream()
            .map(
                path ->
                    group == Group.ROLLUPS
                        ? layout.counterOfRollup(path)
                        : layout.counterOfDocument(path))
            .flatMap(Optional::stream)
            .map(counter -> new Located(layout, counter))
            .toList(),
        paths.size(),
        paths.size() == limit ? paths.get(limit - 1) : "");
  }

  @Override
  public boolean canBeginAfter(Group group, String path) {
    if (group == Group.WITH_SHARDS) {
      return countersWithShards.orElseThrow().canBeginAfter(path);
    }
    try {
      documents(group).startAfter(firestore.document(path));
      return true;
    } catch (IllegalArgumentException elsewhere) {
      return false;
    }
  }
}
