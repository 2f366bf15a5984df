package dev.tallyroll.library;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.SetOptions;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.Counters;
import dev.tallyroll.Total;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.LocalCloud;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract on Firestore, and tests of documents, also of those that other clients write. */
@On(Site.SHARED)
@Tag("core")
final class CounterIT extends CounterContract {
  private final TestClient client;

  CounterIT(LocalCloud cloud) {
    client = new TestClient(cloud);
  }

  @Override
  Counters counters() {
    return FirestoreCounters.of(client.firestore());
  }

  @AfterEach
  void close() {
    client.close();
  }

  @Test
  @Override
  void badArguments_areRefusedAtOnce() {
    super.badArguments_areRefusedAtOnce();

    assertThat(client.calls().calls()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ten", "-3"})
  void damagedNumber_isRefusedUntilResizeReplacesIt(String found) throws Exception {
    Counter counter = client.fresh();
    Object damage = found.equals("ten") ? found : Long.valueOf(found);
    get(client.document(counter).create(Map.of("num_shards", damage)));

    assertThatThrownBy(() -> get(counter.add(1)))
        .hasCauseInstanceOf(CounterException.Damaged.class)
        .hasMessageContaining("found '" + found + "'");
    assertThatThrownBy(() -> get(counter.addOnce("a", 1)))
        .hasCauseInstanceOf(CounterException.Damaged.class);
    assertThatThrownBy(() -> get(counter.compact(Duration.ZERO)))
        .hasCauseInstanceOf(CounterException.Damaged.class);
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(0));

    get(counter.resize(2));
    get(counter.add(5));
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(5));
  }

