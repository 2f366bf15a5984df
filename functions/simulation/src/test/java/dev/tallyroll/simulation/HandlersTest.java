package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.ShardWrite;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An instance of OnShardWritten, event by event: what it does, what it costs, and when a counter
 * becomes live. Three writes within a lease are a burst.
 */
class HandlersTest {
  private static final Duration LEASE = Duration.ofSeconds(5);

  private final Stage stage =
      new Stage(new Timing(Duration.ofSeconds(1), LEASE, Duration.ZERO, /* burst= */ 3));
  private final World world = stage.world;

  /** The ids that runs were asked for. */
  private final List<String> wakeUps = new ArrayList<>();

  private CompletableFuture<Void> published = CompletableFuture.completedFuture(null);
  private final CounterId likes = world.entry(Layout.DEFAULT).counter(CounterPath.of("likes"));
  private final ShardWrites handler = world.handler(world.instance(), Layout.DEFAULT, this::wake);
  private long total;

  private CompletableFuture<Void> wake(String liveId) {
    wakeUps.add(liveId);
    return published;
  }

  /** A quiet roll-up, which is right. */
  private void settled() {
    world.putRollup(likes.path(), ++total, Optional.empty());
    world.time.pass(Duration.ofMinutes(1));
  }

  private CompletableFuture<Void> event(Instant committed) {
    return handler.written(world.event(likes.path(), committed));
  }

  /** A client increments the only shard, and its event comes. */
  private CompletableFuture<Void> increment() {
    return event(world.put(likes.path(), new Total.Whole(++total)));
  }

  private void handleNext() {
    stage.get(increment());
  }

  private Map<Call, Integer> costOfNext() {
    return stage.costs(this::handleNext);
  }

  private Rollup rollup() {
    return world.totals.rollup(likes.path()).orElseThrow();
  }

  private void assertShown(long expected) {
    assertThat(rollup().total()).isEqualTo(new Total.Whole(expected));
  }

  private boolean isLive() {
    return rollup().liveUntil().filter(world.time.now()::isBefore).isPresent();
  }

  @Test
  void writeThatIsAlwaysRefused_isGivenUpAndDeliveredAgain() {
    settled();
    stage.refuse(likes.path(), Integer.MAX_VALUE);

    Map<Call, Integer> cost = stage.costs(() -> assertThat(stage.fails(increment())).isTrue());

    assertThat(cost).containsAllEntriesOf(Map.of(Call.READ, 10, Call.SUM, 10, Call.WRITE, 10));
    assertShown(1);
  }

  @Test
  void sumThatCannotBeStored_isReportedAndDropped() {
    settled();
    Instant committed = world.put(likes.path(), new Total.Fraction(Double.NEGATIVE_INFINITY));

    Map<Call, Integer> cost = stage.costs(() -> stage.get(event(committed)));

    assertThat(cost).doesNotContainKey(Call.WRITE);
    assertShown(1);
    assertThat(stage.warnings())
        .singleElement()
        .asString()
        .contains("ERROR", "not a number that can be stored", "counter=counters/likes");
  }

  @Test
  void documentOfOthers_isLeftAloneAndReported() {
    world.put(likes.rollup(), Map.of("count", 5L));

    assertThat(costOfNext()).isEqualTo(Map.of(Call.READ, 1));

    assertThat(stage.warnings())
        .singleElement()
        .asString()
        .contains(
            "ERROR", "document=rollups/likes", "expected=counters/likes: sum of", "found=nothing");
  }

  /** What an event finds, so that nothing can be stored. */
  enum InVain {
    NO_NUMBER,
    NO_SHARD_AND_NO_ROLLUP,
    DOCUMENT_OF_OTHERS
  }

  private void happens(InVain what) {
    switch (what) {
      case NO_NUMBER -> world.put(likes.path(), new Total.Fraction(Double.NEGATIVE_INFINITY));
      case NO_SHARD_AND_NO_ROLLUP -> {
        world.delete(ServerTotals.shard(likes.path(), 0));
        world.delete(likes.rollup());
      }
      case DOCUMENT_OF_OTHERS -> world.put(likes.rollup(), Map.of("count", 5L));
    }
  }

