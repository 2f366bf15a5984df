package dev.tallyroll.timestamps;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldMask;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import com.google.cloud.firestore.WriteResult;
import com.google.common.util.concurrent.MoreExecutors;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.FieldPlace;
import dev.tallyroll.timestamps.Shards.Fields;
import io.grpc.Status;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * A timestamp field, or one of {@link #ofNumbers rising numbers}, whose index takes more than 500
 * writes a second, because a shard field with a random value stands before it in every index.
 * Immutable, so safe for use by many threads.
 *
 * <p>Every write of a document sets the shard field to a {@link #randomShard random value}; every
 * query goes through {@link #query}. The indexes come from {@link TimestampIndexes}: without its
 * exemptions of both single fields, writes are as slow as before.
 *
 * <p><b>From n to m values without downtime.</b> A reader that does not know a value does not see
 * its documents, so readers learn new values before writers use them:
 *
 * <ol>
 *   <li>Deploy {@link #beforeTransition beforeTransition(old, next)} everywhere: it reads the
 *       values of both and writes the old ones.
 *   <li>When no process with {@code old} is left, deploy {@link #transition transition(old, next)}:
 *       it reads both and writes the new ones.
 *   <li>When no process of step 1 is left, call {@link #reshard} until it returns 0, or wait until
 *       the documents with retired values have aged out. Growing, with all old values among the new
 *       ones, has nothing to reshard.
 *   <li>Deploy {@code next} alone.
 * </ol>
 *
 * <p>Going back one step is safe at any time, but not from step 1 to {@code old} alone once step 2
 * has written new values. Page tokens stay good throughout. Shrinking to some of the old values can
 * start with step 2.
 */
public final class ShardedTimestamp {
  /** The most shard values; a page then takes 34 queries. */
  public static final int MAX_VALUES = 1_000;

  /** The writes a second that so many values take: half a million. */
  public static final long MAX_RATE = (long) MAX_VALUES * Shards.WRITES_PER_VALUE;

  /** How many documents one {@link #reshard} writes at most, at the same time. */
  public static final int MAX_RESHARDED = 500;

  /** How many documents one {@link #fill} looks at, and writes, at most. */
  public static final int MAX_FILLED = 500;

  /** The answers to a write of a document that has changed since it was read. */
  private static final Set<Status.Code> CHANGED =
      EnumSet.of(Status.Code.FAILED_PRECONDITION, Status.Code.NOT_FOUND);

  private final Shards read;
  private final Shards written;

  private ShardedTimestamp(Shards read, Shards written) {
    this.read = read;
    this.written = written;
  }

  /**
   * For a sustained rate of writes to the collection: a value per 500 a second, named 0, 1, 2 and
   * so on.
   *
   * @param writesPerSecond 1 to {@link #MAX_RATE 500,000}
   */
  public static ShardedTimestamp forRate(long writesPerSecond) {
    return of(Shards.forRate(writesPerSecond));
  }

  /**
   * With values of the caller's choice.
   *
   * @param values 1 to {@link #MAX_VALUES 1,000} distinct strings, ints or longs
   */
  public static ShardedTimestamp of(List<?> values) {
    return of(Shards.of(values));
  }

  private static ShardedTimestamp of(Shards shards) {
    return new ShardedTimestamp(shards, shards);
  }

  /**
   * The same, with other names for the fields than {@code shard} and {@code timestamp}.
   *
   * @param shardField letters, digits and {@code _}; dots lead into maps
   */
  public ShardedTimestamp withFields(String shardField, String timestampField) {
    return with(new Fields(shardField, timestampField, fields().numbers()));
  }

  /**
   * The same, for a field that holds rising numbers, integers or doubles or both, instead of
   * timestamps. Documents whose field is NaN or no number are left out of every page.
   */
  public ShardedTimestamp ofNumbers() {
    return with(new Fields(shardField(), timestampField(), true));
  }

  private ShardedTimestamp with(Fields fields) {
    return new ShardedTimestamp(read.with(fields), written.with(fields));
  }

  /** The first step of a change of values: reads both, writes the old ones. */
  public static ShardedTimestamp beforeTransition(ShardedTimestamp old, ShardedTimestamp next) {
    return new ShardedTimestamp(both(old, next), old.written);
  }

  /** The second step of a change of values: reads both, writes the new ones. */
  public static ShardedTimestamp transition(ShardedTimestamp old, ShardedTimestamp next) {
    return new ShardedTimestamp(both(old, next), next.written);
  }

  private static Shards both(ShardedTimestamp old, ShardedTimestamp next) {
    Objects.requireNonNull(old, "old");
    return old.read.union(Objects.requireNonNull(next, "next").read);
  }

  /** A value for the shard field of a document that is written now. */
  public Object randomShard() {
    return randomShard(ThreadLocalRandom.current());
  }

  /** As {@link #randomShard()}, with a test's generator. */
  Object randomShard(RandomGenerator random) {
    return written.values().get(random.nextInt(written.values().size()));
  }

  /** The name of the field that each write sets to a {@link #randomShard random value}. */
  public String shardField() {
    return fields().shard();
  }

  /** The name of the field that rises. */
  public String timestampField() {
    return fields().timestamp();
  }

  Fields fields() {
    return read.fields();
  }

  /**
   * Takes a caller's query on any collection or collection group: with any filters, ranges on the
   * timestamp only, and no order, limit or cursor, since pages have their own. Reads nothing yet.
   *
   * @throws UnusableQueryException if the query cannot be sharded, or has more than 30 disjunctions
   */
  public ShardedQuery query(Query base, Direction direction) {
    BaseQuery checked = BaseQuery.of(base, fields());
    String fingerprint = checked.fingerprint(Objects.requireNonNull(direction, "direction"));
    return new ShardedQuery(checked, read, direction, new Tokens(fingerprint));
  }

  /**
   * Gives documents that carry a retired value, oldest first, a new one: the third step of a change
   * of values. A document that is written meanwhile is left for the next call.
   *
   * <p>Costs the reads of one {@link ShardedQuery#page page} over the retired values, and a write
   * each. It needs the index of {@code base} in ascending order.
   *
   * @param base the documents to look at; mostly the whole collection
   * @param limit how many at most, 1 to {@link #MAX_RESHARDED 500}
   * @return how many were found; 0 when all are done
   */
  public ApiFuture<Integer> reshard(Query base, int limit) {
    check(limit, MAX_RESHARDED);
    List<Object> retired = read.minus(written);
    if (retired.isEmpty()) {
      return ApiFutures.immediateFuture(0);
    }
    return ApiFutures.transformAsync(
        of(retired).with(fields()).query(base, Direction.ASCENDING).page(limit),
        page ->
            ApiFutures.transform(
                ApiFutures.allAsList(page.documents().stream().map(this::move).toList()),
                List::size,
                MoreExecutors.directExecutor()),
        MoreExecutors.directExecutor());
  }

  /**
   * Gives the next documents of a collection, in the order of their ids, a shard value if they have
   * none: such a document is in no page. So a collection that exists can be sharded. Begin when
   * every writer sets the shard field; then call with the last id of the call before, until there
   * is none. It may be stopped, and begun again from any id, or from the start. Whatever is in the
   * field's place, or on the way to it, stays.
   *
   * <p>Cost: 1 read a document, at least 1; 1 write for each without a value, and 1 read and 1
   * write more each time that somebody else writes it meanwhile. Needs no index.
   *
   * @param after the id to go on after; empty for the start
   * @param limit how many documents at most, 1 to {@link #MAX_FILLED 500}
   * @return fails with the first write that fails; then call again with the same {@code after}
   */
  public ApiFuture<Filled> fill(CollectionReference collection, String after, int limit) {
    check(limit, MAX_FILLED);
    Query all = collection.orderBy(FieldPath.documentId()).select(field().top()).limit(limit);
    return ApiFutures.transformAsync(
        (after.isEmpty() ? all : all.startAfter(after)).get(),
        page ->
            ApiFutures.transform(
                ApiFutures.allAsList(page.getDocuments().stream().map(this::fill).toList()),
                left ->
                    new Filled(
                        page.getDocuments().stream()
                            .map(DocumentSnapshot::getId)
                            .reduce((a, b) -> b),
                        left.stream().flatMap(Optional::stream).toList()),
                MoreExecutors.directExecutor()),
        MoreExecutors.directExecutor());
  }

  private FieldName field() {
    return FieldName.parse(shardField());
  }

  /**
   * The document's id, if it stays without a value. If it has changed since it was read, reads it
   * again.
   */
  ApiFuture<Optional<String>> fill(DocumentSnapshot document) {
    FieldPlace place = FieldPlace.in(document.getData(), field());
    return place.isEmpty() && document.exists()
        ? ApiFutures.transformAsync(
            move(document),
            done -> done ? ApiFutures.immediateFuture(Optional.empty()) : fillAgain(document),
            MoreExecutors.directExecutor())
        : ApiFutures.immediateFuture(place.hindrance().map(found -> document.getId()));
  }

  private ApiFuture<Optional<String>> fillAgain(DocumentSnapshot document) {
    return ApiFutures.transformAsync(
        document.getReference().get(FieldMask.of(field().top())),
        this::fill,
        MoreExecutors.directExecutor());
  }

  private static void check(int limit, int most) {
    if (limit < 1 || limit > most) {
      throw new IllegalArgumentException("limit: expected 1 to " + most + "; found " + limit);
    }
  }

  /** Writes only the version that was read: another write has already set a new value. */
  ApiFuture<Boolean> move(DocumentSnapshot document) {
    Precondition unchanged = Precondition.updatedAt(document.getUpdateTime());
    return unlessGone(document.getReference().update(unchanged, shardField(), randomShard()));
  }

  /** False if the document has changed, or is gone. */
  private static ApiFuture<Boolean> unlessGone(ApiFuture<WriteResult> write) {
    return ApiFutures.catchingAsync(
        ApiFutures.transform(write, written -> true, MoreExecutors.directExecutor()),
        Exception.class,
        failure ->
            CHANGED.contains(Status.fromThrowable(failure).getCode())
                ? ApiFutures.immediateFuture(false)
                : ApiFutures.immediateFailedFuture(failure),
        MoreExecutors.directExecutor());
  }

  @Override
  public String toString() {
    return "sharded timestamp: '%s' before '%s', reads %s, writes %s"
        .formatted(shardField(), timestampField(), read.values(), written.values());
  }
}
