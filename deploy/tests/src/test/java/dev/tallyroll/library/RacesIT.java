package dev.tallyroll.library;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.Total;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.LocalCloud;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Another client acts between a call's reads and its commit. {@code SimulationTest} tests many
 * calls at once.
 */
@On(Site.SHARED)
final class RacesIT {
  private final TestClient ours;
  private final TestClient theirs;
  private final ObservedCalls wire;
  private final Counter counter;
  private final Counter other;

  RacesIT(LocalCloud cloud) {
    ours = new TestClient(cloud);
    theirs = new TestClient(cloud);
    wire = ours.calls();
    counter = ours.fresh();
    other = theirs.again(counter);
  }

  @BeforeEach
  void create() throws Exception {
    get(counter.create(3));
    for (int number = 0; number < 3; number++) {
      shard(number).update("count", 10).get();
    }
  }

  @AfterEach
  void close() {
    ours.close();
    theirs.close();
  }

  private DocumentReference shard(int number) {
    return theirs.shard(counter, number);
  }

  /** Checks that the shards retired by a resize to one shard are still there, with their counts. */
  private void assertRetiredShardsAreThere() throws Exception {
    assertThat(shard(1).get().get().exists()).isTrue();
    assertThat(shard(2).get().get().exists()).isTrue();
    assertTotal(30);
  }

  private void assertTotal(long expected) throws Exception {
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(expected));
  }

  @Test
  void incrementDuringReset_stays() throws Exception {
    wire.beforeCommit(() -> shard(1).update("count", FieldValue.increment(5)).get());

    assertThat(get(counter.reset())).isEqualTo(new Total.Whole(30));

    assertTotal(5);
  }

  @Test
  void compactionDuringReset_isTakenOffOnce() throws Exception {
    get(other.resize(1));
    wire.beforeCommit(() -> get(other.compact(Duration.ZERO)));

    assertThat(get(counter.reset())).isEqualTo(new Total.Whole(30));

    assertTotal(0);
  }

  @Test
  void resetDuringReset_isTakenOffOnce() throws Exception {
    wire.beforeCommit(() -> get(other.reset()));

    assertThat(get(counter.reset())).isEqualTo(new Total.Whole(0));

    assertTotal(0);
  }

  @Test
  void incrementDuringCompaction_stays() throws Exception {
    get(counter.resize(1));
    wire.beforeCommit(() -> shard(2).update("count", FieldValue.increment(5)).get());

    assertThat(get(counter.compact(Duration.ZERO))).isZero();

    assertTotal(35);
  }

  @Test
  void growthDuringCompaction_keepsItsShards() throws Exception {
    get(counter.resize(1));
    wire.beforeCommit(() -> get(other.resize(3)));

    assertThat(get(counter.compact(Duration.ZERO))).isZero();

    assertRetiredShardsAreThere();
  }

  @Test
  void compactionDuringGrowth_leavesNoShardMissing() throws Exception {
    get(counter.resize(1));
    wire.beforeCommit(() -> get(other.compact(Duration.ZERO)));

    get(counter.resize(3));

    assertRetiredShardsAreThere();
  }

  @Test
  void resizeDuringResize_isFollowedByOurs() throws Exception {
    wire.beforeCommit(() -> get(other.resize(8)));

    get(counter.resize(5));

    assertThat(theirs.document(counter).get().get().get("num_shards")).isEqualTo(5L);
    assertTotal(30);
  }

  @Test
  void deletionWhileAShardIsCreated_leavesNothing() throws Exception {
    get(counter.resize(1));
    shard(0).delete().get();
    // The first commit fails, because the shard is missing. The second would create it.
    wire.beforeCommit(() -> wire.beforeCommit(() -> get(other.delete())));

    assertThatThrownBy(() -> get(counter.addOnce("order-1", 1)))
        .hasCauseInstanceOf(CounterException.NotFound.class);

    assertThat(theirs.document(counter).listCollections()).isEmpty();
  }

  @Test
  void shardCreatedDuringDeletion_isDeletedToo() throws Exception {
    get(counter.resize(1));
    shard(0).delete().get();
    wire.beforeCommit(() -> get(other.addOnce("order-1", 1)));

    get(counter.delete());

    assertThat(theirs.document(counter).listCollections()).isEmpty();
  }
}