  @ParameterizedTest
  @EnumSource
  void whereNothingCanBeStored_oneLookASecondIsEnough(InVain what) {
    settled();
    happens(what);
    Map<Call, Integer> one = stage.costs(() -> stage.get(event(world.time.now())));
    Instant looked = world.time.now();

    List<CompletableFuture<Void>> others =
        Stream.generate(() -> event(world.server.tick())).limit(100).toList();
    world.time.pass(Duration.ofMillis(900));
    assertThat(others).noneMatch(CompletableFuture::isDone);

    Map<Call, Integer> all =
        stage.costs(
            () -> stage.get(CompletableFuture.allOf(others.toArray(CompletableFuture[]::new))));
    assertThat(Duration.between(looked, world.time.now())).isLessThan(Duration.ofMillis(1_200));
    assertThat(all.keySet()).isSubsetOf(one.keySet());
    all.forEach(
        (call, number) -> assertThat(number).as("%s", call).isLessThanOrEqualTo(one.get(call)));
    assertThat(all).isNotEmpty().doesNotContainKey(Call.WRITE);
  }

  @Test
  void leaseThatWasRead_coversLaterEventsUnread() {
    world.makeLive(likes.path(), LEASE);
    Instant until = rollup().liveUntil().orElseThrow();

    Map<Call, Integer> first = stage.costs(() -> stage.get(event(world.time.now())));
    assertThat(first).isEqualTo(Map.of(Call.READ, 1));
    assertThat(stage.costs(() -> stage.get(event(until)))).isEmpty();
    assertThat(stage.costs(() -> stage.get(event(until.plusNanos(1_000))))).isNotEmpty();
  }

  @Test
  void burst_makesTheCounterLive_andCoversLaterEventsUnread() {
    settled();
    assertThat(costOfNext()).isEqualTo(Map.of(Call.READ, 1, Call.SUM, 1, Call.WRITE, 1));
    world.time.pass(Duration.ofSeconds(2));
    assertThat(costOfNext()).isEqualTo(Map.of(Call.SUM, 1, Call.WRITE, 1));
    assertThat(isLive()).isFalse();
    assertThat(wakeUps).isEmpty();
    world.time.pass(Duration.ofSeconds(2));

    assertThat(costOfNext()).isEqualTo(Map.of(Call.SUM, 1, Call.WRITE, 1));

    assertShown(4);
    assertThat(isLive()).isTrue();
    assertThat(world.server.list(Functions.of(Layout.DEFAULT).liveList())).hasSize(1);
    assertThat(wakeUps).containsExactly(likes.liveId());
    world.time.pass(LEASE.minusSeconds(1));
    assertThat(costOfNext()).isEmpty();
    assertThat(wakeUps).hasSize(1);
  }

  /** Others write between this instance's sum and its write, once or twice. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void contention_makesTheCounterLiveAtTheSecondTime(int times) {
    settled();
    stage.refuse(likes.path(), times);

    handleNext();

    assertShown(2);
    assertThat(isLive()).isEqualTo(times == 2);
    assertThat(wakeUps).hasSize(times - 1);
  }

  @Test
  void wakeUpThatFails_isLoggedAndNoReasonToRetry() {
    settled();
    published = CompletableFuture.failedFuture(new IllegalStateException("no topic"));

    for (int i = 0; i < 3; i++) {
      handleNext();
    }

    assertThat(isLive()).isTrue();
    assertThat(wakeUps).hasSize(1);
    assertThat(stage.warnings()).singleElement().asString().contains("WARNING", "no topic");
  }

  /** A setting was forgotten: ten shards that hold 5,000 are ten documents. */
  @Test
  void instanceWithOtherSettings_writesNothingOverATotal_andSaysSo() {
    settled();
    Layout forgotten = new Layout(Layout.DEFAULT.of(), "rollups", "");
    ShardWrites other = world.handler(world.instance(), forgotten, this::wake);
    CounterId same = world.entry(forgotten).counter(likes.path());

    assertThat(
            stage.costs(
                () ->
                    stage.get(
                        other.written(
                            new ShardWrite(same, "0", Optional.empty(), Optional.empty())))))
        .isEqualTo(Map.of(Call.READ, 1));

    assertShown(1);
    assertThat(stage.warnings())
        .singleElement()
        .asString()
        .contains("number of {**}/counters/{1}/shards", "sum of count in {**}/counters/{1}/shards");
  }

  /** Later events wait for the first, and then share one sum. */
  @Test
  void eventsThatComeTogether_shareASum() {
    settled();
    CompletableFuture<Void> first = increment();
    List<CompletableFuture<Void>> others = Stream.generate(this::increment).limit(50).toList();

    Map<Call, Integer> cost =
        stage.costs(
            () -> {
              stage.get(first);
              others.forEach(stage::get);
            });

    assertThat(cost.get(Call.SUM)).isEqualTo(2);
    assertShown(total);
  }
}
