package dev.tallyroll.client;

import static dev.tallyroll.client.Waits.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterNotFoundException;
import dev.tallyroll.Counters;
import dev.tallyroll.Total;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Another client acts between a call's reads and its commit. */
@ExtendWith(SharedCloud.class)
final class RacesIT {
  private final String id = "race-" + UUID.randomUUID();
  private final Between wire = new Between();
  private final Firestore ours;
  private final Firestore theirs;
  private final Counter counter;
  private final Counter other;

  RacesIT(LocalCloud cloud) {
    ours = Wire.open(cloud, wire);
    theirs = Wire.open(cloud);
    counter = Counters.of(ours).counter(id);
    other = Counters.of(theirs).counter(id);
  }

  @BeforeEach
  void create() throws Exception {
    get(counter.create(3));
    for (int number = 0; number < 3; number++) {
      shard(number).update("count", 10).get();
    }
  }

  @AfterEach
  void close() throws Exception {
    ours.close();
    theirs.close();
  }

  private DocumentReference shard(int number) {
    return theirs.document("counters/" + id + "/shards/" + number);
  }

  private void assertSum(long expected) throws Exception {
    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(expected));
  }

  @Test
  void incrementDuringReset_stays() throws Exception {
    wire.beforeCommit(() -> shard(1).update("count", FieldValue.increment(5)).get());

    assertThat(get(counter.reset())).isEqualTo(new Total.Whole(30));

    assertSum(5);
  }

  @Test
  void compactionDuringReset_isTakenOffOnce() throws Exception {
    get(other.resize(1));
    wire.beforeCommit(() -> get(other.compact(Duration.ZERO)));

    assertThat(get(counter.reset())).isEqualTo(new Total.Whole(30));

    assertSum(0);
  }

  @Test
  void resetDuringReset_isTakenOffOnce() throws Exception {
    wire.beforeCommit(() -> get(other.reset()));

    assertThat(get(counter.reset())).isEqualTo(new Total.Whole(0));

    assertSum(0);
  }

  @Test
  void incrementDuringCompaction_stays() throws Exception {
    get(counter.resize(1));
    wire.beforeCommit(() -> shard(2).update("count", FieldValue.increment(5)).get());

    assertThat(get(counter.compact(Duration.ZERO))).isZero();

    assertSum(35);
  }

  @Test
  void growthDuringCompaction_keepsItsShards() throws Exception {
    get(counter.resize(1));
    wire.beforeCommit(() -> get(other.resize(3)));

    assertThat(get(counter.compact(Duration.ZERO))).isZero();

    assertThat(shard(1).get().get().exists()).isTrue();
    assertThat(shard(2).get().get().exists()).isTrue();
    assertSum(30);
  }

  @Test
  void compactionDuringGrowth_leavesNoShardMissing() throws Exception {
    get(counter.resize(1));
    wire.beforeCommit(() -> get(other.compact(Duration.ZERO)));

    get(counter.resize(3));

    assertThat(shard(1).get().get().exists()).isTrue();
    assertThat(shard(2).get().get().exists()).isTrue();
    assertSum(30);
  }

  @Test
  void resizeDuringResize_isFollowedByOurs() throws Exception {
    wire.beforeCommit(() -> get(other.resize(8)));

    get(counter.resize(5));

    assertThat(theirs.document("counters/" + id).get().get().get("num_shards")).isEqualTo(5L);
    assertSum(30);
  }

  @Test
  void deletionWhileAShardIsCreated_leavesNothing() throws Exception {
    get(counter.resize(1));
    shard(0).delete().get();
    // The first commit finds the shard missing; the second would create it.
    wire.beforeCommit(() -> wire.beforeCommit(() -> get(other.delete())));

    assertThatThrownBy(() -> get(counter.addOnce("order-1", 1)))
        .hasCauseInstanceOf(CounterNotFoundException.class);

    assertThat(theirs.document("counters/" + id).listCollections()).isEmpty();
  }

  @Test
  void shardCreatedDuringDeletion_isDeletedToo() throws Exception {
    get(counter.resize(1));
    shard(0).delete().get();
    wire.beforeCommit(() -> get(other.addOnce("order-1", 1)));

    get(counter.delete());

    assertThat(theirs.document("counters/" + id).listCollections()).isEmpty();
  }
}
