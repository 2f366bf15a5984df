package dev.tallyroll.timestamps;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query.Direction;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.LocalCloud;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goes from n to m values: at every step, queries find all documents, and pages continue. */
@On(Site.SHARED)
@Tag("core")
final class TransitionIT {
  private static final int EACH = 12;
  private static final ShardedTimestamp OLD = ShardedTimestamp.of(List.of("x", "y", "z"));
  private static final ShardedTimestamp NEXT = ShardedTimestamp.of(List.of("z", "u", "v"));
  private static final ShardedTimestamp BEFORE = ShardedTimestamp.beforeTransition(OLD, NEXT);
  private static final ShardedTimestamp DURING = ShardedTimestamp.transition(OLD, NEXT);

  private final List<String> written = new ArrayList<>();
  @AutoClose private final Firestore firestore;
  private final CollectionReference collection;

  TransitionIT(LocalCloud cloud) {
    firestore = cloud.openFirestore();
    collection = firestore.collection("transition-" + UUID.randomUUID());
  }

  private void write(ShardedTimestamp by) throws Exception {
    WriteBatch batch = firestore.batch();
    for (int i = 0; i < EACH; i++) {
      int time = written.size();
      String id = "d%03d".formatted(time);
      batch.set(
          collection.document(id),
          Map.of("timestamp", TwinCollections.time(time), "shard", by.randomShard()));
      written.add(id);
    }
    get(batch.commit());
  }

  private void write(String id, Object time) throws Exception {
    get(collection.document(id).set(Map.of("timestamp", time, "shard", "x", "price", 7)));
  }

  private static List<String> ids(Page page) {
    return page.documents().stream().map(DocumentSnapshot::getId).toList();
  }

