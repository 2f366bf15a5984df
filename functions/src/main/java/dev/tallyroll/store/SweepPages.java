package dev.tallyroll.store;

import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import dev.tallyroll.Layout;
import dev.tallyroll.Present;
import dev.tallyroll.RollupFields;
import dev.tallyroll.Times;
import dev.tallyroll.protocol.RollupStore.Found;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.RollupStore.Page;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Pages through all roll-ups or all counters of a database, in the order of their paths. */
final class SweepPages {
  private final Firestore firestore;
  private final Layout layout;
  private final Calls calls;

  SweepPages(Firestore firestore, Layout layout, Calls calls) {
    this.firestore = firestore;
    this.layout = layout;
    this.calls = calls;
  }

  CompletableFuture<Page> page(Group group, String after, int limit) {
    Query query =
        firestore
            .collectionGroup(
                group == Group.ROLLUPS ? layout.rollups() : layout.countersCollection())
            .orderBy(FieldPath.documentId())
            .limit(limit);
    Query page = after.isEmpty() ? query : query.startAfter(firestore.document(after));
    return calls.bring(page.get()).thenApply(answer -> decode(group, answer, limit));
  }

  private Page decode(Group group, QuerySnapshot answer, int limit) {
    Instant readTime = Times.instant(answer.getReadTime());
    List<QueryDocumentSnapshot> documents = answer.getDocuments();
    List<Found> found = new ArrayList<>();
    for (QueryDocumentSnapshot document : documents) {
      decode(group, document, readTime).ifPresent(found::add);
    }
    boolean more = documents.size() == limit;
    String last = more ? documents.get(limit - 1).getReference().getPath() : "";
    return new Page(found, last, readTime);
  }

  private Optional<Found> decode(Group group, QueryDocumentSnapshot document, Instant readTime) {
    String path = document.getReference().getPath();
    if (group == Group.COUNTERS) {
      return layout.counterOfDocument(path).map(counter -> new Found(counter, Optional.empty()));
    }
    return layout
        .counterOfRollup(path)
        .map(
            counter ->
                new Found(
                    counter,
                    Optional.of(
                        RollupFields.decode(
                            document.getData(),
                            layout.counterDocument(counter),
                            Times.instant(Present.of(document.getUpdateTime())),
                            readTime))));
  }
}
