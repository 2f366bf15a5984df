package dev.tallyroll.store;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import dev.tallyroll.Layout;
import dev.tallyroll.Present;
import dev.tallyroll.RollupFields;
import dev.tallyroll.Times;
import dev.tallyroll.protocol.RollupStore.Live;
import dev.tallyroll.protocol.RollupStore.LiveList;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The queries for live counters. Both are served by the one composite index ({@code live_lane},
 * {@code live_until}) of collection-group scope.
 */
final class LiveQueries {
  /** More live counters than a worker can tick in time, and a bound on one answer. */
  private static final int MAX_LIVE = 20_000;

  /** How many values Firestore takes in one {@code in}. */
  private static final int MOST_IN = 30;

  private final Firestore firestore;
  private final Layout layout;
  private final Calls calls;

  LiveQueries(Firestore firestore, Layout layout, Calls calls) {
    this.firestore = firestore;
    this.layout = layout;
    this.calls = calls;
  }

  CompletableFuture<LiveList> all() {
    return run(group().orderBy(RollupFields.LIVE_LANE).orderBy(RollupFields.LIVE_UNTIL));
  }

  /**
   * The earliest of the times at which the lanes were read: what committed after it may be missing.
   */
  CompletableFuture<LiveList> after(Instant after, List<Integer> lanes) {
    CompletableFuture<LiveList> found = null;
    for (int from = 0; from < lanes.size(); from += MOST_IN) {
      List<Integer> chunk = lanes.subList(from, Math.min(lanes.size(), from + MOST_IN));
      CompletableFuture<LiveList> answer =
          run(
              group()
                  .whereIn(RollupFields.LIVE_LANE, chunk)
                  .whereGreaterThan(RollupFields.LIVE_UNTIL, Times.timestamp(after))
                  .orderBy(RollupFields.LIVE_UNTIL));
      found = found == null ? answer : found.thenCombine(answer, LiveQueries::both);
    }
    return Present.of(found);
  }

  private static LiveList both(LiveList one, LiveList other) {
    List<Live> counters = new ArrayList<>(one.counters());
    counters.addAll(other.counters());
    boolean earlier = one.readTime().isBefore(other.readTime());
    return new LiveList(counters, earlier ? one.readTime() : other.readTime());
  }

  private Query group() {
    return firestore.collectionGroup(layout.rollups());
  }

  private CompletableFuture<LiveList> run(Query query) {
    return calls.bring(query.limit(MAX_LIVE).get()).thenApply(this::decode);
  }

  /** Passes over documents that are not beside any counters of this layout. */
  private LiveList decode(QuerySnapshot answer) {
    Instant readTime = Times.instant(answer.getReadTime());
    List<Live> counters = new ArrayList<>();
    for (QueryDocumentSnapshot document : answer.getDocuments()) {
      layout
          .counterOfRollup(document.getReference().getPath())
          .ifPresent(
              counter ->
                  counters.add(
                      new Live(
                          counter,
                          RollupFields.decode(
                              document.getData(),
                              layout.counterDocument(counter),
                              Times.instant(Present.of(document.getUpdateTime())),
                              readTime))));
    }
    return new LiveList(counters, readTime);
  }
}
