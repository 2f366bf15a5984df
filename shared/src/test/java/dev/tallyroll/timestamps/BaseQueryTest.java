package dev.tallyroll.timestamps;

import static com.google.cloud.firestore.Filter.and;
import static com.google.cloud.firestore.Filter.arrayContainsAny;
import static com.google.cloud.firestore.Filter.equalTo;
import static com.google.cloud.firestore.Filter.inArray;
import static com.google.cloud.firestore.Filter.lessThan;
import static com.google.cloud.firestore.Filter.or;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OfflineFirestore.class)
class BaseQueryTest {
  private final Firestore firestore;
  private final CollectionReference instruments;

  BaseQueryTest(Firestore firestore) {
    this.firestore = firestore;
    this.instruments = firestore.collection("instruments");
  }

  private static int valuesPerQuery(Query query) {
    return BaseQuery.of(query, Fields.DEFAULT).valuesPerQuery();
  }

  private static List<Integer> values(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  @Test
  void disjunctions_takeRoomFromTheShardValues() {
    assertThat(valuesPerQuery(instruments)).isEqualTo(30);
    assertThat(valuesPerQuery(instruments.whereEqualTo("a", 1).whereEqualTo("b", null)))
        .isEqualTo(30);
    assertThat(valuesPerQuery(instruments.whereIn("a", values(4)))).isEqualTo(7);
    assertThat(valuesPerQuery(instruments.whereArrayContainsAny("a", values(30)))).isEqualTo(1);
    assertThat(valuesPerQuery(instruments.whereIn("a", values(5)).whereIn("b", values(3))))
        .isEqualTo(2);
    assertThat(
            valuesPerQuery(
                instruments.where(
                    or(
                        equalTo("a", 1),
                        and(inArray("b", values(2)), arrayContainsAny("c", List.of(1, 2)))))))
        .isEqualTo(6);
  }

  @Test
  void tooManyDisjunctions_areRefused() {
    assertRefused(instruments.whereIn("a", values(31)), "at most 30 disjunctions");
    Query product = instruments;
    for (int i = 0; i < 40; i++) {
      product = product.where(or(equalTo("a" + i, 1), equalTo("b" + i, 1)));
    }
    assertRefused(product, "at most 30 disjunctions");
  }

  @Test
  void whatPagesBringThemselves_isRefused() {
    assertRefused(
        instruments.orderBy("price"),
        "no orderBy(), as the timestamp gives the order; found one by 'price'");
    assertRefused(instruments.limit(5), "no limit(), as the page has one; found 5");
    assertRefused(instruments.limitToLast(5), "limit");
    assertRefused(instruments.offset(5), "no offset()");
    assertRefused(instruments.orderBy("price").startAt(7), "no orderBy()");
    assertRefused(instruments.select("price"), "a select() with 'timestamp'");
  }

  @Test
  void filtersThatCannotBeMerged_areRefused() {
    assertRefused(instruments.whereEqualTo("shard", 1), "no filter on 'shard'");
    assertRefused(instruments.whereGreaterThan("price", 1), "found one on 'price'");
    assertRefused(instruments.whereNotEqualTo("price", 1), "found one on 'price'");
    assertRefused(instruments.whereNotEqualTo("price", null), "found one on 'price'");
    assertRefused(instruments.whereNotIn("price", List.of(1)), "no not-in");
    assertRefused(instruments.where(or(equalTo("a", 1), lessThan("b", 1))), "found one on 'b'");
  }

  @Test
  void rangesOfTheTimestampAndProjectionsWithIt_areTaken() {
    assertThat(
            valuesPerQuery(
                instruments
                    .whereGreaterThan("timestamp", Timestamp.MIN_VALUE)
                    .whereLessThan("timestamp", Timestamp.MAX_VALUE)
                    .select("price", "timestamp")))
        .isEqualTo(30);
  }

  @Test
  void fingerprint_isOfTheQuery() {
    Query query = instruments.whereEqualTo("a", 1);

    assertThat(fingerprint(query)).isEqualTo(fingerprint(instruments.whereEqualTo("a", 1)));
    assertThat(
            List.of(
                fingerprint(query),
                fingerprint(instruments),
                fingerprint(instruments.whereEqualTo("a", 2)),
                fingerprint(instruments.whereEqualTo("b", 1)),
                fingerprint(firestore.collection("other").whereEqualTo("a", 1)),
                fingerprint(firestore.collection("r/1/instruments").whereEqualTo("a", 1)),
                fingerprint(firestore.collectionGroup("instruments").whereEqualTo("a", 1)),
                BaseQuery.of(query, Fields.DEFAULT)
                    .fingerprint(Fields.DEFAULT, Direction.DESCENDING)))
        .doesNotHaveDuplicates();
  }

  @Test
  void fingerprintOfMaps_doesNotDependOnTheirOrder() {
    Map<String, Object> forwards = new LinkedHashMap<>();
    Map<String, Object> backwards = new LinkedHashMap<>();
    IntStream.range(0, 50).forEach(i -> forwards.put("k" + i, i));
    IntStream.range(0, 50).map(i -> 49 - i).forEach(i -> backwards.put("k" + i, i));

    assertThat(fingerprint(instruments.whereEqualTo("a", forwards)))
        .isEqualTo(fingerprint(instruments.whereEqualTo("a", backwards)));
  }

  private static String fingerprint(Query query) {
    return BaseQuery.of(query, Fields.DEFAULT).fingerprint(Fields.DEFAULT, Direction.ASCENDING);
  }

  private static void assertRefused(Query query, String message) {
    assertThatThrownBy(() -> ShardedTimestamp.forRate(1).query(query, Direction.ASCENDING))
        .isInstanceOf(UnusableQueryException.class)
        .hasMessageStartingWith("query: expected ")
        .hasMessageContaining(message);
  }
}
