package dev.tallyroll.library;

import static dev.tallyroll.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.SetOptions;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.Total;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.LocalCloud;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Counters that other client create and write, in their own ways. */
@On(Site.LIBRARY)
final class OtherClientsIT {
  private final TestClient client;

  OtherClientsIT(LocalCloud cloud) {
    client = new TestClient(cloud);
  }

  @AfterEach
  void close() throws Exception {
    client.close();
  }

  @Test
  void counterOfAMergingClient_getsItsShardsAsTheyAreUsed() throws Exception {
    Counter counter = client.fresh();
    client.document(counter).create(Map.of("numShards", 2)).get();
    client
        .shard(counter, 0)
        .set(Map.of("count", FieldValue.increment(5)), SetOptions.merge())
        .get();

    for (int i = 0; i < 20; i++) {
      get(counter.add(1));
    }
    get(counter.addOnce("a", 1));

    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(26));
    assertThat(client.document(counter).collection("shards").get().get().size()).isEqualTo(2);
  }

  @Test
  void resizing_keepsTheSpellingsOfOthers() throws Exception {
    Counter counter = client.fresh();
    client.document(counter).create(Map.of("numShards", 2, "title", "likes")).get();

    get(counter.resize(3));

    assertThat(client.document(counter).get().get().getData())
        .isEqualTo(Map.of("num_shards", 3L, "numShards", 3L, "title", "likes"));
  }

  @Test
  void configuredSpelling_isWritten() throws Exception {
    Counter counter = client.fresh(CounterOptions.DEFAULT.withShardsField("numShards"));

    get(counter.create(2));
    get(counter.resize(4));

    assertThat(client.document(counter).get().get().getData()).isEqualTo(Map.of("numShards", 4L));
  }

  @Test
  void clientOfARetiredShard_findsItGoneAfterCompaction() throws Exception {
    Counter counter = client.fresh();
    get(counter.create(3));
    client.shard(counter, 2).update("count", FieldValue.increment(5)).get();
    get(counter.resize(1));

    assertThat(get(counter.compact(Duration.ofHours(1)))).isEqualTo(2);
    assertThat(get(counter.compact(Duration.ZERO))).isZero();

    assertThatThrownBy(
            () -> client.shard(counter, 2).update("count", FieldValue.increment(1)).get())
        .hasMessageContaining("NOT_FOUND");
    client
        .shard(counter, 2)
        .set(Map.of("count", FieldValue.increment(1)), SetOptions.merge())
        .get();
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(6));
  }

  @Test
  void reset_replacesWhatIsNoNumber() throws Exception {
    Counter counter = client.fresh();
    get(counter.create(4));
    client.shard(counter, 0).update("count", Double.NaN).get();
    client.shard(counter, 1).update("count", "7").get();
    client.shard(counter, 2).update("count", Long.MIN_VALUE).get();
    client.shard(counter, 3).update("count", 0.5).get();

    assertThat(get(counter.reset()).isUsable()).isFalse();

    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Fraction(0.0));
  }
}
