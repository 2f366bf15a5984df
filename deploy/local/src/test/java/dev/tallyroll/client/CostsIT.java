package dev.tallyroll.client;

import static dev.tallyroll.client.Clients.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tallyroll.Counter;
import dev.tallyroll.Counters;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.SumMode;
import dev.tallyroll.client.Tap.Bill;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the Javadoc of {@link Counter} and {@link Counters} says that calls cost. */
@ExtendWith(SharedCloud.class)
final class CostsIT {
  private final Clients clients;
  private Counter counter;

  CostsIT(LocalCloud cloud) {
    clients = new Clients(cloud);
    counter = clients.fresh();
  }

  @BeforeEach
  void create() throws Exception {
    counter = clients.created(3);
  }

  @AfterEach
  void close() throws Exception {
    clients.close();
  }

  private void assertBill(long calls, long reads, long writes, long deletes) {
    assertThat(clients.tap().bill()).isEqualTo(new Bill(calls, reads, writes, deletes));
  }

  private void deleteShards() throws Exception {
    for (int number = 0; number < 3; number++) {
      get(clients.shard(counter, number).delete());
    }
    clients.tap().bill();
  }

  @Test
  void creation_isAWriteForEachShardAndOne() throws Exception {
    get(clients.fresh().create(4));
    assertBill(1, 0, 5, 0);
  }

  @Test
  void increment_isOneWriteOnceTheNumberOfShardsIsKnown() throws Exception {
    get(counter.add(1));
    assertBill(1, 0, 1, 0);

    Counter other = clients.again(counter);
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

    get(clients.again(counter, Clients.OWN_ROLLUPS.withSum(SumMode.DOCUMENTS)).exactTotal());
    assertBill(1, 3, 0, 0);
  }

  @Test
  void manyTotals_areOneCallAndAReadForEach() throws Exception {
    String parent = "rooms/" + UUID.randomUUID();
    Counters counters = Counters.of(clients.firestore(), Clients.OWN_ROLLUPS).below(parent);
    for (int count = 0; count < 4; count++) {
      rollUp(parent, "c" + count, count);
    }
    clients.tap().bill();

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
    Counters counters = Counters.of(clients.firestore(), Clients.OWN_ROLLUPS).below(parent);
    rollUp(parent, "a", 1);
    rollUp(parent, "c", 3);
    Map<String, Object> another = Map.of("count", 9, "counter", parent + "/counters/other");
    get(clients.firestore().document(parent + "/untouched_rollups/b").set(another));
    clients.tap().bill();

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
    await().until(() -> heard.get() == 1);
    assertBill(1, 1, 0, 0);
    rollUp("", counter.path().id(), 1);
    await().until(() -> heard.get() == 2);
    registration.remove();
    assertBill(1, 1, 1, 0);

    get(counter.awaitTotal(Instant.EPOCH, Duration.ofMinutes(1)));
    assertBill(1, 1, 0, 0);
  }

  private void rollUp(String parent, String id, int count) throws Exception {
    String place = parent.isEmpty() ? "" : parent + "/";
    get(
        clients
            .firestore()
            .document(place + "untouched_rollups/" + id)
            .set(Map.of("count", count, "counter", place + "counters/" + id)));
  }

  @Test
  void reset_readsAllAndWritesWhatIsNotZero() throws Exception {
    get(counter.addOnce("order-1", 5));
    clients.tap().bill();
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
    clients.tap().bill();
    get(counter.compact(Duration.ofDays(1)));
    assertBill(2, 4, 0, 0);

    get(clients.shard(counter, 2).update("count", 5));
    clients.tap().bill();
    get(counter.compact(Duration.ZERO));
    assertBill(3, 4, 2, 2);
  }

  @Test
  void deletion_readsAndDeletesAll() throws Exception {
    get(counter.delete());
    assertBill(4, 5, 0, 4);

    get(counter.create(2));
    get(counter.addOnce("order-1", 1));
    clients.tap().bill();
    get(counter.delete());
    assertBill(6, 5, 0, 4);
  }
}
