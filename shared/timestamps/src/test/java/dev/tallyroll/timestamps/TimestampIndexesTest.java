package dev.tallyroll.timestamps;

import static com.google.cloud.firestore.Filter.equalTo;
import static com.google.cloud.firestore.Filter.or;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimestampIndexesTest {
  private final TimestampIndexes none = TimestampIndexes.of(ShardedTimestamp.forRate(1_500));
  private final Query instruments = Offline.FIRESTORE.collection("instruments");

  private String ascending(Query... queries) {
    TimestampIndexes indexes = none;
    for (Query query : queries) {
      indexes = indexes.with(query, Direction.ASCENDING);
    }
    return indexes.toJson();
  }

  @Test
  void query_getsACompositeAndTwoExemptions() {
    String json =
        none.with(instruments.whereEqualTo("price.currency", "USD"), Direction.DESCENDING).toJson();

    assertThat(json.replaceAll("\\s+", " "))
        .isEqualTo(
            """
            { "indexes": [ { "collectionGroup": "instruments", "queryScope": "COLLECTION", \
            "fields": [ \
            { "fieldPath": "shard", "order": "ASCENDING" }, \
            { "fieldPath": "price.currency", "order": "ASCENDING" }, \
            { "fieldPath": "timestamp", "order": "DESCENDING" } ] } ], \
            "fieldOverrides": [ \
            { "collectionGroup": "instruments", "fieldPath": "shard", "indexes": [] }, \
            { "collectionGroup": "instruments", "fieldPath": "timestamp", "indexes": [] } ] } \
            """);
  }

  @Test
  void queriesThatShareAnIndex_getOne() {
    Query query = instruments.whereEqualTo("a", 1).whereEqualTo("b", 1);
    Query other = instruments.whereIn("b", List.of(1, 2)).whereEqualTo("a", 7);

    assertThat(ascending(query, other)).isEqualTo(ascending(query));
  }

  @Test
  void alternatives_getAnIndexEach() {
    Query query = instruments.where(or(equalTo("a", 1), equalTo("b", 1)));

    assertThat(ascending(query.whereArrayContains("c", 1)))
        .isEqualTo(
            ascending(
                instruments.whereEqualTo("a", 1).whereArrayContains("c", 1),
                instruments.whereEqualTo("b", 1).whereArrayContains("c", 1)))
        .contains("\"arrayConfig\": \"CONTAINS\"");
  }

  @Test
  void rangeOfTheTimestamp_needsNothingMore() {
    assertThat(ascending(instruments.whereLessThan("timestamp", Timestamp.MAX_VALUE)))
        .isEqualTo(ascending(instruments));
  }

  @Test
  void pagesInBothDirections_needBothIndexes() {
    assertThat(none.withBothDirections(instruments).toJson())
        .isEqualTo(
            none.with(instruments, Direction.ASCENDING)
                .with(instruments, Direction.DESCENDING)
                .toJson())
        .contains("\"ASCENDING\"", "\"DESCENDING\"");
  }

  @Test
  void collectionGroup_isTheScope() {
    assertThat(ascending(Offline.FIRESTORE.collectionGroup("instruments")))
        .contains("\"queryScope\": \"COLLECTION_GROUP\"");
  }
}
