package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Change.LeaseChange;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RollupStore.Found;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.RollupStore.Live;
import dev.tallyroll.protocol.RollupStore.Page;
import dev.tallyroll.protocol.RunStore;
import dev.tallyroll.protocol.RunStore.Claim;
import dev.tallyroll.protocol.RunStore.RunState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the protocol is told of Firestore, by the simulation as by the emulator: so a deployment
 * that holds in the simulation does not hold because that is kinder. The random plays are compared
 * with a model of their own.
 */
public abstract class StoreContract {
  private static final Instant T = Instant.parse("2026-01-01T00:00:00Z");

  protected abstract RollupStore rollups();

  protected abstract RunStore runs();

  /** What a call comes to. */
  protected abstract <T> T get(CompletableFuture<T> call);

  /** Puts a value into a shard; a document without the field for an empty one. */
  protected abstract void putShard(CounterPath counter, int shard, Optional<Object> value);

  /** Puts somebody else's document in the place of a counter's roll-up. */
  protected abstract void putForeign(CounterPath counter);

  /** A counter that no other test has. */
  protected abstract CounterPath counter();

  /** A worker that no other test has. */
  protected abstract int worker();

  private Optional<Rollup> read(CounterPath counter) {
    return get(rollups().read(counter)).rollup();
  }

  private Optional<Instant> write(CounterPath counter, Change change) {
    return get(rollups().write(counter, change));
  }

  private static Sum sum(long total) {
    return new Sum(new Total.Whole(total), 1, T.plusSeconds(total));
  }

  private static Lease lease(int second) {
    return new Lease(T.plusSeconds(second), 1);
  }

  private static Change update(Instant version, long total, LeaseChange lease) {
    return new Change.Update(version, Optional.of(sum(total)), lease);
  }

  @Test
  void documentOfOthers_isSeenAsSuch() {
    CounterPath counter = counter();
    putForeign(counter);

    assertThat(read(counter)).get().matches(Rollup::isForeign);
    assertThat(write(counter, new Change.Create(sum(1), lease(9)))).isEmpty();
    assertThat(found(counter)).get().matches(Rollup::isForeign);
  }

  @Test
  void sum_addsNumbersAndPassesOverTheRest() {
    CounterPath counter = counter();
    assertThat(summed(counter)).isEqualTo("0 of 0");
    putShard(counter, 0, Optional.of(5L));
    putShard(counter, 1, Optional.of(-2L));
    assertThat(summed(counter)).isEqualTo("3 of 2");
    putShard(counter, 2, Optional.of("text"));
    putShard(counter, 3, Optional.empty());
    assertThat(summed(counter)).isEqualTo("3 of 3");
    putShard(counter, 1, Optional.of(0.5));
    assertThat(summed(counter)).isEqualTo("5.5 of 3");
    putShard(counter, 2, Optional.of(Double.NaN));
    assertThat(summed(counter)).isEqualTo("NaN of 3");
    putShard(counter, 1, Optional.of(Long.MAX_VALUE));
    putShard(counter, 2, Optional.of(1L));
    assertThat(summed(counter)).isEqualTo(0x1p63 + " of 3");
  }

  private String summed(CounterPath counter) {
    Sum sum = get(rollups().sum(counter));
    return sum.total() + " of " + sum.shards();
  }

  @Test
  void liveList_holdsWhatHasALease() {
    CounterPath live = counter();
    CounterPath settled = counter();
    write(live, new Change.Create(sum(1), new Lease(T.plusSeconds(9), 3)));
    Instant version = write(settled, new Change.Create(sum(1), lease(9))).orElseThrow();
    write(settled, update(version, 2, new LeaseChange.Remove()));

    assertThat(counters(get(rollups().live()).counters())).contains(live).doesNotContain(settled);
    Instant before = T.plusSeconds(8);
    assertThat(counters(get(rollups().liveAfter(before, List.of(2, 3))).counters())).contains(live);
    assertThat(counters(get(rollups().liveAfter(before, List.of(2))).counters()))
        .doesNotContain(live);
    assertThat(counters(get(rollups().liveAfter(T.plusSeconds(9), List.of(3))).counters()))
        .doesNotContain(live);
  }

