package dev.tallyroll.library;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.cloud.Timestamp;
import dev.tallyroll.BufferOptions;
import dev.tallyroll.BufferedCounter;
import dev.tallyroll.BufferedCounters;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterPath;
import dev.tallyroll.CounterTotal;
import dev.tallyroll.Counters;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.SumMode;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.Operations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the costs of calls with the Javadoc of {@link Counter} and {@link Counters}. */
@On(Site.SHARED)
final class CostsIT {
  private static final Timestamp AS_OF = Timestamp.ofTimeSecondsAndNanos(1, 0);

  private final TestClient client;
  private final String parent = "rooms/" + UUID.randomUUID();
  private final Counters counters;
  private Counter counter;

  CostsIT(LocalCloud cloud) {
    client = new TestClient(cloud);
    counters = FirestoreCounters.of(client.firestore(), TestClient.UNWATCHED).below(parent);
    counter = client.fresh();
  }

  @BeforeEach
  void create() throws Exception {
    counter = client.created(3);
  }

  @AfterEach
  void close() {
    client.close();
  }

  private <T> T assertBill(ApiFuture<T> call, int calls, long reads, long writes, long deletes)
      throws Exception {
    T answer = get(call);
    assertBill(calls, reads, writes, deletes);
    return answer;
  }

  /** Checks the number of calls of Firestore, and their cost, since the last bill. */
  private void assertBill(long calls, long reads, long writes, long deletes) {
    var cost = client.bill();
    assertThat(List.of(client.calls().calls(), cost.reads() + cost.sums()))
        .as("calls, reads and sums")
        .isEqualTo(List.of(calls, reads));
    assertThat(List.of(cost.writes(), cost.deletes()))
        .as("writes, deletes")
        .isEqualTo(List.of(writes, deletes));
  }

  @Test
  void creation_isAWriteForEachShardAndOne() throws Exception {
    assertBill(client.fresh().create(4), 1, 0, 5, 0);
  }

  @Test
  void increment_isOneWriteOnceTheNumberOfShardsIsKnown() throws Exception {
    assertBill(counter.add(1), 1, 0, 1, 0);
    Counter other = client.again(counter);
    assertBill(other.add(1), 2, 1, 1, 0);
    assertBill(other.add(0), 2, 1, 1, 0);
  }

