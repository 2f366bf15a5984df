package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.runs.TickTask;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Polls, one by one; {@link PollsTest} has those of an hour. */
class PollTest {
  private static final CounterPath HOT = CounterPath.of("q-hot");
  private static final CounterPath CALM = CounterPath.of("q-calm");
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Timing TIMING = new Timing(SECOND, Duration.ofSeconds(5), SECOND, 15);

  /** What is below a counter's document ends here. */
  private static final String BEHIND = "/\uDBFF\uDFFF".repeat(2);

  private Stage stage = stage(250);

  PollTest() {
    right(HOT);
    right(CALM);
  }

  private static Stage stage(int documents) {
    return stage(TIMING, documents);
  }

  private static Stage stage(Timing timing, int documents) {
    return new Stage(timing, documents, ServerTotals.POLLED);
  }

  private void right(CounterPath counter) {
    stage.shards(counter, 5L);
    stage.rollup(counter, 5L);
  }

  private void assertShows(CounterPath counter, long total) {
    assertThat(stage.total(counter)).contains(total);
  }

  /** Starts a new run, and waits for its first poll. Returns what the run does at each tick. */
  private TickTask poll() {
    TickTask polls = stage.roller();
    stage.get(polls.fill());
    stage.get(polls.worked());
    return polls;
  }

  /** Sums of a large counter are dear, so polls pass over it until a minute has gone by. */
  @Test
  void largeCounter_isSummedOnceAMinute() {
    stage = stage(TIMING.withMost(0), 250);
    right(HOT);
    stage.shards(HOT, 6L);
    poll();
    assertShows(HOT, 5);
    stage.pass(MINUTE);
    poll();
    assertShows(HOT, 6);
    stage.shards(HOT, 7L);
    int sums = stage.sums(HOT);

    poll();
    assertThat(stage.sums(HOT)).isEqualTo(sums);
    stage.pass(MINUTE);
    poll();

    assertShows(HOT, 7);
  }

  /** The list names a counter that has lost its shards once, so a failure must not lose it. */
  @Test
  void counterWhoseSumFails_isPolledAgainThoughNoListNamesIt() {
    poll();
    stage.deleteShard(CALM);
    stage.failSums(CALM);
    poll();
    assertShows(CALM, 5);
    stage.heal();

    poll();
    assertThat(stage.total(CALM)).isEmpty();
    poll(); // whose last list has named it once more

    int sums = stage.sums(CALM);
    poll();
    assertThat(stage.sums(CALM)).isEqualTo(sums);
  }

  /** Lets a counter lose its shards after a poll has summed it, and before the list beside it. */
  private void deleteBeforeTheList(CounterPath counter) {
    stage.before(
        Call.PAGE, "polled_counters/" + CALM.id() + BEHIND, () -> stage.deleteShard(counter));
    stage.world.faults.late.put(Call.PAGE, SECOND.multipliedBy(5));
  }

  /**
   * The list that names it is not whole, so the next run does not take its counters.
   *
   * @param seconds until the sum before it is answered: the list may name it earlier or later
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 20})
  void counterThatAStoppedListHasNamed_isSummedByTheNextRun(int seconds) {
    TickTask polls = poll();
    stage.shards(CounterPath.of("q-new"), 1L); // for the next run, since this one stops
    stage.pass(MINUTE);
    deleteBeforeTheList(HOT);
    stage.world.faults.late.put(Call.SUM, SECOND.multipliedBy(seconds));
    polls.tick(stage.now());
    stage.pass(SECOND);
    CompletableFuture<Void> drained = polls.drained();
    stage.pass(MINUTE.dividedBy(2));
    assertThat(drained).isCompleted();
    assertShows(HOT, 5);

    poll();

    assertThat(stage.total(HOT)).isEmpty();
  }

  /** A large counter that has lost its shards is named while its last sum is not a minute old. */
  @Test
  void largeCounterThatIsNamedTooEarly_isSummedWhenItIsDue() {
    stage = stage(TIMING.withMost(0), 250);
    right(HOT);
    poll();
    stage.pass(MINUTE);
    stage.shards(HOT, 6L);
    poll();
    assertShows(HOT, 6);
    stage.deleteShard(HOT);
    poll();
    poll();
    assertShows(HOT, 6);
    stage.pass(MINUTE);

    poll();

    assertThat(stage.total(HOT)).isEmpty();
  }