  private Page read(ShardedTimestamp by, int limit) throws Exception {
    return get(by.query(collection, Direction.ASCENDING).page(limit));
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
      found = get(DURING.reshard(collection, 7));
    }
  }

  @Test
  void resharding_leavesTheRestOfTheDocumentAlone() throws Exception {
    write("d", TwinCollections.time(0));

    int found = get(DURING.reshard(collection, 500));

    DocumentSnapshot after = get(collection.document("d").get());
    assertThat(found).isEqualTo(1);
    assertThat(after.getLong("price")).isEqualTo(7);
    assertThat(after.getString("shard")).isIn("z", "u", "v");
    assertThat(get(DURING.reshard(collection, 500))).isZero();
  }

  @Test
  void documentThatHasChanged_isNotResharded() throws Exception {
    write("changed", TwinCollections.time(0));
    write("deleted", TwinCollections.time(1));
    List<QueryDocumentSnapshot> stale = read(OLD, 2).documents();
    write("changed", TwinCollections.time(2));
    get(collection.document("deleted").delete());

    for (QueryDocumentSnapshot document : stale) {
      assertThat(get(DURING.move(document))).isFalse();
    }

    assertThat(get(collection.document("changed").get()).getString("shard")).isEqualTo("x");
    assertThat(get(collection.document("deleted").get()).exists()).isFalse();
  }

  @Test
  void tokens_areGoodAtEveryStep() throws Exception {
    write(OLD);
    List<String> tokens = new ArrayList<>();

    for (ShardedTimestamp by : List.of(OLD, BEFORE, DURING)) {
      tokens.add(read(by, 5).next().orElseThrow());
    }
    assertGood(tokens, List.of(OLD, BEFORE, DURING));
    reshardAll();
    tokens.add(read(NEXT, 5).next().orElseThrow());
    assertGood(tokens, List.of(DURING, NEXT));
  }

  private void assertGood(List<String> tokens, List<ShardedTimestamp> steps) throws Exception {
    for (ShardedTimestamp step : steps) {
      for (String token : tokens) {
        Page page = get(step.query(collection, Direction.ASCENDING).page(5, token));
        assertThat(ids(page)).isEqualTo(written.subList(5, 10));
      }
    }
  }

  @Test
  void valuesOfTheOtherKind_areLeftOut() throws Exception {
    write("nan", Double.NaN);
    write("string", "7");
    write("time", TwinCollections.time(7));
    write("a", Double.NEGATIVE_INFINITY);
    write("b", -1);
    write("c", 0.5);

    assertThat(ids(read(OLD.ofNumbers(), 100))).containsExactly("a", "b", "c");
    assertThat(ids(read(OLD, 100))).containsExactly("time");
  }

  @Test
  void numbers_areReshardedToo() throws Exception {
    write("a", 1);
    write("b", 1.5);

    int moved = get(DURING.ofNumbers().reshard(collection, 100));

    assertThat(moved).isEqualTo(2);
    assertThat(ids(read(NEXT.ofNumbers(), 100))).containsExactly("a", "b");
  }

  /** Stopped after each page, and begun again; documents that have a value keep it. */
  @Test
  void collectionThatExists_isFilledPageByPage() throws Exception {
    for (int i = 0; i < 20; i++) {
      var time = Map.of("timestamp", TwinCollections.time(i), "price", i);
      get(collection.document("old%02d".formatted(i)).set(time));
    }
    write("old17", TwinCollections.time(17));
    get(collection.document("old19").update("shard", "w"));
    assertThat(ids(read(OLD, 100))).containsExactly("old17");

    List<String> looked = new ArrayList<>();
    Optional<String> last = Optional.of("");
    while (last.isPresent()) {
      last = get(OLD.fill(collection, last.get(), 8)).last();
      last.ifPresent(looked::add);
    }

    assertThat(looked).containsExactly("old07", "old15", "old19");
    assertThat(ids(read(OLD, 100))).hasSize(19).doesNotContain("old19");
    DocumentSnapshot first = get(collection.document("old00").get());
    assertThat(first.getData()).hasSize(3).containsEntry("price", 0L);
    assertThat(first.getString("shard")).isIn("x", "y", "z");
    assertThat(get(collection.document("old17").get()).getString("shard")).isEqualTo("x");
  }

  /** The app's own values stay, in the field's place and on the way to it, and are told of. */
  @Test
  void valuesInTheWay_stayAndAreTold() throws Exception {
    ShardedTimestamp nested = OLD.withFields("meta.shard", "timestamp");
    Map<String, Map<String, Object>> found = new HashMap<>();
    found.put("text", Map.of("meta", "a text of the app's"));
    found.put("list", Map.of("meta", List.of(1L, 2L)));
    found.put("null", Collections.singletonMap("meta", null));
    found.put("null-there", Map.of("meta", Collections.singletonMap("shard", null)));
    found.put("value", Map.of("meta", Map.of("shard", 7L)));
    found.put("free", Map.of("meta", Map.of("other", true)));
    for (var each : found.entrySet()) {
      get(collection.document(each.getKey()).set(each.getValue()));
    }

    Filled page = get(nested.fill(collection, "", 500));

    assertThat(page.left()).containsExactlyInAnyOrder("text", "list", "null", "null-there");
    found.remove("free");
    for (var each : found.entrySet()) {
      assertThat(get(collection.document(each.getKey()).get()).getData())
          .isEqualTo(each.getValue());
    }
    DocumentSnapshot free = get(collection.document("free").get());
    assertThat(free.getBoolean("meta.other")).isTrue();
    assertThat(free.getString("meta.shard")).isIn("x", "y", "z");
  }

  /** Else it would replace a text that has just come, or leave the document in no page. */
  @Test
  void documentThatIsWrittenMeanwhile_isReadAgain() throws Exception {
    get(collection.document("a").set(Map.of("price", 1L)));
    DocumentSnapshot before = get(collection.document("a").get());
    get(collection.document("a").set(Map.of("price", 2L)));

    assertThat(get(OLD.fill(before))).isEmpty();

    DocumentSnapshot after = get(collection.document("a").get());
    assertThat(after.getString("shard")).isIn("x", "y", "z");
    assertThat(after.getLong("price")).isEqualTo(2);
  }
}
