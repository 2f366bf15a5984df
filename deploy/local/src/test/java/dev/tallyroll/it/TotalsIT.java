package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What shards add up to, wherever they lie. */
@On(Site.SHARED)
final class TotalsIT {
  private final Lab lab;

  TotalsIT(Lab lab) {
    this.lab = lab;
  }

  @Test
  void decrements_lowerTheTotalBelowZero() throws Exception {
    var counter = lab.counter().create(2);
    counter.increment(0, 5);
    counter.awaitTotal(5L);

    counter.increment(1, -12);

    counter.awaitSettled(-7L);
  }

  @Test
  void total_isIntegerUntilOneShardIsDouble() throws Exception {
    var counter = lab.counter();
    counter.increment(0, 2);
    counter.awaitTotal(2L);

    counter.increment(1, 0.5);
    counter.awaitTotal(2.5);
    counter.increment(2, 1.5);

    // A whole number, and still a double.
    counter.awaitSettled(4.0);
  }

  @Test
  void total_isIntegerAgainWithoutDoubles() throws Exception {
    var counter = lab.counter();
    counter.increment(0, 2);
    counter.increment(1, 0.5);
    counter.awaitTotal(2.5);

    counter.put(1, 3);

    counter.awaitSettled(5L);
  }

  @Test
  void deletedShard_leavesTheTotal() throws Exception {
    var counter = lab.counter().create(3);
    for (int shard = 0; shard < 3; shard++) {
      counter.increment(shard, shard + 1);
    }
    counter.awaitTotal(6L);

    counter.deleteShard(1);

    assertThat(counter.awaitSettled(4L).shards()).isEqualTo(2);
  }

  @Test
  void sameTotalFromFewerShards_isWritten() throws Exception {
    var counter = lab.counter().create(3);
    counter.increment(0, 6);
    counter.awaitTotal(6L);

    counter.deleteShard(1);

    await("two shards").until(counter::shown, shown -> shown.orElseThrow().shards() == 2);
    assertThat(counter.awaitSettled(6L).shards()).isEqualTo(2);
  }

  @Test
  void nestedCounters_rollUpBesideTheirOwnCollection() throws Exception {
    var room = "rooms/" + UUID.randomUUID();
    var id = UUID.randomUUID().toString();
    var atRoot = lab.counter(CounterPath.of(id));
    var inRoom = lab.counter(new CounterPath(room, id));
    var deep = lab.counter(new CounterPath(room + "/tables/t1/seats/s1", id));

    atRoot.increment(0, 1);
    inRoom.increment(0, 20);
    deep.increment(0, 300);

    atRoot.awaitSettled(1L);
    inRoom.awaitSettled(20L);
    deep.awaitSettled(300L);
    assertThat(inRoom.rollup().getPath()).isEqualTo(room + "/rollups/" + id);
  }

  @Test
  void counterInCounter_isTheInnerOne() throws Exception {
    var outer = lab.counter();
    var inner = lab.counter("counters/" + outer.path().id());

    inner.increment(0, 1);

    inner.awaitSettled(1L);
    assertThat(outer.shown()).isEmpty();
  }

  /** Without line breaks, for which the emulator sends no event. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "two words",
        "größe €",
        "😀",
        "a.b",
        "100%",
        "a%2Fb",
        "\"quoted\"",
        "tab\t",
        "nul\0"
      })
  void idsOfAnyKind_areCounted(String kind) throws Exception {
    var counter = lab.counter(CounterPath.of(kind + " " + UUID.randomUUID()));

    counter.increment(0, 1);

    counter.awaitTotal(1L);
  }
}