  @Test
  void counterThatHasChanged_getsItsTotalAndNoLease() {
    stage.shards(HOT, 6L);

    TickTask polls = poll();

    assertShows(HOT, 6);
    assertThat(stage.isLive(HOT)).isFalse();
    assertThat(polls.isIdle()).isFalse();
    assertThat(stage.calls(Call.LIVE, Call.LIVE_SINCE)).isZero();

    stage.pass(SECOND);
    stage.shards(HOT, 7L);
    stage.tick(polls);
    assertShows(HOT, 7);
    assertThat(stage.reads(HOT)).isEqualTo(1); // it knows the version that it has written
    assertThat(stage.reads(CALM)).isEqualTo(2);
  }

  /** Before events are turned into polls, handlers give leases. */
  @Test
  void leaseOfAHandler_isKeptToItsEnd() {
    stage.shards(HOT, 6L);
    stage.live(HOT, 5L, MINUTE);
    CounterId hot = stage.world.counter(HOT);

    TickTask polls = poll();

    assertShows(HOT, 6);
    assertThat(stage.isLive(HOT)).isTrue();
    stage.pass(MINUTE.plus(SECOND.dividedBy(2))); // it may not be visible yet what was covered
    stage.tick(polls);
    assertThat(stage.isLive(HOT)).isTrue();
    stage.pass(SECOND);
    stage.tick(polls);
    assertThat(stage.isLive(HOT)).isFalse();
    assertThat(stage.isListed(hot)).isFalse();
  }

  /** One of them fails at each poll, and delays no other. */
  @Test
  void manyCountersWithoutATotal_haveOneAfterAPoll() {
    stage = stage(10_000);
    List<CounterPath> many =
        IntStream.range(0, 3_000).mapToObj(i -> CounterPath.of("q%04d".formatted(i))).toList();
    many.forEach(counter -> stage.shards(counter, 7L));
    CounterPath failing = many.get(1_500);
    stage.failSums(failing);

    poll();

    assertThat(many)
        .filteredOn(counter -> !counter.equals(failing))
        .allSatisfy(counter -> assertShows(counter, 7));
    assertThat(stage.total(failing)).isEmpty();
    assertThat(stage.log()).singleElement().asString().contains("failed=1");
  }

  /**
   * To find all counters may take longer than a tick: those that are known are summed meanwhile.
   */
  @Test
  void slowList_delaysNoKnownCounter() {
    TickTask polls = poll();
    stage.pass(MINUTE);
    int pages = stage.calls(Call.PAGE);
    stage.world.faults.late.put(Call.PAGE, SECOND.multipliedBy(5));
    CounterPath other = CounterPath.of("q-other");
    stage.shards(other, 1L);
    for (long total = 6; total < 10; total++) {
      stage.shards(HOT, total);
      polls.tick(stage.now());
      stage.pass(SECOND);
      assertShows(HOT, total);
    }
    assertThat(stage.total(other)).isEmpty();
    int sums = stage.sums(HOT);
    stage.pass(MINUTE.dividedBy(2));

    assertShows(other, 1);
    assertThat(stage.sums(HOT)).isEqualTo(sums);
    assertThat(stage.calls(Call.PAGE)).isEqualTo(pages + 4); // behind each counter, and the last
  }

  /** Their sums take a minute; the next polls go on without them. */
  @Test
  void slowCounters_delayNoOther() {
    stage.world.faults.late.put(Call.SUM, MINUTE);
    var unused = stage.roller().fill();
    stage.pass(SECOND.multipliedBy(2));
    stage.world.faults.late.clear();
    CounterPath other = CounterPath.of("q-other");
    stage.shards(other, 6L);
    TickTask polls = stage.roller();

    stage.get(polls.fill());

    assertShows(other, 6);
    assertThat(stage.sums(HOT)).isEqualTo(1);
    stage.get(polls.worked());
    assertThat(stage.sums(HOT)).isEqualTo(1);
  }

  @Test
  void counterWithoutShards_losesItsRollup() {
    poll();
    stage.deleteShard(HOT);

    poll();

    assertThat(stage.total(HOT)).isEmpty();
    assertShows(CALM, 5);
  }

