package dev.tallyroll.it;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.platform.ThreadEventLoop;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.store.FirestoreStore;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Counters with more shards than one billed read of a sum covers. */
@On(Site.SHARED)
final class LargeCountersIT {
  private static final int SHARDS = 10_000;
  private static final int BATCH = 500;

  private final Firestore firestore;
  private final Layout layout = TestCloud.unwatchedLayout();

  LargeCountersIT(TestCloud cloud) {
    this.firestore = cloud.firestore();
  }

  @ParameterizedTest
  @EnumSource
  void tenThousandShards_areSummedInOneCall(SumMode mode) throws Exception {
    Entry entry = TestCloud.quick(layout, mode, Map.of());
    CounterId counter = entry.counter(CounterPath.of("large"));
    for (int first = 0; first < SHARDS; first += BATCH) {
      WriteBatch batch = firestore.batch();
      for (int shard = first; shard < first + BATCH; shard++) {
        batch.set(firestore.document(counter.shards() + "/" + shard), Map.of("count", 2));
      }
      get(batch.commit());
    }

    try (ThreadEventLoop loop = new ThreadEventLoop("large", InstantSource.system())) {
      Calls calls = new Calls(loop, /* most= */ 1);
      FirestoreStore store =
          FirestoreStore.of(
              firestore,
              List.of(entry),
              TestCloud.newDeployment(),
              calls,
              (severity, message, fields) -> {});
      Sum sum =
          CompletableFuture.completedFuture(null)
              .thenComposeAsync(none -> store.counters().sums().sum(counter), loop)
              .get();

      assertThat(sum.total()).isEqualTo(new Total.Whole(2L * SHARDS));
      assertThat(sum.shards()).isEqualTo(SHARDS);
    }
  }
}
