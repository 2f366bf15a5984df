package dev.tallyroll.library;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.cloud.Timestamp;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.Total;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.FaultyFirestore;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.Occurrence;
import io.grpc.Status.Code;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each call takes effect, but its reply gets lost. The client itself retries after UNAVAILABLE and
 * RESOURCE_EXHAUSTED. Other errors go to the caller, who here retries until success.
 */
@On(Site.SHARED)
final class LostRepliesIT {
  static final List<Code> CODES =
      List.of(Code.UNAVAILABLE, Code.RESOURCE_EXHAUSTED, Code.DEADLINE_EXCEEDED, Code.ABORTED);

  private static final int INCREMENTS = 1_000;
  private static final int MOST_CALLS = 20;

  private final TestClient client;
  private final ObservedCalls wire;

  LostRepliesIT(LocalCloud cloud) {
    client = new TestClient(cloud);
    wire = client.calls();
  }

  @AfterEach
  void close() {
    client.close();
  }

  static Stream<Arguments> losses() {
    return CODES.stream().flatMap(code -> Stream.of(1, 3).map(times -> Arguments.of(code, times)));
  }

  @ParameterizedTest
  @MethodSource("losses")
  void atLeastOnce_countsEachLostReplyAgain(Code code, int times) throws Exception {
    Counter counter = create();
    wire.loseNext(times, code);

    int calls = callUntilItSucceeds(() -> counter.add(1));

    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(times + 1));
    assertThat(calls).isEqualTo(isRepeatedByTheClient(code) ? 1 : times + 1);
  }

  @ParameterizedTest
  @MethodSource("losses")
  void namedIncrementsAndResets_countOnce(Code code, int times) throws Exception {
    Counter counter = create();
    wire.loseNext(times, code);

    int calls = callUntilItSucceeds(() -> counter.addOnce("order-1", 7));

    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(7));
    assertThat(calls).isEqualTo(isRepeatedByTheClient(code) ? 1 : times + 1);
    assertThat(get(counter.addOnce("order-1", 7))).isFalse();

    get(counter.addOnce("order-2", 8));
    wire.loseNext(times, code);

    callUntilItSucceeds(counter::reset);

    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(0));
  }

  @ParameterizedTest
  @EnumSource(
      value = Code.class,
      names = {"UNAVAILABLE", "RESOURCE_EXHAUSTED"})
  void namelessIncrement_countsOnceAndKnowsWhen(Code code) throws Exception {
    Counter counter = create();
    Instant before = get(counter.add(0));
    wire.loseNext(2, code);

    Instant committed = get(counter.addOnce(7));

    assertThat(wire.lost()).isEqualTo(2);
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(7));
    assertThat(committed).isAfter(before).isBefore(get(counter.add(0)));
    Timestamp written =
        get(client.document(counter).collection("increment_names").get())
            .getDocuments()
            .get(0)
            .getCreateTime();
    assertThat(committed).isEqualTo(written.toSqlTimestamp().toInstant());
  }

  @Test
  void creation_tellsThatTheCounterIsThere() throws Exception {
    Counter counter = client.fresh();
    wire.loseNext(1, Code.UNAVAILABLE);

    assertThatThrownBy(() -> get(counter.create(3)))
        .hasCauseInstanceOf(CounterException.Exists.class);
    get(counter.add(1));

    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(1));
  }

  /** Callers send named increments over a bad wire. */
  @Test
  void manyNamedIncrements_countExactly() throws Exception {
    Counter counter = create();
    Random random = new Random(1);
    wire.decide(
        () ->
            random.nextInt(5) == 0
                ? Optional.of(CODES.get(random.nextInt(CODES.size())).toStatus())
                : Optional.empty());

    Map<String, ApiFuture<Boolean>> calls = new HashMap<>();
    for (int i = 0; i < INCREMENTS; i++) {
      calls.put("order-" + i, counter.addOnce("order-" + i, 1));
    }
    for (var call : calls.entrySet()) {
      callUntilItSucceeds(call.getValue(), () -> counter.addOnce(call.getKey(), 1));
    }

    assertThat(wire.lost()).isGreaterThan(INCREMENTS / 10);
    wire.decide(Optional::empty);
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(INCREMENTS));
  }

  /** The wire of the tests with faults; it counts the commits that the client repeats. */
  @Test
  void faultyWire_losesNothingButReplies() throws Exception {
    Counter counter = create();
    FaultyFirestore faulty = client.wire();
    long before = faulty.count(Occurrence.COMMIT);
    faulty.inject(CallFaults.losingReplies(1, 3));
    ApiFuture<?> increment = counter.add(1);
    await("a lost reply").until(() -> faulty.count(Occurrence.REPLY_LOST) > 0);
    faulty.inject(CallFaults.NONE);
    await("an answer").until(increment::isDone);

    long commits = faulty.count(Occurrence.COMMIT) - before;
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(commits));
  }

  /** The benchmark counts what it costs that writers meet. */
  @Test
  void faultyWire_countsWhatFirestoreRefuses() throws Exception {
    FaultyFirestore faulty = client.wire();
    var document = client.firestore().collection("refusals").document();
    get(document.create(Map.of()));
    assertThat(faulty.count(Occurrence.COMMIT_REFUSED)).isZero();

    assertThatThrownBy(() -> get(document.create(Map.of()))).hasMessageContaining("ALREADY_EXISTS");

    assertThat(faulty.count(Occurrence.COMMIT_REFUSED)).isEqualTo(1);
  }

  private Counter create() throws Exception {
    wire.decide(Optional::empty);
    return client.created(3);
  }

  private static boolean isRepeatedByTheClient(Code code) {
    return code == Code.UNAVAILABLE || code == Code.RESOURCE_EXHAUSTED;
  }

  private static int callUntilItSucceeds(Supplier<ApiFuture<?>> call) throws Exception {
    return callUntilItSucceeds(call.get(), call);
  }

  private static int callUntilItSucceeds(ApiFuture<?> first, Supplier<ApiFuture<?>> again)
      throws Exception {
    ApiFuture<?> call = first;
    for (int calls = 1; calls <= MOST_CALLS; calls++) {
      try {
        get(call);
        return calls;
      } catch (ExecutionException lost) {
        // On a busy machine, the emulator aborts some of a thousand commits at once on a few
        // shards.
        assertThat(lost.getMessage()).containsAnyOf("reply lost", "Transaction lock timeout");
        call = again.get();
      }
    }
    throw new AssertionError("expected the call to succeed once no reply is lost any more");
  }
}
