package dev.tallyroll.client;

import static dev.tallyroll.client.Waits.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterDamagedException;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterExistsException;
import dev.tallyroll.CounterNotFoundException;
import dev.tallyroll.Counters;
import dev.tallyroll.Total;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input: a typed error, and nothing written. */
@ExtendWith(SharedCloud.class)
@TestInstance(Lifecycle.PER_CLASS)
final class BadInputIT {
  /** A call that is wrong, or goes wrong. */
  @FunctionalInterface
  interface Call {
    ApiFuture<?> on(Counter counter);
  }

  private final Meter meter = new Meter();
  private final Firestore firestore;
  private final Counters counters;

  BadInputIT(LocalCloud cloud) {
    firestore = Wire.open(cloud, meter);
    counters = Counters.of(firestore);
  }

  @AfterAll
  void close() throws Exception {
    firestore.close();
  }

  private Counter fresh() {
    return counters.counter("bad-" + UUID.randomUUID());
  }

  private static Named<Call> call(String name, Call call) {
    return Named.of(name, call);
  }

  static Stream<Named<Call>> badArguments() {
    return Stream.of(
        call("create 0", counter -> counter.create(0)),
        call("create -1", counter -> counter.create(-1)),
        call("create 1,001", counter -> counter.create(1_001)),
        call("create 10,000,000", counter -> counter.create(10_000_000)),
        call("resize 0", counter -> counter.resize(0)),
        call("resize 10,000,000", counter -> counter.resize(10_000_000)),
        call("add 2^40 + 1", counter -> counter.add((1L << 40) + 1)),
        call("add the least long", counter -> counter.add(Long.MIN_VALUE)),
        call("add NaN", counter -> counter.add(Double.NaN)),
        call("add infinity", counter -> counter.add(Double.POSITIVE_INFINITY)),
        call("add 1e300", counter -> counter.add(1e300)),
        call("addOnce NaN", counter -> counter.addOnce("a", Double.NaN)),
        call("addOnce the largest long", counter -> counter.addOnce("a", Long.MAX_VALUE)),
        call("addOnce without a name", counter -> counter.addOnce("", 1)),
        call("addOnce with a slash", counter -> counter.addOnce("a/b", 1)),
        call("addOnce with a reserved name", counter -> counter.addOnce("__a__", 1)),
        call("addOnce with a long name", counter -> counter.addOnce("a".repeat(1_501), 1)),
        call("addOnce with half a character", counter -> counter.addOnce("\ud800", 1)),
        call("compact in the past", counter -> counter.compact(Duration.ofNanos(-1))));
  }

  @ParameterizedTest
  @MethodSource("badArguments")
  void badArguments_areRefusedWithoutACall(Call call) {
    Counter counter = fresh();
    meter.bill();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> call.on(counter))
        .withMessageMatching("(?s).*: expected .*; found .*");
    assertThat(meter.bill()).isEqualTo(new Bill(0, 0, 0, 0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a/b", "__likes__"})
  void badIds_areRefused(String id) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> counters.counter(id))
        .withMessageStartingWith("counter id: expected ");
  }

  static Stream<Named<Call>> callsOfACounter() {
    return Stream.of(
        call("add", counter -> counter.add(1)),
        call("addOnce", counter -> counter.addOnce("a", 1)),
        call("reset", Counter::reset),
        call("resize", counter -> counter.resize(2)),
        call("compact", counter -> counter.compact(Duration.ZERO)));
  }

  @ParameterizedTest
  @MethodSource("callsOfACounter")
  void missingCounter_isNotFound(Call call) {
    assertFails(fresh(), call, CounterNotFoundException.class);
  }

  static Stream<Named<Call>> callsThatNeedTheNumber() {
    return callsOfACounter().filter(call -> !call.getName().matches("reset|resize"));
  }

  @ParameterizedTest
  @MethodSource("callsThatNeedTheNumber")
  void damagedCounter_isRefused(Call call) throws Exception {
    Counter counter = fresh();
    firestore.document("counters/" + counter.path()).create(Map.of("num_shards", "ten")).get();

    assertFails(counter, call, CounterDamagedException.class);
  }

  @Test
  void damagedNumber_isReplacedByResize() throws Exception {
    Counter counter = fresh();
    firestore.document("counters/" + counter.path()).create(Map.of("num_shards", -3)).get();

    get(counter.resize(2));
    get(counter.add(5));

    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(5));
  }

  @Test
  void counterThatIsThere_isNotCreatedAgain() throws Exception {
    Counter counter = fresh();
    get(counter.create(2));

    assertFails(counter, again -> again.create(3), CounterExistsException.class);
  }

  @Test
  void missingCounter_hasNoTotalAndSumsToNothing() throws Exception {
    Counter counter = fresh();

    assertThat(get(counter.total())).isEmpty();
    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(0));
    get(counter.delete());
  }

  private void assertFails(Counter counter, Call call, Class<? extends CounterException> expected) {
    meter.bill();

    assertThatThrownBy(() -> get(call.on(counter)))
        .hasCauseInstanceOf(expected)
        .hasMessageContaining(counter.path().toString());
    assertThat(meter.bill()).extracting(Bill::writes, Bill::deletes).containsExactly(0L, 0L);
  }
}
