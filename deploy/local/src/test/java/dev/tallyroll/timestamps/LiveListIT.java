package dev.tallyroll.timestamps;

import static dev.tallyroll.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query.Direction;
import com.google.cloud.firestore.WriteBatch;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.Home;
import dev.tallyroll.Layout;
import dev.tallyroll.SumMode;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.it.TestCloud;
import dev.tallyroll.library.ObservedCalls;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.protocol.RollupStore.LiveList;
import dev.tallyroll.protocol.ThreadEventLoop;
import dev.tallyroll.store.FirestoreRollups;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The roller's live list is a sharded timestamp: its query, its cost and its index. */
@On(Site.LIBRARY)
final class LiveListIT {
  private static final long START = 1_700_000_000L;
  private static final int COUNTERS = 130;

  private final ObservedCalls calls = new ObservedCalls();
  private final Layout layout = TestCloud.unwatchedLayout();

  @AutoClose
  private final ThreadEventLoop loop = new ThreadEventLoop("test", InstantSource.system());

  @AutoClose private final Firestore firestore;

  LiveListIT(LocalCloud cloud) throws Exception {
    firestore = calls.connect(cloud);
    WriteBatch batch = firestore.batch();
    for (int i = 0; i < COUNTERS; i++) {
      Timestamp until = Timestamp.ofTimeSecondsAndNanos(START + i, 0);
      batch.set(
          firestore.document(layout.rollups() + "/c" + i),
          Map.of("count", 1, "live_lane", i % 65, "live_until", until));
    }
    get(batch.commit());
  }

  private List<String> liveAfter(int step, List<Integer> lanes) throws Exception {
    var rollups = new FirestoreRollups(firestore, layout, SumMode.AGGREGATE, loop);
    LiveList live = get(rollups.liveAfter(Instant.ofEpochSecond(START + step), lanes));
    return live.counters().stream().map(found -> found.counter().id()).toList();
  }

  @Test
  void leasesOfManyLanes_costAQueryPer30Lanes() throws Exception {
    List<Integer> lanes = IntStream.range(0, 65).boxed().toList();

    assertThat(liveAfter(9, lanes))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(10, COUNTERS).mapToObj(i -> "c" + i).toList());
    assertThat(calls.queries()).isEqualTo(3);
    assertThat(calls.documents()).isEqualTo(COUNTERS - 10);
  }

  @Test
  void leasesOfFewLanes_costOneQuery() throws Exception {
    assertThat(liveAfter(0, List.of(0, 2))).containsExactly("c2", "c65", "c67");
    assertThat(calls.queries()).isEqualTo(1);
    assertThat(calls.documents()).isEqualTo(3);
  }

  @Test
  void deployedIndex_isTheOneThatTheQueryNeeds() throws Exception {
    JsonObject needed =
        JsonParser.parseString(
                TimestampIndexes.of(
                        ShardedTimestamp.forRate(1).withFields("live_lane", "live_until"))
                    .with(firestore.collectionGroup("rollups"), Direction.ASCENDING)
                    .toJson())
            .getAsJsonObject();
    Path file = Home.ROOT.resolve("deploy/firestore/firestore.indexes.json");
    JsonObject deployed = JsonParser.parseString(Files.readString(file)).getAsJsonObject();

    assertThat(deployed.getAsJsonArray("indexes")).containsAll(needed.getAsJsonArray("indexes"));
    assertThat(deployed.getAsJsonArray("fieldOverrides"))
        .containsAll(needed.getAsJsonArray("fieldOverrides"));
  }
}
