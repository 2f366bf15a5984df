package dev.tallyroll.client;

import static dev.tallyroll.client.Waits.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.SetOptions;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.Counters;
import dev.tallyroll.Total;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

/** Counters that other clients create and write, in their own ways. */
@ExtendWith(SharedCloud.class)
@TestInstance(Lifecycle.PER_CLASS)
final class OtherClientsIT {
  private final Firestore firestore;
  private final Counters counters;

  OtherClientsIT(LocalCloud cloud) {
    firestore = cloud.openFirestore();
    counters = Counters.of(firestore);
  }

  @AfterAll
  void close() throws Exception {
    firestore.close();
  }

  private Counter fresh() {
    return counters.counter("life-" + UUID.randomUUID());
  }

  private DocumentReference document(Counter counter) {
    return firestore.document("counters/" + counter.path());
  }

  private DocumentReference shard(Counter counter, int number) {
    return document(counter).collection("shards").document(Integer.toString(number));
  }

  @Test
  void counterOfAMergingClient_getsItsShardsAsTheyAreUsed() throws Exception {
    Counter counter = fresh();
    document(counter).create(Map.of("numShards", 2)).get();
    shard(counter, 0).set(Map.of("count", FieldValue.increment(5)), SetOptions.merge()).get();

    for (int i = 0; i < 20; i++) {
      get(counter.add(1));
    }
    get(counter.addOnce("a", 1));

    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(26));
    assertThat(document(counter).collection("shards").get().get().size()).isEqualTo(2);
  }

  @Test
  void resizing_keepsTheSpellingsOfOthers() throws Exception {
    Counter counter = fresh();
    document(counter).create(Map.of("numShards", 2, "title", "likes")).get();

    get(counter.resize(3));

    assertThat(document(counter).get().get().getData())
        .isEqualTo(Map.of("num_shards", 3L, "numShards", 3L, "title", "likes"));
  }

  @Test
  void configuredSpelling_isWritten() throws Exception {
    Counter counter =
        Counters.of(firestore, CounterOptions.DEFAULT.withShardsField("numShards"))
            .counter("life-" + UUID.randomUUID());

    get(counter.create(2));
    get(counter.resize(4));

    assertThat(document(counter).get().get().getData()).isEqualTo(Map.of("numShards", 4L));
  }

  @Test
  void clientOfARetiredShard_findsItGoneAfterCompaction() throws Exception {
    Counter counter = fresh();
    get(counter.create(3));
    shard(counter, 2).update("count", FieldValue.increment(5)).get();
    get(counter.resize(1));

    assertThat(get(counter.compact(Duration.ofHours(1)))).isEqualTo(2);
    assertThat(get(counter.compact(Duration.ZERO))).isZero();

    assertThatThrownBy(() -> shard(counter, 2).update("count", FieldValue.increment(1)).get())
        .hasMessageContaining("NOT_FOUND");
    shard(counter, 2).set(Map.of("count", FieldValue.increment(1)), SetOptions.merge()).get();
    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(6));
  }

  @Test
  void reset_replacesWhatIsNoNumber() throws Exception {
    Counter counter = fresh();
    get(counter.create(4));
    shard(counter, 0).update("count", Double.NaN).get();
    shard(counter, 1).update("count", "7").get();
    shard(counter, 2).update("count", Long.MIN_VALUE).get();
    shard(counter, 3).update("count", 0.5).get();

    assertThat(get(counter.reset()).isUsable()).isFalse();

    assertThat(get(counter.sum())).isEqualTo(new Total.Fraction(0.0));
  }
}
