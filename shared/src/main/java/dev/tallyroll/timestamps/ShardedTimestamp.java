package dev.tallyroll.timestamps;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import java.util.HashSet;
import java.util.List;
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
 * exemptions of both single fields nothing is gained.
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
 * has written new values. Page tokens stay good from each step to the next. Shrinking to some of
 * the old values can start with step 2.
 */
public final class ShardedTimestamp {
  private final Fields fields;
  private final ShardValues read;
  private final ShardValues written;
  private final Set<String> versions;

  private ShardedTimestamp(
      Fields fields, ShardValues read, ShardValues written, Set<String> versions) {
    this.fields = fields;
    this.read = read;
    this.written = written;
    this.versions = Set.copyOf(versions);
  }

  /**
   * For a sustained rate of writes to the collection: a value per 500 a second, named 0, 1, 2 and
   * so on.
   *
   * @param writesPerSecond 1 to 500,000
   */
  public static ShardedTimestamp forRate(long writesPerSecond) {
    return of(ShardValues.forRate(writesPerSecond));
  }

  /**
   * With values of the caller's choice.
   *
   * @param values 1 to 1,000 distinct strings, ints or longs
   */
  public static ShardedTimestamp of(List<?> values) {
    return of(new ShardValues(List.<Object>copyOf(values)));
  }

  private static ShardedTimestamp of(ShardValues values) {
    return new ShardedTimestamp(Fields.DEFAULT, values, values, Set.of(values.version()));
  }

  /**
   * The same, with other names for the fields than {@code shard} and {@code timestamp}.
   *
   * @param shardField letters, digits and {@code _}; dots lead into maps
   */
  public ShardedTimestamp withFields(String shardField, String timestampField) {
    return with(new Fields(shardField, timestampField, fields.kind()));
  }

  /**
   * The same, for a field that holds rising numbers, integers or doubles or both, instead of
   * timestamps. Documents whose field is NaN or no number are left out of every page.
   */
  public ShardedTimestamp ofNumbers() {
    return with(new Fields(fields.shard(), fields.timestamp(), Kind.NUMBER));
  }

  ShardedTimestamp with(Fields other) {
    return new ShardedTimestamp(other, read, written, versions);
  }

  /** The first step of a change of values: reads both, writes the old ones. */
  public static ShardedTimestamp beforeTransition(ShardedTimestamp old, ShardedTimestamp next) {
    return both(old, next, old.written);
  }

  /** The second step of a change of values: reads both, writes the new ones. */
  public static ShardedTimestamp transition(ShardedTimestamp old, ShardedTimestamp next) {
    return both(old, next, next.written);
  }

  private static ShardedTimestamp both(
      ShardedTimestamp old, ShardedTimestamp next, ShardValues written) {
    if (!old.fields.equals(next.fields)) {
      throw new IllegalArgumentException(
          "transition: expected the same fields; found " + old.fields + " and " + next.fields);
    }
    Set<String> versions = new HashSet<>(old.versions);
    versions.addAll(next.versions);
    return new ShardedTimestamp(old.fields, old.read.union(next.read), written, versions);
  }

  /** A value for the shard field of a document that is written now. */
  public Object randomShard() {
    return randomShard(ThreadLocalRandom.current());
  }

  /** As {@link #randomShard()}, by the caller's randomness. */
  public Object randomShard(RandomGenerator random) {
    return written.values().get(random.nextInt(written.values().size()));
  }

  /** The name of the field that each write sets to a {@link #randomShard random value}. */
  public String shardField() {
    return fields.shard();
  }

  /** The name of the field that rises. */
  public String timestampField() {
    return fields.timestamp();
  }

  Fields fields() {
    return fields;
  }

  /**
   * Takes a caller's query on any collection or collection group: filters as they come, ranges on
   * the timestamp only, and no order, limit or cursor, as pages bring their own. Reads nothing yet.
   *
   * @throws UnusableQueryException if the query has what cannot be sharded, or more than 30
   *     disjunctions
   */
  public ShardedQuery query(Query base, Direction direction) {
    BaseQuery checked = BaseQuery.of(base, fields);
    Tokens tokens = new Tokens(checked.fingerprint(fields, direction), written.version(), versions);
    return new ShardedQuery(new ChunkQueries(checked, fields, read), direction, tokens);
  }

  /**
   * Gives documents that carry a retired value, oldest first, a new one: the third step of a change
   * of values. A document that is written meanwhile is left for the next call.
   *
   * <p>Costs the reads of one {@link ShardedQuery#page page} over the retired values, and a write
   * each. It needs the index of that query, so of {@code base} in ascending order.
   *
   * @param base the documents to look at; mostly the whole collection
   * @param limit how many at most, 1 to 500
   * @return how many were found; 0 when all are done
   */
  public ApiFuture<Integer> reshard(Query base, int limit) {
    return new Resharding(fields, read.minus(written), this::randomShard).run(base, limit);
  }
}
