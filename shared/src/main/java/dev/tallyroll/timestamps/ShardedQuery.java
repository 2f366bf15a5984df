package dev.tallyroll.timestamps;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.EventListener;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import com.google.common.util.concurrent.MoreExecutors;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * A query over all shard values, ordered by the timestamp in one direction; among equal timestamps
 * by the document's path in the same direction. Immutable, so safe for use by many threads.
 *
 * <p>Its answers are those that the unsharded query would give. The chunks are read one by one
 * though, so while documents are written a page need not be the collection at any one moment, as
 * two pages of an unsharded query need not be. Errors of Firestore arrive through the futures;
 * arguments that cannot be used are refused at once, before anything is read.
 */
public final class ShardedQuery {
  /** A page is held in memory. */
  public static final int MAX_LIMIT = 20_000;

  private final ChunkQueries chunks;
  private final Direction direction;
  private final Tokens tokens;

  ShardedQuery(ChunkQueries chunks, Direction direction, Tokens tokens) {
    this.chunks = chunks;
    this.direction = direction;
    this.tokens = tokens;
  }

  /**
   * Reads the first page.
   *
   * <p>With <i>c</i> chunks of shard values (one per 30 values, or fewer values when the caller's
   * query has disjunctions), it makes <i>c</i> queries side by side, and at most <i>c</i> more, one
   * after the other, as chunks run dry; for evenly filled shards mostly none. It reads no more than
   * {@code limit + 1 + c * batch} documents, where a batch is {@code (limit + 1) / c} rounded up,
   * and three more; with one chunk, {@code limit + 1}: the one tells whether there is a next page.
   * Each is one read; an empty query is one read too.
   *
   * @param limit 1 to {@link #MAX_LIMIT}
   */
  public ApiFuture<Page> page(int limit) {
    return read(PageRequest.first(limit));
  }

  /**
   * Reads the page that a token leads to, at the same cost. The limit may change from page to page.
   * A page backwards needs the indexes of the other direction.
   *
   * @param token of a {@link Page} of the same query, from this process or another one
   * @throws UnusableTokenException if it is of another query, or no token; start again at the first
   *     page
   */
  public ApiFuture<Page> page(int limit, String token) {
    return read(PageRequest.from(limit, tokens.decode(token)));
  }

  private ApiFuture<Page> read(PageRequest request) {
    Direction reading = request.direction(direction);
    List<Query> queries = chunks.ordered(reading).stream().map(request::start).toList();
    String field = chunks.fields().timestamp();
    return ApiFutures.transform(
        new PageReader(queries, reading, field, request.wanted()).read(),
        answer -> request.page(answer, field, tokens),
        MoreExecutors.directExecutor());
  }

  /**
   * Listens to the first documents. The listener gets a first view once all chunks have answered,
   * then one whenever what it sees has changed, never two at a time, and after an error nothing
   * more: the listener is then removed.
   *
   * <p>Costs {@code chunks * limit} reads to start, then a read per change of any chunk's first
   * documents.
   *
   * @param limit 1 to {@link #MAX_LIMIT}
   * @param executor where the listener is called
   * @return one registration for all; no view is given after its removal, but for one underway
   */
  public ListenerRegistration listen(int limit, Executor executor, EventListener<View> listener) {
    PageRequest.check(limit);
    List<Query> queries =
        chunks.ordered(direction).stream().map(query -> query.limit(limit)).toList();
    LatestViews views =
        new LatestViews(direction, chunks.fields().timestamp(), queries.size(), limit);
    return ViewListener.start(queries, views, executor, listener);
  }
}
