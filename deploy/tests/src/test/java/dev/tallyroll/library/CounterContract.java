package dev.tallyroll.library;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.common.util.concurrent.Uninterruptibles;
import dev.tallyroll.BufferOptions;
import dev.tallyroll.BufferedCounter;
import dev.tallyroll.BufferedCounters;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import dev.tallyroll.CounterReader;
import dev.tallyroll.CounterTotal;
import dev.tallyroll.Counters;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.Total;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests for counters on Firestore, with the real functions, and for counters in memory. */
abstract class CounterContract {
  static final Instant NEVER = Instant.parse("2999-01-01T00:00:00Z");
  static final Duration LONG = Duration.ofHours(1);
  private static final Duration SOON = Duration.ofMinutes(1);
  private static final int STEPS = 100;

  abstract Counters counters();

  /** A call that fails. */
  @FunctionalInterface
  interface Call {
    ApiFuture<?> on(Counter counter);
  }

  private Counter fresh() {
    return counters().counter("c-" + UUID.randomUUID());
  }

  @Test
  void write_isAwaitedInTheTotal() throws Exception {
    Counter counter = fresh();
    get(counter.create(1));
    await("a roll-up")
        .until(() -> get(counter.total()), total -> total.asOf().isAfter(Instant.EPOCH));

    get(counter.add(4));
    Instant committed = get(counter.add(-1));
    RolledUpTotal total = get(counter.awaitTotal(committed, SOON));

    assertThat(total.longValue()).isEqualTo(3);
    assertThat(total.asOf()).isAfterOrEqualTo(committed);
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(3));
    assertThat(counter).hasToString("counter " + counter.path());
  }

  @Test
  void waitInVain_isToldWithWhatWasFound() throws Exception {
    Counter counter = fresh();

    assertThatThrownBy(() -> get(counter.awaitTotal(NEVER, Duration.ofMillis(1))))
        .hasCauseInstanceOf(CounterException.Behind.class)
        .hasMessageContaining(
            "counter %s: expected a total as of 2999-01-01T00:00:00Z within PT0.001S; found ",
            counter.path());
  }

  @Test
  void bufferedAdds_areOneCommitThatIsAwaitedInTheTotal() throws Exception {
    Counters below = counters().below("contracts/" + UUID.randomUUID());
    Counter counter = below.counter("likes");
    get(counter.create(2));
    try (BufferedCounters buffered =
        below.buffered(BufferOptions.builder().maxDelay(Duration.ofMillis(50)).build())) {
      BufferedCounter likes = buffered.counter("likes");
      ApiFuture<Instant> first = likes.add(5);
      ApiFuture<Instant> second = buffered.counter(counter.path()).add(-2);

      assertThat(get(first)).isEqualTo(get(second));
      assertThat(get(counter.awaitTotal(get(first), SOON)).longValue()).isEqualTo(3);
      assertThat(likes.path()).isEqualTo(counter.path());
      assertThatThrownBy(() -> get(buffered.counter("none").add(1)))
          .hasCauseInstanceOf(CounterException.NotFound.class);
    }
  }

  /** No timer may hold an ended wait: the timer would hold it for an hour. */
  @Test
  void endedWaits_areHeldByNothing() throws Exception {
    Counter counter = fresh();
    var ended = List.of(successfulWait(counter), cancelledWait(counter));

    await("the waits to be forgotten")
        .until(
            () -> {
              System.gc();
              return ended.stream().allMatch(wait -> wait.refersTo(null));
            });
  }

  private static WeakReference<?> successfulWait(Counter counter) throws Exception {
    ApiFuture<RolledUpTotal> wait = counter.awaitTotal(Instant.EPOCH, LONG);
    assertThat(get(wait)).isEqualTo(RolledUpTotal.NONE);
    return new WeakReference<>(wait);
  }

  private static WeakReference<?> cancelledWait(Counter counter) {
    ApiFuture<RolledUpTotal> wait = counter.awaitTotal(NEVER, LONG);
    assertThat(wait.cancel(false)).isTrue();
    return new WeakReference<>(wait);
  }

  @Test
  void addingNothing_isTimedWhenItIsDone() throws Exception {
    Counter counter = fresh();
    get(counter.create(1));
    Instant first = get(counter.add(1));
    Instant second = get(counter.add(1));

    assertThat(get(counter.add(0))).isAfter(second);
    assertThat(second).isAfter(first);
  }

  @Test
  void fractions_makeTheTotalADouble() throws Exception {
    Counter counter = fresh();
    get(counter.create(1));

    get(counter.addFraction(0.5));
    get(counter.addFractionOnce("a", 0.25));

    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Fraction(0.75));
    assertThat(get(counter.reset())).isEqualTo(new Total.Fraction(0.75));
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(0));
  }

  @Test
  void totals_areFoundByIdInOrderAndByHeight() throws Exception {
    Counters some = counters().below("contracts/" + UUID.randomUUID());
    for (String id : List.of("b", "a", "c")) {
      get(some.counter(id).create(1));
    }
    get(some.counter("a").add(5));
    get(some.counter("b").add(-2));
    get(some.counter("c").addFraction(0.5));
    await("all totals")
        .untilAsserted(
            () -> assertThat(totals(some.top(9))).isEqualTo(List.of("a 5", "c 0.5", "b -2")));

    assertThat(totals(some.top(1))).containsExactly("a 5");
    assertThat(totals(some.list("", "", 2))).containsExactly("a 5", "b -2");
    assertThat(totals(some.list("", "b", 2))).containsExactly("c 0.5");
    assertThat(get(some.list("", "c", 2))).isEmpty();
    assertThat(totals(some.totals(List.of("c", "none", "a", "c"))))
        .containsExactly("c 0.5", "none 0", "a 5", "c 0.5");
    assertThat(get(some.totals(List.of("none"))))
        .extracting(CounterTotal::total)
        .containsExactly(RolledUpTotal.NONE);
    assertThat(get(some.totals(List.of()))).isEmpty();
  }

  private static List<String> totals(ApiFuture<List<CounterTotal>> found) throws Exception {
    return get(found).stream().map(one -> one.id() + " " + one.total().total()).toList();
  }

  @Test
  void countersThatBeginAlike_areListedPageByPage() throws Exception {
    Counters some = counters().below("contracts/" + UUID.randomUUID());
    String last = "clicks-" + Character.toString(0x1F600);
    List<String> clicks = List.of("clicks-", "clicks-1", "clicks-2", last);
    for (String id : List.of("all", "banners-1", "click", "clicks", "views-1", "clicksA")) {
      get(some.counter(id).create(1));
    }
    for (String id : clicks) {
      get(some.counter(id).create(1));
    }
    await("all totals").until(() -> get(some.top(11)).size() == 10);

    assertThat(ids(some.list("clicks-", "", 9))).isEqualTo(clicks);
    assertThat(ids(some.list("clicks-", "", 2))).isEqualTo(clicks.subList(0, 2));
    assertThat(ids(some.list("clicks-", "clicks-1", 9))).isEqualTo(clicks.subList(2, 4));
    assertThat(ids(some.list("clicks-", "all", 9))).isEqualTo(clicks);
    assertThat(ids(some.list("clicks-", last, 9))).isEmpty();
    assertThat(ids(some.list("clicks-", "views-1", 9))).isEmpty();
    assertThat(ids(some.list("none", "", 9))).isEmpty();
  }

  private static List<String> ids(ApiFuture<List<CounterTotal>> found) throws Exception {
    return get(found).stream().map(CounterTotal::id).toList();
  }

  @Test
  void counter_isListenedToUntilItIsDeleted() throws Exception {
    Counter counter = fresh();
    List<RolledUpTotal> heard = new CopyOnWriteArrayList<>();
    var registration = counter.listen(heard::add, ended -> {});
    await("that there is none to be heard").until(() -> !heard.isEmpty());
    get(counter.create(2));

    get(counter.add(3));
    await("the total to be heard").until(() -> last(heard).longValue() == 3);
    get(counter.delete());
    await("the deletion to be heard").until(() -> last(heard).equals(RolledUpTotal.NONE));
    registration.remove();

    assertThat(heard).first().isEqualTo(RolledUpTotal.NONE);
    assertThat(get(counter.total())).isEqualTo(RolledUpTotal.NONE);
  }

  @Test
  void reader_hasNumberAndAverageBesideTheTotal() throws Exception {
    Counter counter = fresh();
    CounterReader reader = counters().reader(counter.path());
    assertThat(get(reader.total())).isEqualTo(RolledUpTotal.NONE);
    List<RolledUpTotal> heard = new CopyOnWriteArrayList<>();
    var registration = reader.listen(heard::add, ended -> {});
    get(counter.create(2));

    RolledUpTotal total = get(reader.awaitTotal(get(counter.add(7)), SOON));

    assertThat(List.of(total.longValue(), total.number())).containsExactly(7L, 2L);
    assertThat(total.average()).isEqualTo(3.5);
    await("the average to be heard").until(() -> last(heard).average() == 3.5);
    registration.remove();
    assertThat(reader).hasToString("counter " + counter.path());
    assertThat(counters().reader("a").path()).isEqualTo(counters().counter("a").path());
  }

  @Test
  void listener_hearsTotalsInTheirOrderFromAnyExecutor() throws Exception {
    Counter counter = fresh();
    get(counter.create(1));
    List<RolledUpTotal> heard = new CopyOnWriteArrayList<>();
    var isFirst = new AtomicBoolean(true);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    Consumer<RolledUpTotal> listener =
        total -> {
          if (isFirst.getAndSet(false)) {
            Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(300));
          }
          heard.add(total);
        };
    var registration = counter.listen(threads, listener, failure -> {});
    try {
      for (int i = 0; i < 10; i++) {
        get(counter.add(1));
      }

      await("the total to be heard").until(() -> last(heard).longValue() == 10);
    } finally {
      registration.remove();
      threads.shutdown();
    }
    assertThat(heard).isSortedAccordingTo(Comparator.comparing(RolledUpTotal::longValue));
  }

  private static RolledUpTotal last(List<RolledUpTotal> heard) {
    return heard.isEmpty() ? RolledUpTotal.NONE : heard.get(heard.size() - 1);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the call throws, so there is no future
  @Test
  void badArguments_areRefusedAtOnce() {
    List<Call> calls =
        List.of(
            counter -> counter.create(0),
            counter -> counter.create(1_001),
            counter -> counter.resize(0),
            counter -> counter.resize(10_000_000),
            counter -> counter.add((1L << 40) + 1),
            counter -> counter.add(Long.MIN_VALUE),
            counter -> counter.addFraction(Double.NaN),
            counter -> counter.addFraction(Double.POSITIVE_INFINITY),
            counter -> counter.addFractionOnce("a", Double.NaN),
            counter -> counter.addOnce("a", Long.MAX_VALUE),
            counter -> counter.addOnce((1L << 40) + 1),
            counter -> counter.prepare((1L << 40) + 1),
            counter -> counter.prepareFraction(Double.NaN),
            counter -> counter.addOnce("", 1),
            counter -> counter.addOnce("a/b", 1),
            counter -> counter.addOnce("__a__", 1),
            counter -> counter.addOnce("a".repeat(1_501), 1),
            counter -> counter.addOnce("\ud800", 1),
            counter -> counter.compact(Duration.ofNanos(-1)),
            counter -> counter.awaitTotal(Instant.EPOCH, Duration.ofDays(1)));
    Counter counter = fresh();

    for (int i = 0; i < calls.size(); i++) {
      var call = calls.get(i);
      assertThatIllegalArgumentException()
          .as("call %d", i)
          .isThrownBy(() -> call.on(counter))
          .withMessageMatching("(?s).*: expected .*; found .*");
    }
  }

  @Test
  @SuppressWarnings({"NullAway", "FutureReturnValueIgnored"}) // the test passes null on purpose
  void nulls_areRefusedByName() {
    Counter counter = fresh();

    assertNamed("increment name", () -> counter.addOnce(null, 1));
    assertNamed("unwritten", () -> counter.compact(null));
    assertNamed("committed", () -> counter.awaitTotal(null, SOON));
    assertNamed("atMost", () -> counter.awaitTotal(Instant.EPOCH, null));
    assertNamed("executor", () -> counter.listen(null, total -> {}, failure -> {}));
    assertNamed("changed", () -> counter.listen(null, ended -> {}));
    assertNamed("ended", () -> counter.listen(total -> {}, null));
    assertNamed("increment name", () -> counter.addFractionOnce(null, 1));
    assertNamed("counter id", () -> counters().counter((String) null));
    assertNamed("counter id", () -> counters().reader((String) null));
    assertNamed("ids", () -> counters().totals(null));
    assertNamed("counter id", () -> counters().totals(Collections.singleton(null)));
    assertNamed("after", () -> counters().list("", null, 1));
    assertNamed("prefix", () -> counters().list(null, "", 1));
    assertNamed("parent", () -> counters().below(null));
  }

  private static void assertNamed(String what, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(NullPointerException.class)
        .hasMessage(what + ": expected a value; found null");
  }

  @Test
  void badIds_areRefused() {
    for (String id : List.of("", ".", "..", "a/b", "__likes__")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> counters().counter(id))
          .withMessageStartingWith("counter id: expected ");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> counters().reader(id))
          .withMessageStartingWith("counter id: expected ");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> counters().totals(List.of(id)))
          .withMessageStartingWith("counter id: expected ");
    }
  }

  @Test
  void badPages_areRefused() {
    for (int most : new int[] {0, 1_001}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> counters().top(most))
          .withMessage("most: expected a number from 1 to 1000; found " + most);
      assertThatIllegalArgumentException().isThrownBy(() -> counters().list("", "", most));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> counters().list("a/b", "", 1));
    assertThatIllegalArgumentException().isThrownBy(() -> counters().below("rooms"));
    List<String> many = Stream.iterate(0, i -> i + 1).limit(1_001).map(i -> "c" + i).toList();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> counters().totals(many))
        .withMessage("ids: expected at most 1000; found 1001");
  }

  @Test
  void handle_isOfTheCounterWhereverItIs() {
    CounterPath path = new CounterPath("rooms/r1", "likes");

    assertThat(counters().counter(path).path()).isEqualTo(path);
    assertThat(counters().below("").counter("likes").path()).isEqualTo(CounterPath.of("likes"));
  }

  @Test
  void anyCalls_countAsAPlainLong() throws Exception {
    Counter counter = fresh();
    Play play = new Play(new Random(1), counter, counters().counter(counter.path()));
    for (int step = 0; step < STEPS; step++) {
      try {
        play.step();
      } catch (Exception | AssertionError failure) {
        throw new AssertionError("after " + play.done, failure);
      }
    }
    Total exact = get(counter.exactTotal());
    await("the exact total").until(() -> get(counter.total()).total().equals(exact));
  }

  /**
   * Random calls of one counter through two handles, each of which remembers its own number of
   * shards. A plain long holds the expected total.
   */
  private static final class Play {
    private final Random random;
    private final List<Counter> handles;
    private final Set<String> names = new HashSet<>();
    private final List<String> done = new ArrayList<>();
    private Counter counter;
    private boolean exists;
    private long expected;

    Play(Random random, Counter one, Counter other) {
      this.random = random;
      this.handles = List.of(one, other);
      this.counter = one;
    }

    void step() throws Exception {
      counter = handles.get(random.nextInt(handles.size()));
      int shards = 1 + random.nextInt(8);
      long delta = random.nextInt(201) - 100L;
      switch (random.nextInt(22)) {
        case 0 -> delete();
        case 1, 2, 3 -> create(shards);
        case 4, 5 -> check("resize " + shards, counter.resize(shards));
        case 6, 7 ->
            check("compact", counter.compact(Duration.ZERO))
                .ifPresent(left -> assertThat(left).isZero());
        case 8 -> {
          var whole = new Total.Whole(expected);
          check("reset", counter.reset()).ifPresent(taken -> assertThat(taken).isEqualTo(whole));
          expected = 0;
        }
        case 20, 21 -> {
          check("addOnce " + delta, counter.addOnce(delta));
          expected += exists ? delta : 0;
        }
        case 9, 10, 11, 12, 13 -> addOnce("name-" + random.nextInt(30), delta);
        default -> {
          check("add " + delta, counter.add(delta));
          expected += exists ? delta : 0;
        }
      }
      assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(expected));
    }

    private void create(int shards) throws Exception {
      done.add("create " + shards);
      ApiFuture<Void> created = counter.create(shards);
      if (exists) {
        assertThatThrownBy(() -> get(created)).hasCauseInstanceOf(CounterException.Exists.class);
      } else {
        get(created);
        exists = true;
      }
    }

    private void addOnce(String name, long delta) throws Exception {
      boolean isNew = exists && names.add(name);
      check("addOnce " + name + " " + delta, counter.addOnce(name, delta))
          .ifPresent(counted -> assertThat(counted).isEqualTo(isNew));
      expected += isNew ? delta : 0;
    }

    private void delete() throws Exception {
      done.add("delete");
      get(counter.delete());
      exists = false;
      expected = 0;
      names.clear();
    }

    /** Checks that the call succeeds if the counter exists, and else fails with NotFound. */
    private <T> Optional<T> check(String what, ApiFuture<T> call) throws Exception {
      done.add(what);
      if (exists) {
        return Optional.ofNullable(get(call));
      }
      assertThatThrownBy(() -> get(call)).hasCauseInstanceOf(CounterException.NotFound.class);
      return Optional.empty();
    }
  }
}