  @Test
  void increment_isPreparedByAReadAMinute() throws Exception {
    Counter other = client.again(counter);
    assertBill(other.prepare(1), 1, 1, 0, 0);
    assertBill(other.prepare(1), 0, 0, 0, 0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bufferedIncrements_costAsMuchAsOne(boolean exactlyOnce) throws Exception {
    try (BufferedCounters buffered =
        FirestoreCounters.of(client.firestore(), TestClient.UNWATCHED)
            .buffered(BufferOptions.builder().exactlyOnce(exactlyOnce).build())) {
      BufferedCounter one = buffered.counter(counter.path());
      ApiFuture<?> none = one.add(0);
      assertBill(buffered.flush(), 0, 0, 0, 0);
      assertThat(none.isDone()).isTrue();

      List<ApiFuture<Instant>> adds = Stream.generate(() -> one.add(1)).limit(100).toList();

      assertBill(buffered.flush(), 2, 1, exactlyOnce ? 2 : 1, 0);
      assertThat(adds).allMatch(ApiFuture::isDone);
    }
  }

  @Test
  void namedIncrement_isTwoWrites() throws Exception {
    assertBill(counter.addOnce("order-1", 1), 1, 0, 2, 0);
    assertBill(counter.addOnce("order-1", 1), 1, 0, 0, 0);
  }

  @Test
  void incrementOfAMissingShard_isOneReadAndOneWriteMore() throws Exception {
    deleteShards();
    assertBill(counter.add(1), 3, 1, 2, 0);
    deleteShards();
    assertBill(counter.addOnce("order-1", 1), 3, 1, 3, 0);
  }

  private void deleteShards() throws Exception {
    for (int number = 0; number < 3; number++) {
      get(client.shard(counter, number).delete());
    }
    client.forget();
  }

  @Test
  void total_isOneRead_andTheExactOneTooUnlessDocumentsAreSummed() throws Exception {
    assertBill(counter.total(), 1, 1, 0, 0);
    assertBill(counter.exactTotal(), 1, 1, 0, 0);
    var summing = client.again(counter, TestClient.unwatched().sum(SumMode.DOCUMENTS).build());
    assertBill(summing.exactTotal(), 1, 3, 0, 0);
  }

  @Test
  void manyTotals_areOneCallAndAReadForEach() throws Exception {
    for (int count = 0; count < 4; count++) {
      rollUp(parent + "/", "c" + count, count);
    }
    client.forget();

    assertBill(counters.totals(List.of("c0", "c1", "absent", "c0")), 1, 3, 0, 0);
    assertBill(counters.reader("c0").total(), 1, 1, 0, 0);
    assertBill(counters.top(2), 1, 2, 0, 0);
    assertBill(counters.list("", "c0", 2), 1, 2, 0, 0);
    assertBill(counters.list("", "c3", 2), 1, 1, 0, 0);
    assertBill(counters.list("c3", "", 2), 1, 1, 0, 0);
  }

  @Test
  void documentsOfOthers_arePassedOverForAReadEach() throws Exception {
    rollUp(parent + "/", "a", 1);
    rollUp(parent + "/", "c", 3);
    Map<String, Object> another =
        Map.of("count", 9, "counter", parent + "/other", "total_of", "any");
    get(client.firestore().document(parent + "/untouched_rollups/b").set(another));
    client.forget();

    assertThat(ids(assertBill(counters.top(2), 2, 3, 0, 0))).containsExactly("c", "a");
    assertThat(ids(assertBill(counters.list("", "", 2), 2, 3, 0, 0))).containsExactly("a", "c");
    assertThat(get(counters.totals(List.of("b"))))
        .isEqualTo(List.of(CounterTotal.of(new CounterPath(parent, "b"), RolledUpTotal.NONE)));
  }

  private static List<String> ids(List<CounterTotal> found) {
    return found.stream().map(CounterTotal::id).toList();
  }

  @Test
  void listening_isAReadForEachChange() throws Exception {
    AtomicInteger heard = new AtomicInteger();
    var registration = counter.listen(total -> heard.incrementAndGet(), ended -> {});
    await("a first total").until(() -> heard.get() == 1);
    assertBill(1, 1, 0, 0);
    rollUp("", counter.path().id(), 1);
    await("another").until(() -> heard.get() == 2);
    registration.remove();
    assertBill(1, 1, 1, 0);
  }

  /** The number of looks depends on the speed of the machine. */
  @Test
  void awaiting_isAReadForEachLook() throws Exception {
    assertBill(counter.awaitTotal(Instant.EPOCH, Duration.ofMinutes(1)), 1, 1, 0, 0);

    var awaited = counter.awaitTotal(AS_OF.toDate().toInstant(), Duration.ofMinutes(1));
    AtomicLong calls = new AtomicLong();
    await("two looks").until(() -> calls.addAndGet(client.calls().calls()) >= 2);
    rollUp("", counter.path().id(), 1);
    get(awaited);

    long looks = calls.get() + client.calls().calls() - 1;
    assertThat(client.bill()).isEqualTo(new Operations(looks, 0, 1, 0));
  }

  private void rollUp(String place, String id, int count) throws Exception {
    get(
        client
            .firestore()
            .document(place + "untouched_rollups/" + id)
            .set(
                Map.of(
                    "count",
                    count,
                    "counter",
                    place + TestClient.COUNTERS + "/" + id,
                    "total_of",
                    "any",
                    "as_of",
                    AS_OF)));
  }

  @Test
  void reset_readsAllAndWritesWhatIsNotZero() throws Exception {
    get(counter.addOnce("order-1", 5));
    client.forget();
    assertBill(counter.reset(), 3, 4, 3, 0);
    assertBill(counter.reset(), 2, 4, 0, 0);
  }

  @Test
  void resizing_isOneReadAndAWriteAndAWriteForEachNewShard() throws Exception {
    assertBill(counter.resize(5), 2, 1, 3, 0);
    assertBill(counter.resize(5), 1, 1, 0, 0);
    assertBill(counter.resize(2), 2, 1, 1, 0);
  }

  @Test
  void mending_readsAllAndCreatesWhatIsMissing() throws Exception {
    assertBill(counter.createMissing(9), 2, 4, 0, 0);

    get(client.shard(counter, 1).delete());
    client.forget();
    assertBill(counter.createMissing(9), 3, 3, 2, 0);
    get(client.document(counter).delete());
    client.forget();
    assertBill(counter.createMissing(3), 3, 4, 1, 0);
  }

  @Test
  void compaction_readsAllAndDeletesWhatItMoves() throws Exception {
    get(counter.resize(1));
    client.forget();
    assertBill(counter.compact(Duration.ofDays(1)), 2, 4, 0, 0);

    get(client.shard(counter, 2).update("count", 5));
    client.forget();
    assertBill(counter.compact(Duration.ZERO), 3, 4, 2, 2);
  }

  @Test
  void deletion_readsAndDeletesAll() throws Exception {
    assertBill(counter.delete(), 4, 5, 0, 4);

    get(counter.create(2));
    get(counter.addOnce("order-1", 1));
    client.forget();
    assertBill(counter.delete(), 6, 5, 0, 4);
  }
}
