package dev.tallyroll.timestamps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query.Direction;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** From n to m values: at every step all documents are seen, and pages go on. */
@ExtendWith(SharedCloud.class)
final class TransitionIT {
  private static final int EACH = 12;
  private static final ShardedTimestamp OLD = ShardedTimestamp.of(List.of("x", "y", "z"));
  private static final ShardedTimestamp NEXT = ShardedTimestamp.of(List.of("z", "u", "v"));
  private static final ShardedTimestamp BEFORE = ShardedTimestamp.beforeTransition(OLD, NEXT);
  private static final ShardedTimestamp DURING = ShardedTimestamp.transition(OLD, NEXT);

  private final List<String> written = new ArrayList<>();
  private Firestore firestore;
  private CollectionReference collection;

  @BeforeEach
  void connect(LocalCloud cloud) {
    firestore = cloud.openFirestore();
    collection = firestore.collection("transition-" + UUID.randomUUID());
  }

  @AfterEach
  void disconnect() throws Exception {
    firestore.close();
  }

  private void write(ShardedTimestamp by) throws Exception {
    for (int i = 0; i < EACH; i++) {
      int time = written.size();
      String id = "d%03d".formatted(time);
      Await.of(
          collection
              .document(id)
              .set(Map.of("timestamp", TwinCollections.time(time), "shard", by.randomShard())));
      written.add(id);
    }
  }

  private static List<String> ids(Page page) {
    return page.documents().stream().map(DocumentSnapshot::getId).toList();
  }

  private Page read(ShardedTimestamp by, int limit) throws Exception {
    return Await.of(by.query(collection, Direction.ASCENDING).page(limit));
  }

  @Test
  void everyStep_seesWhatItsNeighboursWrite() throws Exception {
    write(OLD);
    write(BEFORE);
    assertThat(ids(read(OLD, 100))).isEqualTo(written);
    write(DURING);
    assertThat(ids(read(BEFORE, 100))).isEqualTo(written);
    assertThat(ids(read(DURING, 100))).isEqualTo(written);

    reshardAll();
    write(NEXT);

    assertThat(ids(read(NEXT, 100))).isEqualTo(written);
    assertThat(ids(read(DURING, 100))).isEqualTo(written);
  }

  private void reshardAll() throws Exception {
    int most = written.size();
    for (int found = most, calls = 0; found > 0; calls++) {
      assertThat(calls).as("calls").isLessThanOrEqualTo(most);
      found = Await.of(DURING.reshard(collection, 7));
    }
  }

  @Test
  void resharding_leavesTheRestOfTheDocumentAlone() throws Exception {
    Await.of(
        collection
            .document("d")
            .set(Map.of("timestamp", Timestamp.MIN_VALUE, "shard", "x", "price", 7)));

    int found = Await.of(DURING.reshard(collection, 500));

    DocumentSnapshot after = Await.of(collection.document("d").get());
    assertThat(found).isEqualTo(1);
    assertThat(after.getLong("price")).isEqualTo(7);
    assertThat(after.getString("shard")).isIn("z", "u", "v");
    assertThat(Await.of(DURING.reshard(collection, 500))).isZero();
  }

  @Test
  void tokens_areGoodFromStepToStep() throws Exception {
    write(OLD);

    assertContinues(OLD, BEFORE);
    assertContinues(BEFORE, OLD);
    assertContinues(BEFORE, DURING);
    assertContinues(DURING, BEFORE);
    reshardAll();
    assertContinues(DURING, NEXT);
    assertContinues(NEXT, DURING);
  }

  private void assertContinues(ShardedTimestamp from, ShardedTimestamp to) throws Exception {
    String token = read(from, 5).next().orElseThrow();

    Page page = Await.of(to.query(collection, Direction.ASCENDING).page(5, token));

    assertThat(ids(page)).isEqualTo(written.subList(5, 10));
  }

  @Test
  void tokenFromBeforeTheLastTransition_isRefused() throws Exception {
    write(OLD);
    String token = read(OLD, 5).next().orElseThrow();

    assertThatThrownBy(() -> NEXT.query(collection, Direction.ASCENDING).page(5, token))
        .isInstanceOfSatisfying(
            UnusableTokenException.class,
            refusal ->
                assertThat(refusal.reason()).isEqualTo(UnusableTokenException.Reason.OTHER_VALUES));
  }

  @Test
  void documentWithoutATimestamp_isLeftOut() throws Exception {
    write(OLD);
    Await.of(collection.document("string").set(Map.of("timestamp", "today", "shard", "x")));
    Await.of(collection.document("number").set(Map.of("timestamp", 7, "shard", "y")));

    assertThat(ids(read(OLD, 100))).isEqualTo(written);
  }

  @Test
  void documentWithoutANumber_isLeftOutOfNumbers() throws Exception {
    Map<String, Object> others =
        Map.of("nan", Double.NaN, "string", "7", "time", TwinCollections.time(7));
    Map<String, Object> numbers = Map.of("a", Double.NEGATIVE_INFINITY, "b", -1, "c", 0.5);
    for (var values : List.of(others, numbers)) {
      for (var value : values.entrySet()) {
        Await.of(
            collection
                .document(value.getKey())
                .set(Map.of("timestamp", value.getValue(), "shard", "x")));
      }
    }

    assertThat(ids(read(OLD.ofNumbers(), 100))).containsExactly("a", "b", "c");
    assertThat(ids(read(OLD, 100))).containsExactly("time");
  }

  @Test
  void numbers_areReshardedToo() throws Exception {
    for (int number = 0; number < EACH; number++) {
      Await.of(collection.document("d" + number).set(Map.of("timestamp", number, "shard", "x")));
    }

    int moved = Await.of(DURING.ofNumbers().reshard(collection, 100));

    assertThat(moved).isEqualTo(EACH);
    assertThat(ids(read(NEXT.ofNumbers(), 100))).hasSize(EACH);
  }
}
