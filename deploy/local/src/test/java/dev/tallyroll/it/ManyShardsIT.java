package dev.tallyroll.it;

import static dev.tallyroll.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.ThreadEventLoop;
import dev.tallyroll.store.FirestoreRollups;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A counter of ten thousand shards is one sum, exact and in time. */
@On(Site.LIBRARY)
final class ManyShardsIT {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final int SHARDS = 10_000;
  private static final int BATCH = 500;

  @Test
  void tenThousandShards_areSummedInOneCall(Lab lab) throws Exception {
    var layout = Lab.unwatchedLayout();
    var shards = lab.firestore().collection(layout.shardsCollection(LIKES));
    for (int first = 0; first < SHARDS; first += BATCH) {
      var batch = lab.firestore().batch();
      for (int shard = first; shard < first + BATCH; shard++) {
        batch.set(shards.document(Integer.toString(shard)), Map.of("count", 2));
      }
      get(batch.commit());
    }

    try (var loop = new ThreadEventLoop("test", InstantSource.system())) {
      for (var mode : SumMode.values()) {
        var sum = get(new FirestoreRollups(lab.firestore(), layout, mode, loop).sum(LIKES));

        assertThat(sum.total()).as(mode.toString()).isEqualTo(new Total.Whole(2L * SHARDS));
        assertThat(sum.shards()).isEqualTo(SHARDS);
      }
    }
  }
}
