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
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import dev.tallyroll.timestamps.Shards.Fields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BaseQueryTest {
  private final CollectionReference instruments = Offline.FIRESTORE.collection("instruments");

  private static BaseQuery base(Query query) {
    return BaseQuery.of(query, Fields.DEFAULT);
  }

  private static List<Integer> values(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  private static void assertRoomFor(int expected, Query query) {
    assertThat(base(query).valuesPerQuery()).isEqualTo(expected);
  }

  @Test
  void disjunctions_takeRoomFromTheShardValues() {
    assertRoomFor(30, instruments);
    assertRoomFor(30, instruments.whereEqualTo("a", 1).whereEqualTo("b", null));
    assertRoomFor(30, instruments.whereEqualTo("a", values(7)));
    assertRoomFor(7, instruments.whereIn("a", values(4)));
    assertRoomFor(1, instruments.whereArrayContainsAny("a", values(30)));
    assertRoomFor(2, instruments.whereIn("a", values(5)).whereIn("b", values(3)));
    var six = or(equalTo("a", 1), and(inArray("b", values(2)), arrayContainsAny("c", values(2))));
    assertRoomFor(6, instruments.where(six));
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
        "no orderBy() or cursor, as the timestamp gives the order; found one by 'price'");
    assertRefused(instruments.limit(5), "no limit(), as the page has one; found 5");
    assertRefused(instruments.limitToLast(5), "limit");
    assertRefused(instruments.offset(5), "no offset()");
    assertRefused(instruments.orderBy("price").startAt(7), "cursor");
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
    Query range = instruments.whereGreaterThan("timestamp", Timestamp.MIN_VALUE);

    assertRoomFor(30, range.whereLessThan("timestamp", Timestamp.MAX_VALUE));
    assertRoomFor(30, instruments.select("price", "timestamp"));
    assertThat(BaseQuery.of(instruments.select("at"), new Fields("shard", "at.time", false)))
        .isNotNull();
  }

  @Test
  void fingerprint_isOfTheQuery() {
    Query query = instruments.whereEqualTo("a", 1);
    Fields fields = Fields.DEFAULT;

    assertThat(fingerprint(query, fields, Direction.ASCENDING))
        .isEqualTo(
            fingerprint(instruments.whereEqualTo("a", 1), Fields.DEFAULT, Direction.ASCENDING));
    assertThat(
            Stream.of(
                    Stream.of(
                            query,
                            instruments,
                            instruments.whereEqualTo("a", 2),
                            instruments.whereEqualTo("b", 1),
                            Offline.FIRESTORE.collection("other").whereEqualTo("a", 1),
                            Offline.FIRESTORE.collection("r/1/instruments").whereEqualTo("a", 1),
                            Offline.FIRESTORE.collectionGroup("instruments").whereEqualTo("a", 1))
                        .map(other -> fingerprint(other, fields, Direction.ASCENDING)),
                    Stream.of(
                            new Fields("lane", "timestamp", false),
                            new Fields("shard", "time", false),
                            new Fields("shard", "timestamp", true))
                        .map(other -> fingerprint(query, other, Direction.ASCENDING)),
                    Stream.of(fingerprint(query, fields, Direction.DESCENDING)))
                .flatMap(part -> part))
        .doesNotHaveDuplicates();
  }

  @Test
  void fingerprintOfMaps_doesNotDependOnTheirOrder() {
    Map<String, Object> forwards = new LinkedHashMap<>();
    Map<String, Object> backwards = new LinkedHashMap<>();
    IntStream.range(0, 50).forEach(i -> forwards.put("k" + i, i));
    IntStream.range(0, 50).map(i -> 49 - i).forEach(i -> backwards.put("k" + i, i));

    assertThat(
            Stream.of(forwards, backwards)
                .map(map -> instruments.whereEqualTo("a", map))
                .map(query -> fingerprint(query, Fields.DEFAULT, Direction.ASCENDING))
                .distinct())
        .hasSize(1);
  }

  private static String fingerprint(Query query, Fields fields, Direction direction) {
    return BaseQuery.of(query, fields).fingerprint(direction);
  }

  private static void assertRefused(Query query, String message) {
    assertThatThrownBy(() -> ShardedTimestamp.forRate(1).query(query, Direction.ASCENDING))
        .isInstanceOf(UnusableQueryException.class)
        .hasMessageStartingWith("query: expected ")
        .hasMessageContaining(message);
  }
}
