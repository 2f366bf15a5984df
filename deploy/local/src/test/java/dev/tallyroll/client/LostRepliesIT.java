package dev.tallyroll.client;

import static dev.tallyroll.client.Waits.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterExistsException;
import dev.tallyroll.Counters;
import dev.tallyroll.Total;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What each call does when Firestore carries it out and the reply gets lost: the client repeats
 * UNAVAILABLE and RESOURCE_EXHAUSTED by itself, and leaves the others to the caller, who here calls
 * again until it succeeds.
 */
@ExtendWith(SharedCloud.class)
@TestInstance(Lifecycle.PER_CLASS)
final class LostRepliesIT {
  private static final List<Code> CODES =
      List.of(Code.UNAVAILABLE, Code.RESOURCE_EXHAUSTED, Code.DEADLINE_EXCEEDED, Code.ABORTED);

  private final LostReplies wire = new LostReplies();
  private final Firestore firestore;
  private final Counters counters;

  LostRepliesIT(LocalCloud cloud) {
    firestore = Wire.open(cloud, wire);
    counters = Counters.of(firestore);
  }

  @AfterAll
  void close() throws Exception {
    firestore.close();
  }

  static Stream<Arguments> losses() {
    return CODES.stream()
        .flatMap(code -> Stream.of(1, 2, 3).map(times -> Arguments.of(code, times)));
  }

  @ParameterizedTest
  @MethodSource("losses")
  void atLeastOnce_countsEachLostReplyAgain(Code code, int times) throws Exception {
    Counter counter = create();
    wire.loseNext(times, code);

    int calls = callUntilItSucceeds(() -> counter.add(1));

    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(times + 1));
    assertThat(calls).isEqualTo(isRepeatedByTheClient(code) ? 1 : times + 1);
  }

  @ParameterizedTest
  @MethodSource("losses")
  void exactlyOnce_countsOnce(Code code, int times) throws Exception {
    Counter counter = create();
    wire.loseNext(times, code);

    int calls = callUntilItSucceeds(() -> counter.addOnce("order-1", 1));

    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(1));
    assertThat(calls).isEqualTo(isRepeatedByTheClient(code) ? 1 : times + 1);
    assertThat(get(counter.addOnce("order-1", 1))).isFalse();
  }

  @ParameterizedTest
  @MethodSource("losses")
  void reset_takesOffOnce(Code code, int times) throws Exception {
    Counter counter = create();
    get(counter.add(7));
    get(counter.add(8));
    wire.loseNext(times, code);

    callUntilItSucceeds(counter::reset);

    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(0));
  }

  @ParameterizedTest
  @EnumSource(
      value = Code.class,
      names = {"UNAVAILABLE", "ABORTED"})
  void resizingAndCompaction_keepTheSum(Code code) throws Exception {
    Counter counter = create();
    for (int i = 0; i < 20; i++) {
      get(counter.add(1));
    }

    wire.loseNext(1, code);
    callUntilItSucceeds(() -> counter.resize(1));
    assertThat(wire.lost()).isEqualTo(1);
    wire.loseNext(1, code);
    callUntilItSucceeds(() -> counter.compact(Duration.ZERO));
    assertThat(wire.lost()).isEqualTo(1);

    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(20));
    assertThat(get(counter.compact(Duration.ZERO))).isZero();
    assertThat(firestore.document("counters/" + counter.path() + "/shards/1").get().get().exists())
        .isFalse();
  }

  @Test
  void creation_tellsThatTheCounterIsThere() throws Exception {
    Counter counter = counters.counter("lost-" + UUID.randomUUID());
    wire.loseNext(1, Code.UNAVAILABLE);

    assertThatThrownBy(() -> get(counter.create(3)))
        .hasCauseInstanceOf(CounterExistsException.class);
    get(counter.add(1));

    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(1));
  }

  private Counter create() throws Exception {
    wire.decide(Optional::empty);
    Counter counter = counters.counter("lost-" + UUID.randomUUID());
    get(counter.create(3));
    return counter;
  }

  private static boolean isRepeatedByTheClient(Code code) {
    return code == Code.UNAVAILABLE || code == Code.RESOURCE_EXHAUSTED;
  }

  private static int callUntilItSucceeds(Supplier<ApiFuture<?>> call) throws Exception {
    for (int calls = 1; calls <= 4; calls++) {
      try {
        get(call.get());
        return calls;
      } catch (ExecutionException lost) {
        assertThat(lost).hasMessageContaining("reply lost by the test");
      }
    }
    throw new AssertionError("expected the call to succeed once no reply is lost any more");
  }
}