  /** After the TTL policy has deleted the name's document, the same name counts again. */
  @Test
  void name_isKeptForItsTimeAndCountsAgainOnceItHasGone() throws Exception {
    Counter counter = client.created(1);
    assertThat(get(counter.addOnce("order-1", 1))).isTrue();
    DocumentReference name =
        client.document(counter).collection(Layout.INCREMENT_NAMES).document("order-1");
    Timestamp expiry = (Timestamp) get(name.get()).get("expire_at");
    assertThat(Duration.between(Instant.now(), expiry.toDate().toInstant()))
        .isBetween(Duration.ofDays(6), Duration.ofDays(7));
    get(name.update("expire_at", Timestamp.ofTimeSecondsAndNanos(0, 0)));
    assertThat(get(counter.addOnce("order-1", 1))).as("expired, but still there").isFalse();

    get(name.delete());

    assertThat(get(counter.addOnce("order-1", 1))).isTrue();
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(2));
    assertThat(get(name.get()).getTimestamp("expire_at")).isGreaterThan(Timestamp.now());
  }

  @Test
  void largestCounter_isCreatedAndDeleted() throws Exception {
    Counter counter = client.created(Counter.MOST_SHARDS);

    get(counter.add(3));
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(3));
    get(counter.reset());
    get(counter.resize(1));
    assertThat(get(counter.compact(Duration.ZERO))).isZero();
    get(counter.resize(Counter.MOST_SHARDS));
    get(counter.delete());

    assertThat(client.document(counter).listCollections()).isEmpty();
  }

  @Test
  void counterOfAMergingClient_getsItsShardsAsTheyAreUsed() throws Exception {
    Counter counter = client.fresh();
    client.document(counter).create(Map.of("numShards", 2)).get();
    client
        .shard(counter, 0)
        .set(Map.of("count", FieldValue.increment(5)), SetOptions.merge())
        .get();

    for (int i = 0; i < 20; i++) {
      get(counter.add(1));
    }
    get(counter.addOnce("a", 1));

    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(26));
    assertThat(client.document(counter).collection("shards").get().get().size()).isEqualTo(2);
  }

  @Test
  void spellingsOfTheNumber_areKeptAndWrittenAsConfigured() throws Exception {
    Counter counter = client.fresh();
    client.document(counter).create(Map.of("numShards", 2, "title", "likes")).get();
    get(counter.resize(3));
    assertThat(client.document(counter).get().get().getData())
        .isEqualTo(Map.of("num_shards", 3L, "numShards", 3L, "title", "likes"));

    Counter other = client.fresh(TestClient.unwatched().shardsField("numShards").build());
    get(other.create(2));
    get(other.resize(4));
    assertThat(client.document(other).get().get().getData()).isEqualTo(Map.of("numShards", 4L));
  }

  /** There are more waits than Firestore takes calls at once on a connection. */
  @Test
  void pendingWaits_hinderNoOtherCall() throws Exception {
    Counter counter = client.created(1);
    var waits = Stream.generate(() -> counter.awaitTotal(NEVER, LONG)).limit(150).toList();

    get(counter.add(1));
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(1));

    assertThat(waits).allMatch(wait -> wait.cancel(false));
  }

  /** The client's own calls throw, at once. */
  @Test
  void closedClient_failsTheFuture() throws Exception {
    Counter counter = client.created(1);
    client.firestore().close();

    for (Call call :
        List.<Call>of(
            one -> one.create(1),
            one -> one.add(1),
            one -> one.add(0),
            one -> one.addOnce(1),
            one -> one.addOnce("a", 1),
            Counter::total,
            Counter::exactTotal,
            one -> one.awaitTotal(NEVER, LONG),
            Counter::reset,
            Counter::delete,
            one -> one.prepare(1),
            one -> one.resize(2),
            one -> one.compact(Duration.ZERO),
            one -> counters().totals(List.of("a")),
            one -> counters().list("", "", 1),
            one -> counters().top(1))) {
      ApiFuture<?> failed = call.on(counter);
      assertThatThrownBy(() -> get(failed)).hasCauseInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void listener_hearsOfItsEnd() throws Exception {
    List<RuntimeException> ended = new CopyOnWriteArrayList<>();
    client.calls().refuseToListen();

    client.fresh().listen(total -> {}, ended::add);

    await("the end of the listening").until(() -> !ended.isEmpty());
    assertThat(ended).singleElement().asString().contains("PERMISSION_DENIED");
  }

  @Test
  void observer_hearsOfEachCallAndItsEnd() throws Exception {
    List<String> heard = new CopyOnWriteArrayList<>();
    Counters observed =
        FirestoreCounters.of(
            client.firestore(),
            TestClient.unwatched()
                .observer(
                    (call, took, failure) -> {
                      assertThat(took).isBetween(Duration.ZERO, Duration.ofMinutes(1));
                      heard.add(
                          call + (failure == null ? "" : " " + failure.getClass().getSimpleName()));
                    })
                .build());
    Counter counter = observed.counter("c-" + UUID.randomUUID());

    assertThatThrownBy(() -> get(counter.add(1))).isInstanceOf(ExecutionException.class);
    get(counter.create(1));
    get(counter.addOnce(1));
    get(counter.awaitTotal(Instant.EPOCH, LONG));
    get(observed.top(1));
    assertThatIllegalArgumentException().isThrownBy(() -> counter.resize(0));
    counter.awaitTotal(NEVER, LONG).cancel(false);

    await("the last call")
        .untilAsserted(
            () ->
                assertThat(heard)
                    .containsExactlyInAnyOrder(
                        "add NotFound",
                        "create",
                        "addOnce",
                        "awaitTotal",
                        "top",
                        "awaitTotal CancellationException"));
  }

  /** Each of them may have refused the clients. */
  @Test
  void reset_leavesNothingButIntegers() throws Exception {
    Counter counter = client.created(7);
    List<Object> odd = List.of(Double.NaN, "7", Long.MIN_VALUE, 0.5, 4.0, 0.0, -0.0);
    for (int shard = 0; shard < odd.size(); shard++) {
      client.shard(counter, shard).update("count", odd.get(shard)).get();
    }

    assertThat(get(counter.reset()).isUsable()).isFalse();

    assertThat(client.document(counter).collection("shards").get().get().getDocuments())
        .extracting(shard -> shard.get("count"))
        .containsOnly(0L);
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(0));
  }

  /** Then it is never found as it was read; it stays a double, and no increment is lost. */
  @Test
  void reset_ofADoubleThatIsWrittenAllTheTime_isDone() throws Exception {
    Counter counter = client.created(1);
    get(counter.addFraction(0.5));
    double added = 0.5;

    ApiFuture<Total> reset = counter.reset();
    while (!reset.isDone()) {
      get(counter.addFraction(0.5));
      added += 0.5;
    }

    double left = get(counter.exactTotal()).doubleValue();
    assertThat(get(reset).doubleValue() + left).isEqualTo(added);
  }

  /** Or it would make a double of a shard that is in use, for good. */
  @Test
  void doublesThatAreIntegral_areCompactedAsIntegers() throws Exception {
    Counter counter = client.created(4);
    client.shard(counter, 2).update("count", 4.0).get();
    client.shard(counter, 3).update("count", -1.0).get();
    get(counter.resize(1));

    assertThat(get(counter.compact(Duration.ZERO))).isZero();

    assertThat(client.shard(counter, 0).get().get().get("count")).isEqualTo(3L);
  }
}
