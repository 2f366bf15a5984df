package dev.tallyroll.library;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.CounterReader;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.firestore.CounterOptions;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.LocalCloud;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Readers of documents that users write, such as ratings: each is a shard. */
@On(Site.SHARED)
@Tag("core")
final class DocumentsAsShardsIT {
  private static final Timestamp AS_OF = Timestamp.ofTimeSecondsAndNanos(1, 0);
  private static final Duration SOON = Duration.ofMinutes(1);

  private final TestClient client;
  private final String post = "p-" + UUID.randomUUID();

  DocumentsAsShardsIT(LocalCloud cloud) {
    client = new TestClient(cloud);
  }

  @AfterEach
  void close() {
    client.close();
  }

  /** With the real functions, and without a counter's document. */
  @Test
  void ratings_areCountedSummedAndAveraged() throws Exception {
    CollectionReference ratings = client.firestore().collection("counters/" + post + "/shards");
    CounterReader reader = FirestoreCounters.of(client.firestore()).reader(post);
    List<RolledUpTotal> heard = new CopyOnWriteArrayList<>(List.of(RolledUpTotal.NONE));
    var registration = reader.listen(heard::add, ended -> {});

    get(ratings.document("alice").set(Map.of("count", 5, "text", "good")));
    assertThat(after(ratings.document("bob").set(Map.of("count", 2)), reader)).isEqualTo("7 of 2");
    await("the average to be heard").until(() -> last(heard).average() == 3.5);
    assertThat(after(ratings.document("bob").set(Map.of("count", 4)), reader)).isEqualTo("9 of 2");
    assertThat(after(ratings.document("alice").delete(), reader)).isEqualTo("4 of 1");
    await("the number to be heard").until(() -> last(heard).number() == 1);
    get(ratings.document("bob").delete());

    await("that none is left to be heard").until(() -> last(heard).number() == 0);
    assertThat(text(last(heard))).isEqualTo("0 of 0");
    registration.remove();
  }

  private static String after(ApiFuture<WriteResult> write, CounterReader reader) throws Exception {
    Instant committed = get(write).getUpdateTime().toSqlTimestamp().toInstant();
    return text(get(reader.awaitTotal(committed, SOON)));
  }

  private static RolledUpTotal last(List<RolledUpTotal> heard) {
    return heard.get(heard.size() - 1);
  }

  private static String text(RolledUpTotal total) {
    return total.total() + " of " + total.number();
  }

  /** Several deployments over one document have roll-ups of their own each. */
  @Test
  void reader_readsTheRollupOfItsOwnCollection() throws Exception {
    assertThat(get(reader("likes").total())).isEqualTo(RolledUpTotal.NONE);

    rollUp("likes", Map.of("count", 3, "shards", 3));
    rollUp("stars", Map.of("count", 13.5, "shards", 3));

    assertThat(text(get(reader("likes").total()))).isEqualTo("3 of 3");
    assertThat(get(reader("likes").total()).average()).isEqualTo(1);
    assertThat(text(get(reader("stars").total()))).isEqualTo("13.5 of 3");
    assertThat(get(reader("stars").total()).average()).isEqualTo(4.5);
    assertThat(get(reader("stars").total()).asOf()).isEqualTo(Instant.ofEpochSecond(1));
  }

  @Test
  void documentsThatHaveAllGone_areATotalOfZero() throws Exception {
    rollUp("likes", Map.of("count", 0, "shards", 0));

    RolledUpTotal total = get(reader("likes").total());

    assertThat(total.exists()).isTrue();
    assertThat(text(total)).isEqualTo("0 of 0");
    assertThat(total.average()).isZero();
  }

  @Test
  void damagedRollup_hasNoAverage() throws Exception {
    rollUp("likes", Map.of("count", 3, "shards", "three"));
    assertThat(text(get(reader("likes").total()))).isEqualTo("3 of 0");
    assertThat(get(reader("likes").total()).average()).isZero();

    rollUp("likes", Map.of("count", Double.NaN, "shards", 2));
    assertThatThrownBy(() -> get(reader("likes").total()).average())
        .isInstanceOf(ArithmeticException.class);

    rollUp("likes", Map.of("count", 3, "shards", 3, "counter", "other_posts/" + post));
    assertThat(get(reader("likes").total())).isEqualTo(RolledUpTotal.NONE);
  }

  private CounterReader reader(String collection) {
    CounterOptions options =
        CounterOptions.builder()
            .of("unwatched_posts/{post}/" + collection)
            .rollupsCollection(collection + "_rollups")
            .build();
    return FirestoreCounters.of(client.firestore(), options).reader(post);
  }

  private void rollUp(String collection, Map<String, Object> fields) throws Exception {
    var rollup = client.firestore().document(collection + "_rollups/" + post);
    String counter = "unwatched_posts/" + post;
    get(rollup.set(Map.of("counter", counter, "total_of", "any", "as_of", AS_OF)));
    get(rollup.update(fields));
  }
}
