package dev.tallyroll.timestamps;

import com.google.api.core.ApiFuture;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import com.google.cloud.firestore.WriteResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The example of Google's page on sharded timestamps, with this library: a collection of price
 * updates that takes 1,500 writes a second and is queried by type, by exchange and by currency,
 * newest first. Thread-safe.
 */
final class Instruments {
  /**
   * 1,000 to 1,500 updates a second: three values. {@code forRate(1_500)} would name them 0 to 2.
   */
  static final ShardedTimestamp TIMESTAMP = ShardedTimestamp.of(List.of("x", "y", "z"));

  /** A price of an instrument, in millionths of a currency, at a time. */
  record PriceUpdate(
      String symbol,
      String currency,
      long micros,
      String exchange,
      String instrumentType,
      Timestamp timestamp) {

    /** The fields as they are without sharding. */
    Map<String, Object> fields() {
      return Map.of(
          "symbol", symbol,
          "price", Map.of("currency", currency, "micros", micros),
          "exchange", exchange,
          "instrumentType", instrumentType,
          "timestamp", timestamp);
    }
  }

  private final CollectionReference collection;

  Instruments(CollectionReference collection) {
    this.collection = collection;
  }

  /** Writes as ever, and a random shard value beside. */
  ApiFuture<WriteResult> write(String id, PriceUpdate update) {
    var document = new HashMap<>(update.fields());
    document.put(TIMESTAMP.shardField(), TIMESTAMP.randomShard());
    return collection.document(id).set(document);
  }

  ShardedQuery ofType(String instrumentType) {
    return newestFirst(collection.whereEqualTo("instrumentType", instrumentType));
  }

  ShardedQuery onExchange(String exchange) {
    return newestFirst(collection.whereEqualTo("exchange", exchange));
  }

  ShardedQuery inCurrency(String currency) {
    return newestFirst(collection.whereEqualTo("price.currency", currency));
  }

  private static ShardedQuery newestFirst(Query query) {
    return TIMESTAMP.query(query, Direction.DESCENDING);
  }

  /** The {@code firestore.indexes.json} of the three queries; the values in them do not matter. */
  String indexes() {
    return TimestampIndexes.of(TIMESTAMP)
        .with(collection.whereEqualTo("exchange", ""), Direction.DESCENDING)
        .with(collection.whereEqualTo("instrumentType", ""), Direction.DESCENDING)
        .with(collection.whereEqualTo("price.currency", ""), Direction.DESCENDING)
        .toJson();
  }
}