  @Test
  void badCounters_delayNoOther() {
    CounterPath taken = CounterPath.of("q-a-taken");
    CounterPath broken = CounterPath.of("q-broken");
    CounterPath failing = CounterPath.of("q-failing");
    stage.shards(taken, 6L);
    stage.foreign(taken, "of others");
    right(broken);
    stage.shards(broken, Double.NEGATIVE_INFINITY);
    right(failing);
    stage.shards(failing, 6L);
    stage.failSums(failing);
    stage.shards(HOT, 6L);

    poll();

    assertShows(HOT, 6);
    assertShows(broken, 5);
    assertShows(failing, 5);
    assertThat(stage.calls(Call.WRITE)).isEqualTo(1);
    assertThat(stage.log()).hasSize(3);
    assertThat(stage.log())
        .anyMatch(line -> line.matches("ERROR a document without.*q-a-taken.*"))
        .anyMatch(line -> line.matches("ERROR sum is not a number.*q-broken.*"));
    assertThat(stage.log().get(2))
        .startsWith("WARNING not all counters could be summed")
        .contains("failed=1", "UNAVAILABLE");
  }

  /** Whoever was faster has just summed it. */
  @Test
  void refusedWrite_isLeftToTheNextRun() {
    stage.shards(HOT, 6L);
    stage.refuse(HOT, 1);

    poll();
    assertShows(HOT, 5);
    assertThat(stage.writes(HOT)).isEqualTo(1);

    poll();
    assertShows(HOT, 6);
  }

  @Test
  void listThatFails_isTold() {
    stage.world.faults.refused.add(Call.PAGE);

    poll();

    assertThat(stage.log()).singleElement().asString().startsWith("WARNING").contains("failed=1");
    assertThat(stage.calls(Call.SUM)).isZero();
  }

  /** The next run goes on from there. */
  @Test
  void moreCountersThanARunMayList_areLeftToTheNext() {
    stage = stage(2); // it jumps from counter to counter, and so finds four
    List<CounterPath> five = Stream.of("q1", "q2", "q3", "q4", "q5").map(CounterPath::of).toList();
    CounterPath last = five.get(4);
    five.forEach(counter -> stage.shards(counter, 5L));

    poll();

    assertThat(stage.total(last)).isEmpty();
    assertThat(stage.place("poll-0")).isEqualTo("WITH_SHARDS polled_counters/q4");
    assertThat(stage.log()).singleElement().asString().startsWith("WARNING more counters");

    poll();

    assertThat(five).allSatisfy(counter -> assertShows(counter, 5));
    assertThat(five).allMatch(counter -> stage.sums(counter) == 1);
    assertThat(stage.hasRunDocument("poll-0")).isFalse();
  }

  @Test
  void onePageOfCounters_writesNoPlace() {
    poll();

    assertThat(stage.sums(HOT)).isEqualTo(1);
    assertThat(stage.calls(Call.CLAIM_RUN, Call.RELEASE_RUN)).isZero();
  }

  /** An instance that is about to end leaves the rest of its page to the next run, too. */
  @Test
  void runThatEnds_keepsThePlaceBeforeWhatItHasNotSummed() {
    stage = stage(1_000);
    for (int i = 0; i < 450; i++) {
      right(CounterPath.of("q%03d".formatted(i))); // a page has 300
    }
    poll(); // from now on, the instance knows where pages end
    int before = stage.calls(Call.SUM);
    CounterPath last = CounterPath.of("q449");
    stage.shards(last, 6L);
    stage.before(
        Call.PAGE,
        "polled_counters/q299" + BEHIND,
        () -> stage.world.faults.late.put(Call.SUM, MINUTE));
    stage.roll();
    TickTask roller = stage.roller();
    CompletableFuture<Void> all = roller.fill();
    stage.pass(Duration.ofMillis(900));

    CompletableFuture<Void> drained = roller.drained();
    assertThat(drained).isNotDone();
    stage.pass(MINUTE);

    assertThat(all).isCompleted();
    assertThat(drained).isCompleted();
    assertThat(stage.calls(Call.SUM)).isBetween(before + 301, before + 400); // so many at once
    assertThat(stage.place("poll-0")).isEqualTo("WITH_SHARDS polled_counters/q299");
    assertShows(last, 5);

    poll();
    assertShows(last, 6);
  }

  @Test
  void placeOfOtherSettings_isNone() {
    stage.pollHasLeft("zoo/m");
    stage.shards(CALM, 6L);

    poll();

    assertShows(CALM, 6);
    assertThat(stage.hasRunDocument("poll-0")).isFalse();
  }
}
