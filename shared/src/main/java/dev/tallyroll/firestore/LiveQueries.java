package dev.tallyroll.firestore;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.protocol.RollupStore.Live;
import dev.tallyroll.protocol.RollupStore.LiveList;
import dev.tallyroll.timestamps.ShardValues;
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

  CompletableFuture<LiveList> after(Instant after, List<Integer> lanes) {
    return ShardValues.chunks(lanes).stream()
        .map(chunk -> run(after(after, firestore.collectionGroup(layout.rollups()), chunk)))
        .reduce((a, b) -> a.thenCombine(b, LiveQueries::merge))
        .orElseThrow();
  }

  private static Query after(Instant after, Query rollups, List<Integer> lanes) {
    return rollups
        .whereIn(RollupFields.LIVE_LANE, lanes)
        .whereGreaterThan(RollupFields.LIVE_UNTIL, Times.timestamp(after))
        .orderBy(RollupFields.LIVE_UNTIL)
        .limit(MAX_LIVE);
  }

  /** The earlier time of the two: what committed after it may be missing from one of them. */
  private static LiveList merge(LiveList a, LiveList b) {
    List<Live> counters = new ArrayList<>(a.counters());
    counters.addAll(b.counters());
    Instant readTime = a.readTime().isBefore(b.readTime()) ? a.readTime() : b.readTime();
    return new LiveList(counters, readTime);
  }

  private CompletableFuture<LiveList> run(Query query) {
    return calls.bring(query.get()).thenApply(this::decode);
  }

  private LiveList decode(QuerySnapshot answer) {
    Instant readTime = Times.instant(answer.getReadTime());
    List<Live> counters = new ArrayList<>();
    for (QueryDocumentSnapshot document : answer.getDocuments()) {
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
