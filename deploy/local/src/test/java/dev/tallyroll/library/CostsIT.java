package dev.tallyroll.library;

import static dev.tallyroll.Answers.get;
import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Counter;
import dev.tallyroll.Counters;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.SumMode;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.library.ObservedCalls.Bill;
import dev.tallyroll.local.LocalCloud;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the Javadoc of {@link Counter} and {@link Counters} says that calls cost. */
@On(Site.LIBRARY)
final class CostsIT {
  private final TestClient client;
  private Counter counter;

  CostsIT(LocalCloud cloud) {
    client = new TestClient(cloud);
    counter = client.fresh();
  }

  @BeforeEach
  void create() throws Exception {
    counter = client.created(3);
  }

  @AfterEach
  void close() throws Exception {
    client.close();
  }

  private void assertBill(long calls, long reads, long writes, long deletes) {
    assertThat(client.calls().bill()).isEqualTo(new Bill(calls, reads, writes, deletes));
  }

  private void deleteShards() throws Exception {
    for (int number = 0; number < 3; number++) {
      get(client.shard(counter, number).delete());
    }
    client.calls().bill();
  }

  @Test
  void creation_isAWriteForEachShardAndOne() throws Exception {
    get(client.fresh().create(4));
    assertBill(1, 0, 5, 0);
  }

  @Test
  void increment_isOneWriteOnceTheNumberOfShardsIsKnown() throws Exception {
    get(counter.add(1));
    assertBill(1, 0, 1, 0);

    Counter other = client.again(counter);
    get(other.add(1));
    assertBill(2, 1, 1, 0);

    get(other.add(0));
    assertBill(2, 1, 1, 0);
  }

  @Test
  void incrementOfAMissingShard_isOneReadAndTwoWrites() throws Exception {
    deleteShards();

    get(counter.add(1));

    assertBill(3, 1, 2, 0);
  }

  @Test
  void namedIncrement_isTwoWrites() throws Exception {
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
  void total_isOneRead_andTheExactOneTooUnlessDocumentsAreSummed() throws Exception {
    get(counter.total());
    assertBill(1, 1, 0, 0);

    get(counter.exactTotal());
    assertBill(1, 1, 0, 0);

    get(client.again(counter, TestClient.OWN_ROLLUPS.withSum(SumMode.DOCUMENTS)).exactTotal());
    assertBill(1, 3, 0, 0);
  }

  @Test
  void manyTotals_areOneCallAndAReadForEach() throws Exception {
    String parent = "rooms/" + UUID.randomUUID();
    Counters counters = Counters.of(client.firestore(), TestClient.OWN_ROLLUPS).below(parent);
    for (int count = 0; count < 4; count++) {
      rollUp(parent, "c" + count, count);
    }
    client.calls().bill();

    get(counters.totals(List.of("c0", "c1", "absent")));
    assertBill(1, 3, 0, 0);
    get(counters.top(2));
    assertBill(1, 2, 0, 0);
    get(counters.list("c0", 2));
    assertBill(1, 2, 0, 0);
    get(counters.list("c3", 2));
    assertBill(1, 1, 0, 0);
  }

  @Test
  void documentsOfOthers_arePassedOverForAReadEach() throws Exception {
    String parent = "rooms/" + UUID.randomUUID();
    Counters counters = Counters.of(client.firestore(), TestClient.OWN_ROLLUPS).below(parent);
    rollUp(parent, "a", 1);
    rollUp(parent, "c", 3);
    Map<String, Object> another = Map.of("count", 9, "counter", parent + "/counters/other");
    get(client.firestore().document(parent + "/untouched_rollups/b").set(another));
    client.calls().bill();

    assertThat(get(counters.top(2)).keySet()).containsExactly("c", "a");
    assertBill(2, 3, 0, 0);
    assertThat(get(counters.list("", 2)).keySet()).containsExactly("a", "c");
    assertBill(2, 3, 0, 0);
    assertThat(get(counters.totals(List.of("b")))).isEqualTo(Map.of("b", RolledUpTotal.NONE));
  }

  @Test
  void listeningAndAwaiting_areAReadForEachChange() throws Exception {
    AtomicInteger heard = new AtomicInteger();
    var registration = counter.listen(total -> heard.incrementAndGet());
    await("a first total").until(() -> heard.get() == 1);
    assertBill(1, 1, 0, 0);
    rollUp("", counter.path().id(), 1);
    await("another").until(() -> heard.get() == 2);
    registration.remove();
    assertBill(1, 1, 1, 0);

    get(counter.awaitTotal(Instant.EPOCH, Duration.ofMinutes(1)));
    assertBill(1, 1, 0, 0);
  }

  private void rollUp(String parent, String id, int count) throws Exception {
    String place = parent.isEmpty() ? "" : parent + "/";
    get(
        client
            .firestore()
            .document(place + "untouched_rollups/" + id)
            .set(Map.of("count", count, "counter", place + "counters/" + id)));
  }

  @Test
  void reset_readsAllAndWritesWhatIsNotZero() throws Exception {
    get(counter.addOnce("order-1", 5));
    client.calls().bill();
    get(counter.reset());
    assertBill(3, 4, 3, 0);

    get(counter.reset());
    assertBill(2, 4, 0, 0);
  }

  @Test
  void resizing_isOneReadAndAWriteAndAWriteForEachNewShard() throws Exception {
    get(counter.resize(5));
    assertBill(2, 1, 3, 0);

    get(counter.resize(5));
    assertBill(1, 1, 0, 0);

    get(counter.resize(2));
    assertBill(2, 1, 1, 0);
  }

  @Test
  void compaction_readsAllAndDeletesWhatItMoves() throws Exception {
    get(counter.resize(1));
    client.calls().bill();
    get(counter.compact(Duration.ofDays(1)));
    assertBill(2, 4, 0, 0);

    get(client.shard(counter, 2).update("count", 5));
    client.calls().bill();
    get(counter.compact(Duration.ZERO));
    assertBill(3, 4, 2, 2);
  }

  @Test
  void deletion_readsAndDeletesAll() throws Exception {
    get(counter.delete());
    assertBill(4, 5, 0, 4);

    get(counter.create(2));
    get(counter.addOnce("order-1", 1));
    client.calls().bill();
    get(counter.delete());
    assertBill(6, 5, 0, 4);
  }
}
