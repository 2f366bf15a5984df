package dev.tallyroll.timestamps;

import static com.google.cloud.firestore.Filter.equalTo;
import static com.google.cloud.firestore.Filter.or;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query.Direction;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OfflineFirestore.class)
class TimestampIndexesTest {
  private final TimestampIndexes none = TimestampIndexes.of(ShardedTimestamp.forRate(1_500));
  private final Firestore firestore;
  private final CollectionReference instruments;

  TimestampIndexesTest(Firestore firestore) {
    this.firestore = firestore;
    this.instruments = firestore.collection("instruments");
  }

  @Test
  void query_getsACompositeAndTwoExemptions() {
    String json =
        none.with(instruments.whereEqualTo("price.currency", "USD"), Direction.DESCENDING).toJson();

    assertThat(json)
        .isEqualTo(
            """
            {
              "indexes": [
                {
                  "collectionGroup": "instruments",
                  "queryScope": "COLLECTION",
                  "fields": [
                    {
                      "fieldPath": "shard",
                      "order": "ASCENDING"
                    },
                    {
                      "fieldPath": "price.currency",
                      "order": "ASCENDING"
                    },
                    {
                      "fieldPath": "timestamp",
                      "order": "DESCENDING"
                    }
                  ]
                }
              ],
              "fieldOverrides": [
                {
                  "collectionGroup": "instruments",
                  "fieldPath": "shard",
                  "indexes": []
                },
                {
                  "collectionGroup": "instruments",
                  "fieldPath": "timestamp",
                  "indexes": []
                }
              ]
            }
            """);
  }

  @Test
  void queriesThatShareAnIndex_getOne() {
    TimestampIndexes indexes =
        none.with(instruments.whereEqualTo("a", 1).whereEqualTo("b", 1), Direction.ASCENDING);

    assertThat(
            indexes
                .with(
                    instruments.whereIn("b", List.of(1, 2)).whereEqualTo("a", 7),
                    Direction.ASCENDING)
                .toJson())
        .isEqualTo(indexes.toJson());
  }

  @Test
  void alternatives_getAnIndexEach() {
    var or = instruments.where(or(equalTo("a", 1), equalTo("b", 1))).whereArrayContains("c", 1);

    assertThat(none.with(or, Direction.ASCENDING).toJson())
        .isEqualTo(
            none.with(
                    instruments.whereEqualTo("a", 1).whereArrayContains("c", 1),
                    Direction.ASCENDING)
                .with(
                    instruments.whereEqualTo("b", 1).whereArrayContains("c", 1),
                    Direction.ASCENDING)
                .toJson())
        .contains("\"arrayConfig\": \"CONTAINS\"");
  }

  @Test
  void rangeOfTheTimestamp_needsNothingMore() {
    assertThat(
            none.with(
                    instruments.whereLessThan("timestamp", Timestamp.MAX_VALUE),
                    Direction.DESCENDING)
                .toJson())
        .isEqualTo(none.with(instruments, Direction.DESCENDING).toJson());
  }

  @Test
  void pagesInBothDirections_needBothIndexes() {
    assertThat(none.withBothDirections(instruments).toJson())
        .isEqualTo(
            none.with(instruments, Direction.ASCENDING)
                .with(instruments, Direction.DESCENDING)
                .toJson());
  }

  @Test
  void collectionGroup_isTheScope() {
    assertThat(none.with(firestore.collectionGroup("instruments"), Direction.ASCENDING).toJson())
        .contains("\"queryScope\": \"COLLECTION_GROUP\"");
  }
}
