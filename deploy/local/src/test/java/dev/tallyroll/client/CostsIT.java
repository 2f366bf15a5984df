package dev.tallyroll.client;

import static dev.tallyroll.client.Waits.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.Counters;
import dev.tallyroll.Layout;
import dev.tallyroll.SumMode;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The costs that the Javadoc of {@link Counter} states, read off the wire. */
@ExtendWith(SharedCloud.class)
final class CostsIT {
  /** The functions do not write these roll-ups, so that only this test changes them. */
  private static final CounterOptions OPTIONS =
      CounterOptions.DEFAULT.withLayout(
          new Layout("counters", "shards", "untouched_rollups", "rollup_runs", "count"));

  private final Meter meter = new Meter();
  private final Firestore firestore;
  private final String id = "costs-" + UUID.randomUUID();
  private final Counter counter;

  CostsIT(LocalCloud cloud) {
    firestore = Wire.open(cloud, meter);
    counter = handle(OPTIONS);
  }

  /** As from another process, which remembers nothing. */
  private Counter handle(CounterOptions options) {
    return Counters.of(firestore, options).counter(id);
  }

  @BeforeEach
  void create() throws Exception {
    get(counter.create(3));
  }

  @AfterEach
  void close() throws Exception {
    firestore.close();
  }

  private void assertBill(long calls, long reads, long writes, long deletes) {
    assertThat(meter.bill()).isEqualTo(new Bill(calls, reads, writes, deletes));
  }

  @Test
  void creation_isAWriteForEachShardAndOne() {
    assertBill(1, 0, 4, 0);
  }

  @Test
  void increment_isOneWrite() throws Exception {
    meter.bill();

    get(counter.add(1));

    assertBill(1, 0, 1, 0);
  }

  @Test
  void firstIncrement_readsTheNumberOfShards() throws Exception {
    Counter other = handle(OPTIONS);
    meter.bill();

    get(other.add(1));
    assertBill(2, 1, 1, 0);

    get(other.add(1));
    assertBill(1, 0, 1, 0);
  }

  @Test
  void incrementOfAMissingShard_isOneReadAndTwoWrites() throws Exception {
    deleteShards();

    get(counter.add(1));

    assertBill(3, 1, 2, 0);
  }

  @Test
  void namedIncrement_isTwoWrites() throws Exception {
    meter.bill();

    get(counter.addOnce("order-1", 1));
    assertBill(1, 0, 2, 0);

    get(counter.addOnce("order-1", 1));
    assertBill(1, 0, 0, 0);
  }

  @Test
  void namedIncrementOfAMissingShard_isOneReadAndThreeWrites() throws Exception {
    deleteShards();

    get(counter.addOnce("order-1", 1));

    assertBill(3, 1, 3, 0);
  }

  @Test
  void total_isOneRead() throws Exception {
    meter.bill();

    get(counter.total());

    assertBill(1, 1, 0, 0);
  }

  @Test
  void sum_isOneRead() throws Exception {
    meter.bill();

    get(counter.sum());

    assertBill(1, 1, 0, 0);
  }

  @Test
  void sumOfDocuments_isAReadForEachShard() throws Exception {
    meter.bill();

    get(handle(OPTIONS.withSum(SumMode.DOCUMENTS)).sum());

    assertBill(1, 3, 0, 0);
  }

  @Test
  void listening_isAReadForEachChange() throws Exception {
    AtomicInteger heard = new AtomicInteger();
    meter.bill();

    var registration = counter.listen(total -> heard.incrementAndGet());
    Waits.until("the absence is heard", () -> heard.get() == 1);
    assertBill(1, 1, 0, 0);
    firestore.document("untouched_rollups/" + id).set(Map.of("count", 1)).get();
    Waits.until("the change is heard", () -> heard.get() == 2);

    registration.remove();
    assertBill(1, 1, 1, 0);
  }

  @Test
  void reset_readsAllAndWritesWhatIsNotZero() throws Exception {
    get(counter.addOnce("order-1", 5));
    meter.bill();

    get(counter.reset());
    assertBill(2, 3, 2, 0);

    get(counter.reset());
    assertBill(1, 3, 0, 0);
  }

  @Test
  void resizing_isOneReadAndAWriteAndAWriteForEachNewShard() throws Exception {
    meter.bill();

    get(counter.resize(5));
    assertBill(2, 1, 3, 0);

    get(counter.resize(5));
    assertBill(1, 1, 0, 0);

    get(counter.resize(2));
    assertBill(2, 1, 1, 0);
  }

  @Test
  void compaction_readsAllAndDeletesWhatItFolds() throws Exception {
    get(counter.resize(1));
    meter.bill();

    get(counter.compact(Duration.ofDays(1)));
    assertBill(2, 4, 0, 0);

    firestore.document("counters/" + id + "/shards/2").update("count", 5).get();
    meter.bill();
    get(counter.compact(Duration.ZERO));
    assertBill(3, 4, 2, 2);
  }

  @Test
  void deletion_readsAndDeletesAll() throws Exception {
    meter.bill();
    get(counter.delete());
    assertBill(4, 5, 0, 4);

    get(counter.create(2));
    get(counter.addOnce("order-1", 1));
    meter.bill();
    get(counter.delete());
    assertBill(6, 5, 0, 4);
  }

  private void deleteShards() throws Exception {
    for (int number = 0; number < 3; number++) {
      firestore.document("counters/" + id + "/shards/" + number).delete().get();
    }
    meter.bill();
  }
}
