package dev.tallyroll.store;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Present;
import dev.tallyroll.RollupFields;
import dev.tallyroll.Times;
import dev.tallyroll.protocol.RollupStore.Live;
import dev.tallyroll.protocol.RollupStore.LiveList;
import dev.tallyroll.timestamps.ShardedTimestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The queries for live counters. Both are served by the one composite index ({@code live_lane},
 * {@code live_until}) of collection-group scope.
 */
final class LiveQueries {
  /** More live counters than a worker can tick in time, and a bound on one answer. */
  private static final int MAX_LIVE = 20_000;

  private final Firestore firestore;
  private final Layout layout;
  private final Calls calls;

  LiveQueries(Firestore firestore, Layout layout, Calls calls) {
    this.firestore = firestore;
    this.layout = layout;
    this.calls = calls;
  }

  CompletableFuture<LiveList> all() {
    return run(
        firestore
            .collectionGroup(layout.rollups())
            .orderBy(RollupFields.LIVE_LANE)
            .orderBy(RollupFields.LIVE_UNTIL)
            .limit(MAX_LIVE));
  }

  /**
   * The earliest of the times at which the lanes were read: what committed after it may be missing.
   */
  CompletableFuture<LiveList> after(Instant after, List<Integer> lanes) {
    Query later =
        firestore
            .collectionGroup(layout.rollups())
            .whereGreaterThan(RollupFields.LIVE_UNTIL, Times.timestamp(after));
    return calls
        .bring(liveUntil(lanes).query(later, Query.Direction.ASCENDING).page(MAX_LIVE))
        .thenApply(page -> decode(page.documents(), page.readTime()));
  }

  private static ShardedTimestamp liveUntil(List<Integer> lanes) {
    return ShardedTimestamp.of(lanes).withFields(RollupFields.LIVE_LANE, RollupFields.LIVE_UNTIL);
  }

  private CompletableFuture<LiveList> run(Query query) {
    return calls
        .bring(query.get())
        .thenApply(answer -> decode(answer.getDocuments(), answer.getReadTime()));
  }

  private LiveList decode(List<QueryDocumentSnapshot> documents, Timestamp read) {
    Instant readTime = Times.instant(read);
    List<Live> counters = new ArrayList<>();
    for (QueryDocumentSnapshot document : documents) {
      counter(document)
          .ifPresent(
              counter ->
                  counters.add(
                      new Live(
                          counter,
                          RollupFields.decode(
                              document.getData(),
                              Times.instant(Present.of(document.getUpdateTime())),
                              readTime))));
    }
    return new LiveList(counters, readTime);
  }

  /** Empty for a document in a collection of that name that is not beside any counters. */
  private Optional<CounterPath> counter(QueryDocumentSnapshot document) {
    String path = document.getReference().getPath();
    return layout.counterOfRollup(path);
  }
}
