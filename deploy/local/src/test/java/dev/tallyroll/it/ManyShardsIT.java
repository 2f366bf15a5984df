package dev.tallyroll.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.SumMode;
import dev.tallyroll.Total;
import dev.tallyroll.store.FirestoreRollups;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A counter of ten thousand shards is one sum, exact and in time. */
final class ManyShardsIT {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final int SHARDS = 10_000;
  private static final int BATCH = 500;
  private static final int ANSWER_WITHIN_SECONDS = 60;

  @Test
  void tenThousandShards_areSummedInOneCall() throws Exception {
    try (var bare = BareFirestore.start()) {
      create(bare.firestore());

      for (var mode : SumMode.values()) {
        var rollups = new FirestoreRollups(bare.firestore(), Layout.DEFAULT, mode, bare.loop());

        var sum = rollups.sum(LIKES).get(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS);

        assertThat(sum.total()).as(mode.toString()).isEqualTo(new Total.Whole(2L * SHARDS));
        assertThat(sum.shards()).isEqualTo(SHARDS);
      }
    }
  }

  private static void create(Firestore firestore) throws Exception {
    var shards = firestore.collection(Layout.DEFAULT.shardsCollection(LIKES));
    for (int first = 0; first < SHARDS; first += BATCH) {
      var batch = firestore.batch();
      for (int shard = first; shard < first + BATCH; shard++) {
        batch.set(shards.document(Integer.toString(shard)), Map.of("count", 2));
      }
      batch.commit().get(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS);
    }
  }
}
