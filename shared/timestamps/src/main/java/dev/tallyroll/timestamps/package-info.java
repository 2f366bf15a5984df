/**
 * Sharded timestamps: writes to a collection with a rising field, a time or a number, past 500 a
 * second.
 *
 * <p>A random shard value beside the rising field spreads the index; queries run once per chunk of
 * shard values and are merged. {@link dev.tallyroll.timestamps.ShardedTimestamp} is the way in:
 *
 * <pre>{@code
 * import com.google.cloud.Timestamp;
 * import com.google.cloud.firestore.*;
 * import dev.tallyroll.timestamps.*;
 * import java.util.Map;
 *
 * ShardedTimestamp time = ShardedTimestamp.forRate(1_500); // writes a second: three shard values
 * CollectionReference prices = firestore.collection("prices");
 * Object shard = time.randomShard();
 * prices.add(Map.of("type", "bond", "timestamp", Timestamp.now(), "shard", shard)).get();
 *
 * Query bonds = prices.whereEqualTo("type", "bond");
 * ShardedQuery newest = time.query(bonds, Query.Direction.DESCENDING);
 * Page page = newest.page(5).get(); // one query, at most six reads
 * if (page.next().isPresent()) {
 *   page = newest.page(5, page.next().get()).get();
 * }
 *
 * // What to add to your firestore.indexes.json; the filters' values do not matter.
 * String indexes = TimestampIndexes.of(time).with(bonds, Query.Direction.DESCENDING).toJson();
 * }</pre>
 */
@NullMarked
package dev.tallyroll.timestamps;

import org.jspecify.annotations.NullMarked;