  private static List<CounterPath> counters(List<Live> live) {
    return live.stream().map(Live::counter).toList();
  }

  @Test
  void pages_holdEachDocumentOnce() {
    CounterPath first = counter();
    CounterPath second = counter();
    write(first, new Change.Create(sum(1), lease(9)));
    write(second, new Change.Create(sum(1), lease(9)));
    putShard(first, 0, Optional.of(1L));

    List<CounterPath> rolledUp = pages(Group.ROLLUPS).stream().map(Found::counter).toList();
    assertThat(rolledUp).contains(first, second).doesNotHaveDuplicates();
    assertThat(pages(Group.COUNTERS)).contains(new Found(first, Optional.empty()));
  }

  private Optional<Rollup> found(CounterPath counter) {
    return pages(Group.ROLLUPS).stream()
        .filter(found -> found.counter().equals(counter))
        .findFirst()
        .flatMap(Found::rollup);
  }

  private List<Found> pages(Group group) {
    List<Found> all = new ArrayList<>();
    String after = "";
    do {
      Page page = get(rollups().page(group, after, 2));
      all.addAll(page.counters());
      after = page.last();
    } while (!after.isEmpty());
    return all;
  }

  @Test
  void runDocument_isClaimedKeptPokedAndGivenUp() {
    int worker = worker();
    Claim mine = new Claim("me", T.plusSeconds(30));
    assertThat(state(worker).updateTime()).isEmpty();

    Instant first = get(runs().claim(worker, mine, Optional.empty())).orElseThrow();
    assertThat(get(runs().claim(worker, new Claim("other", T), Optional.empty()))).isEmpty();
    assertThat(state(worker).claim()).contains(mine);
    assertThat(state(worker).isForeign()).isFalse();

    Claim longer = new Claim("me", T.plusSeconds(40));
    assertThat(get(runs().claim(worker, longer, Optional.of(first.minusSeconds(1))))).isEmpty();
    Instant second = get(runs().claim(worker, longer, Optional.of(first))).orElseThrow();
    assertThat(get(runs().poke(worker, first))).isFalse();
    assertThat(get(runs().poke(worker, second))).isTrue();

    assertThat(state(worker).claim()).contains(longer);
    assertThat(get(runs().release(worker, second))).isFalse();
    assertThat(get(runs().release(worker, state(worker).updateTime().orElseThrow()))).isTrue();
    assertThat(state(worker).updateTime()).isEmpty();
    assertThat(get(runs().release(worker, second))).isFalse();
  }

  private RunState state(int worker) {
    return get(runs().read(worker));
  }

  /** Any order of writes, expected rightly or not, ends as a model of a few lines says. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void anyCalls_endAsTheModelSays(long seed) {
    Random random = new Random(seed);
    CounterPath counter = counter();
    Optional<Rollup> model = Optional.empty();
    for (int i = 1; i <= 40; i++) {
      Instant version = random.nextInt(4) == 0 ? T : model.map(Rollup::updateTime).orElse(T);
      Change change = change(random, version, i);
      Optional<Instant> applied = write(counter, change);
      assertThat(applied.isPresent()).isEqualTo(CompareAndSet.passes(change, model));
      if (applied.isPresent()) {
        assertThat(applied.get()).isAfterOrEqualTo(version);
        model = CompareAndSet.applied(change, model, applied.get());
      }
      assertThat(read(counter)).isEqualTo(model);
    }
  }

  private static Change change(Random random, Instant version, int step) {
    LeaseChange lease =
        switch (random.nextInt(3)) {
          case 0 -> new LeaseChange.Keep();
          case 1 -> new LeaseChange.Set(lease(step));
          default -> new LeaseChange.Remove();
        };
    return switch (random.nextInt(8)) {
      case 0 -> new Change.Create(sum(step), lease(step));
      case 1 -> new Change.Delete(version);
      case 2 -> new Change.Leave(T); // which is never the version
      case 3 -> new Change.Update(version, Optional.empty(), new LeaseChange.Remove());
      default -> update(version, step, lease);
    };
  }
}
