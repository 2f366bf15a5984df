package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Sum.Remains;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Change.Effect;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.CounterPages.CounterPage;
import dev.tallyroll.protocol.CounterPages.Group;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.protocol.RollupStore.Written;
import dev.tallyroll.protocol.ShardSummer.Uncounted;
import dev.tallyroll.runs.LiveStore;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.RunStore.Claim;
import dev.tallyroll.runs.RunStore.Place;
import dev.tallyroll.runs.RunStore.Round;
import dev.tallyroll.runs.RunStore.RunState;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.runs.WorkerRange;
import dev.tallyroll.store.FirestoreStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The deployed store on the simulated server, call by call. Random plays are compared with a
 * separate model.
 */
class FirestoreStoreTest {
  private static final Instant T = Instant.parse("2025-12-31T00:00:00Z");
  private static final Layout LAYOUT = Layout.DEFAULT;

  private final World world =
      World.scripted(new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO, 15));
  private final FirestoreStore store = world.store(world.instance(), LAYOUT);
  private final FirestoreStore polled = world.store(world.instance(), ServerTotals.POLLED);
  private final Entry polledEntry = world.entry(ServerTotals.POLLED);
  private int counters;

  FirestoreStoreTest() {
    world.totals.checks = false; // the totals here have no shards
  }

  private FirestoreStore rollups() {
    return store;
  }

  private RunStore runs() {
    return store.runs();
  }

  private <T> T get(CompletableFuture<T> call) {
    world.time.run(Duration.ofSeconds(5), call::isDone);
    return call.join();
  }

  private void putShard(CounterId counter, int shard, Optional<Object> value) {
    world.put(counter.path(), shard, value);
  }

  private void putForeign(CounterId counter) {
    world.put(counter.rollup(), Map.of("count", 5L, "revenue", 7L));
  }

  /** A store that shows totals in the counters' own documents. */
  private FirestoreStore showing() {
    world.totals.showsFields = true;
    return world.store(world.instance(), LAYOUT);
  }

  private void putDocument(CounterId counter, Map<String, Object> fields) {
    world.put(counter.document(), fields);
  }

  /** The total that a counter's own document shows; empty without the document, or the field. */
  private Optional<Object> shown(CounterId counter) {
    return world.appDocuments.shown(counter.path(), Figure.SUM).map(Function.identity());
  }

  private boolean hasDocument(CounterId counter) {
    return world.server.document(counter.document()).isPresent();
  }

  private CounterId counter() {
    return world.entry(LAYOUT).counter(CounterPath.of("c" + counters++));
  }

  private void putDocument(CounterId counter) {
    putDocument(counter, Map.of("title", "x", "stats", Map.of("views", 7L)));
  }

  private Optional<Rollup> read(CounterId counter) {
    return get(rollups().counters().rollups().read(counter)).rollup();
  }

  private Optional<Instant> write(CounterId counter, Change change) {
    return write(rollups(), counter, change);
  }

  private Optional<Instant> write(FirestoreStore by, CounterId counter, Change change) {
    return get(by.counters().rollups().write(in(by, counter), change)).flatMap(Written::version);
  }

  /** The counter as the entry of a store has it. */
  private static CounterId in(FirestoreStore by, CounterId counter) {
    return by.counters().entries().get(0).counter(counter.path());
  }

  private static Sum sum(long total) {
    return new Sum(new Total.Whole(total), 1, T.plusSeconds(total));
  }

  private static Optional<Instant> until(int second) {
    return Optional.of(T.plusSeconds(second));
  }

  private static Optional<Rollup> rollupAt(Instant version) {
    return Optional.of(Rollup.of(sum(0), Optional.empty(), version));
  }

  private static Change create(long total) {
    return new Change(Effect.CREATE, Optional.empty(), Optional.of(sum(total)), until(9));
  }

  private static Change end(Instant version) {
    return new Change(Effect.END, rollupAt(version), Optional.of(sum(2)), Optional.empty());
  }

  @Test
  void documentOfOthers_isSeenAsSuch() {
    CounterId counter = counter();
    putForeign(counter);

    assertThat(read(counter)).get().matches(Rollup::isForeign);
    assertThat(write(counter, create(1))).isEmpty();
  }

  @Test
  void sum_addsNumbersAndPassesOverTheRest() {
    CounterId counter = counter();
    assertThat(summed(counter)).isEqualTo("0 of 0");
    putShard(counter, 0, Optional.of(5L));
    putShard(counter, 1, Optional.of(-2L));
    assertThat(summed(counter)).isEqualTo("3 of 2");
    putShard(counter, 2, Optional.of("text"));
    putShard(counter, 3, Optional.empty());
    putShard(counter, 4, Optional.of(true));
    putShard(counter, 5, Optional.of(Double.NaN));
    assertThat(summed(counter)).isEqualTo("3 of 2");
    putShard(counter, 1, Optional.of(0.5));
    assertThat(summed(counter)).isEqualTo("5.5 of 2");
    putShard(counter, 1, Optional.of(Long.MAX_VALUE));
    putShard(counter, 2, Optional.of(1L));
    assertThat(summed(counter)).isEqualTo(0x1p63 + " of 3");
    putShard(counter, 0, Optional.of(Double.NEGATIVE_INFINITY));
    assertThat(summed(counter)).isEqualTo("-Infinity of 3");
  }

  @Test
  void total_isShownWithTheRollupInOneCommit() {
    CounterId counter = counter();
    FirestoreStore showing = showing();
    putDocument(counter);
    assertThat(get(showing.counters().rollups().shows(in(showing, counter), sum(1)))).isFalse();
    Instant version = write(showing, counter, create(1)).orElseThrow();
    assertThat(shown(counter)).contains(1L);
    assertThat(read(counter)).get().extracting(Rollup::updateTime).isEqualTo(version);

    assertThat(get(showing.counters().rollups().write(counter, end(version.minusSeconds(1)))))
        .isEmpty();
    assertThat(shown(counter)).contains(1L);

    assertThat(write(showing, counter, end(version))).isPresent();
    assertThat(shown(counter)).contains(2L);
    assertThat(get(showing.counters().rollups().shows(in(showing, counter), sum(2)))).isTrue();
  }

  @Test
  void documentThatIsMissing_isNotMade() {
    CounterId counter = counter();
    FirestoreStore showing = showing();
    assertThat(write(showing, counter, create(1))).isEmpty();
    assertThat(read(counter)).isEmpty();
    putDocument(counter);
    Instant version = write(showing, counter, create(1)).orElseThrow();
    world.delete(counter.document());

    assertThat(write(showing, counter, end(version))).isPresent();

    assertThat(read(counter)).get().extracting(Rollup::total).isEqualTo(new Total.Whole(2));
    assertThat(hasDocument(counter)).isFalse();
    assertThat(get(showing.counters().rollups().shows(in(showing, counter), sum(7)))).isTrue();
  }

  /** An app that writes its document between leaves a place for the total, or takes it. */
  @Test
  void documentThatHasChanged_isLookedAtAgain() {
    CounterId counter = counter();
    FirestoreStore showing = showing();
    putDocument(counter);
    Instant first = write(showing, counter, create(1)).orElseThrow();
    putDocument(counter);
    Instant second = write(showing, counter, end(first)).orElseThrow();
    assertThat(shown(counter)).contains(2L);

    putDocument(counter, Map.of("stats", Map.of("likes", List.of("alice"))));
    assertThat(write(showing, counter, end(second))).isPresent();

    assertThat(read(counter)).get().extracting(Rollup::total).isEqualTo(new Total.Whole(2));
    assertThat(shown(counter)).isEmpty();
    assertThat(get(showing.counters().rollups().shows(in(showing, counter), sum(2)))).isTrue();

    putDocument(counter);
    assertThat(get(showing.counters().rollups().shows(in(showing, counter), sum(2)))).isFalse();
  }

  @Test
  void rollupThatGoes_leavesTheLastTotalInTheDocument() {
    CounterId counter = counter();
    FirestoreStore showing = showing();
    putDocument(counter);
    Instant version = write(showing, counter, create(1)).orElseThrow();
    Change remove =
        new Change(Effect.REMOVE, rollupAt(version), Optional.empty(), Optional.empty());

    assertThat(write(showing, counter, remove)).isPresent();

    assertThat(read(counter)).isEmpty();
    assertThat(shown(counter)).contains(1L);
  }

  @Test
  void ages_areThoseOfEachShardsLastWrite() {
    CounterId counter = counter();
    assertThat(get(rollups().counters().sums().agesOfShards(counter))).isEmpty();
    putShard(counter, 0, Optional.of(1L));
    putShard(counter, 1, Optional.empty());
    List<Duration> before = get(rollups().counters().sums().agesOfShards(counter));
    putShard(counter, 1, Optional.of(2L));

    List<Duration> ages = get(rollups().counters().sums().agesOfShards(counter));

    assertThat(before).hasSize(2);
    assertThat(ages).hasSize(2).noneMatch(Duration::isNegative);
    assertThat(ages.get(0)).isGreaterThan(before.get(0));
    assertThat(ages.get(1)).isLessThan(ages.get(0));
  }

  @Test
  void documentsThatDoNotCount_areCounted_andOneIsNamed() {
    CounterId counter = counter();
    putShard(counter, 0, Optional.of(1L));
    assertThat(uncounted(counter)).isEmpty();
    putShard(counter, 1, Optional.of("4"));
    putShard(counter, 2, Optional.of(Double.NaN));
    putShard(counter, 3, Optional.empty());

    assertThat(uncounted(counter)).contains(new Uncounted(3, counter.shards() + "/1"));
  }

  /** Nobody's megabytes are read for that. */
  @Test
  void documentThatDoesNotCount_isFoundBeforeAndBehindTheNumbers() {
    for (Object value : List.of(true, Double.NaN, "4")) {
      CounterId counter = counter();
      for (int shard = 0; shard < 101; shard++) { // more than are looked through
        putShard(counter, shard, Optional.of(1L));
      }
      putShard(counter, 999, Optional.of(value));

      assertThat(uncounted(counter)).contains(new Uncounted(1, counter.shards() + "/999"));
    }
  }

  private Optional<Uncounted> uncounted(CounterId counter) {
    return get(
        rollups()
            .counters()
            .sums()
            .sum(counter)
            .thenCompose(sum -> rollups().counters().sums().uncounted(counter, sum)));
  }

  private String summed(CounterId counter) {
    Sum sum = get(rollups().counters().sums().sumOrRemains(counter));
    return sum.total() + " of " + sum.shards();
  }

  private Remains remains(CounterId counter) {
    return get(rollups().counters().sums().sumOrRemains(counter)).remains();
  }

  @Test
  void counterWithoutAShard_hasGoneIfNoDocumentIsThere() {
    CounterId counter = counter();
    assertThat(remains(counter)).isEqualTo(Remains.NOTHING);
    putDocument(counter);
    assertThat(remains(counter)).isEqualTo(Remains.NOTHING);
    putShard(counter, 0, Optional.empty());
    assertThat(remains(counter)).isEqualTo(Remains.UNCOUNTED);
  }

  @Test
  void counterWhoseDocumentShowsFigures_hasNotGoneWithItsShards() {
    CounterId counter = counter();
    FirestoreStore showing = showing();
    putDocument(counter);
    assertThat(get(showing.counters().sums().sumOrRemains(in(showing, counter))).remains())
        .isEqualTo(Remains.OWN_DOCUMENT);
    world.delete(counter.document());
    assertThat(get(showing.counters().sums().sumOrRemains(in(showing, counter))).remains())
        .isEqualTo(Remains.NOTHING);
  }

  @Test
  void liveList_holdsWhatHasALease() {
    CounterId live = counter();
    CounterId settled = counter();
    write(live, create(1));
    Instant version = write(settled, create(1)).orElseThrow();
    assertThat(list(0, 1)).contains(live, settled);

    assertThat(write(settled, end(T))).isEmpty();
    assertThat(list(0, 1)).contains(live, settled);
    write(settled, end(version));

    assertThat(list(0, 1)).contains(live).doesNotContain(settled);
    int worker = WorkerRange.workerOf(live.liveId(), 2);
    assertThat(list(worker, 2)).contains(live);
    assertThat(list(1 - worker, 2)).doesNotContain(live);
  }

  private List<CounterId> list(int worker, int workers) {
    return counters(
        get(rollups().counters().liveList().live(WorkerRange.of(worker, workers))).entries());
  }

  private static List<CounterId> counters(List<LiveStore.Listed<CounterId>> entries) {
    return entries.stream().map(LiveStore.Listed::key).toList();
  }

  @Test
  void newEntries_areFoundByTheirTime() {
    CounterId old = counter();
    Instant version = write(old, create(1)).orElseThrow();
    CounterId young = counter();
    Instant before = get(rollups().counters().liveList().live(WorkerRange.of(0, 1))).readTime();
    get(rollups().counters().rollups().read(young)); // lets a millisecond of virtual time pass
    write(young, create(1));

    List<CounterId> since =
        counters(get(rollups().counters().liveList().liveSince(before.minusSeconds(1))).entries());
    assertThat(since).contains(young);
    assertThat(
            counters(
                get(rollups().counters().liveList().liveSince(before.plusSeconds(9))).entries()))
        .isEmpty();
    assertThat(version).isBefore(before);
  }

  @Test
  void entry_isRemovedAtItsVersionOnly() {
    CounterId counter = counter();
    write(counter, create(1));
    LiveStore.Listed<CounterId> entry = entry(counter);

    get(
        rollups()
            .counters()
            .liveList()
            .remove(new LiveStore.Listed<>(counter, entry.updateTime().minusSeconds(1))));
    assertThat(list(0, 1)).contains(counter);
    get(rollups().counters().liveList().remove(entry));
    get(rollups().counters().liveList().remove(entry));
    assertThat(list(0, 1)).doesNotContain(counter);
  }

  private LiveStore.Listed<CounterId> entry(CounterId counter) {
    return get(rollups().counters().liveList().live(WorkerRange.of(0, 1))).entries().stream()
        .filter(entry -> entry.key().equals(counter))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void entriesOfOtherFunctions_arePassedOverAndGoAfterADay() {
    CounterId ours = counter();
    write(ours, create(1));
    CounterId theirs = counter();
    String other = "sum of stars in {**}/counters/{1}/shards";
    putEntry(theirs.liveId(), theirs.document(), other);
    String elsewhere = Layout.liveId("posts_rollups/p1");
    putEntry(elsewhere, "posts/p1", "number of posts/{1}/likes");
    get(runs().claim("0", new Claim("me", T), Optional.empty(), Optional.empty()));

    assertThat(list(0, 1)).contains(ours).doesNotContain(theirs);
    assertThat(ids()).contains(ours.liveId(), theirs.liveId(), elsewhere, "run-0");
    world.time.pass(Duration.ofHours(25));
    assertThat(list(0, 1)).contains(ours).doesNotContain(theirs);
    assertThat(ids()).contains(ours.liveId(), "run-0").doesNotContain(theirs.liveId(), elsewhere);
  }

  private void putEntry(String id, String counter, String totalOf) {
    world.put(
        Functions.of(LAYOUT).liveList() + "/" + id,
        Map.of("counter", counter, "total_of", totalOf, "since", world.time.now()));
  }

  private List<String> ids() {
    return world.server.list(Functions.of(LAYOUT).liveList()).stream()
        .map(each -> SimulatedServer.id(each.getName()))
        .toList();
  }

  @Test
  void pages_holdEachDocumentOnce() {
    CounterId first = counter();
    CounterId second = counter();
    write(first, create(1));
    write(second, create(1));
    putShard(first, 0, Optional.of(1L));

    assertThat(pages(Group.ROLLUPS)).contains(first, second).doesNotHaveDuplicates();
    assertThat(pages(Group.COUNTERS)).contains(first);
  }

  private List<CounterId> pages(Group group) {
    List<CounterId> all = new ArrayList<>();
    String after = "";
    do {
      CounterPage page =
          get(rollups().counters().pages().page(world.entry(LAYOUT), group, after, 2));
      assertThat(page.looked()).isLessThanOrEqualTo(2);
      all.addAll(page.counters());
      after = page.last();
    } while (!after.isEmpty());
    return all;
  }

  @Test
  void runDocument_isClaimedKeptAndGivenUp() {
    String job = "0";
    Claim mine = new Claim("me", T.plusSeconds(30));
    assertThat(state(job).updateTime()).isEmpty();

    Instant first = get(runs().claim(job, mine, Optional.empty(), Optional.empty())).orElseThrow();
    Claim others = new Claim("other", T);
    assertThat(get(runs().claim(job, others, Optional.empty(), Optional.empty()))).isEmpty();
    assertThat(state(job).claim()).contains(mine);
    assertThat(state(job).isForeign()).isFalse();

    Optional<Place> place =
        Optional.of(
            new Place(
                Group.COUNTERS.name(),
                "rooms/r1/counters/likes",
                T,
                new Round(/* looked= */ 5, /* last= */ 7, /* all= */ true)));
    Claim longer = new Claim("me", T.plusSeconds(40));
    assertThat(get(runs().claim(job, longer, place, Optional.of(first.minusSeconds(1))))).isEmpty();
    Instant noted = get(runs().claim(job, longer, place, Optional.of(first))).orElseThrow();
    Instant second =
        get(runs().claim(job, longer, Optional.empty(), Optional.of(noted))).orElse(noted);

    assertThat(state(job).claim()).contains(longer);
    assertThat(state(job).place()).isEqualTo(place);
    assertThat(state(job).updateTime()).contains(second);
    assertThat(get(runs().release(job, first))).isFalse();
    assertThat(get(runs().release(job, second))).isTrue();
    assertThat(state(job).updateTime()).isEmpty();
    assertThat(get(runs().release(job, second))).isFalse();
  }

  /** For a pass that claims nothing. */
  @Test
  void placeOfAPass_isKeptAtAVersion() {
    Place place = new Place(Group.WITH_SHARDS.name(), "polled_counters/m", T);
    assertThat(get(runs().savePlace("poll-0", place, Optional.empty()))).isTrue();
    assertThat(get(runs().savePlace("poll-0", place, Optional.empty()))).isFalse();

    RunState found = state("poll-0");
    assertThat(found.place()).contains(place);
    assertThat(found.claim()).isEmpty();
    Place next = new Place(Group.WITH_SHARDS.name(), "polled_counters/z", T);
    assertThat(get(runs().savePlace("poll-0", next, found.updateTime()))).isTrue();
    assertThat(state("poll-0").place()).contains(next);
  }

  private RunState state(String job) {
    return get(runs().read(job));
  }

  /** Writes in any order, with right and wrong versions, have the results of a short model. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anyCalls_endAsTheModelSays(long seed) {
    Random random = new Random(seed);
    CounterId counter = counter();
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
    List<Effect> kinds = List.of(Effect.values());
    Effect kind = kinds.get(random.nextInt(kinds.size()));
    boolean isNew = kind == Effect.CREATE;
    boolean hasSum = kind != Effect.END || random.nextBoolean();
    boolean hasLease =
        isNew || kind == Effect.BEGIN || (kind == Effect.UPDATE && random.nextBoolean());
    return new Change(
        kind,
        isNew ? Optional.empty() : rollupAt(version),
        hasSum ? Optional.of(sum(step)) : Optional.empty(),
        hasLease ? until(step) : Optional.empty());
  }

  private void putPolled(String id) {
    world.put("polled_counters/" + id + "/shards/0", Map.of("count", 1L));
    world.put("polled_counters/" + id + "/shards/1", Map.of("count", 1L));
  }

  /** The ids of polled counters on all pages, and how many reads they cost. */
  private List<String> polled(int limit) {
    List<String> found = new ArrayList<>();
    String after = "";
    do {
      CounterPage page =
          get(polled.counters().pages().page(polledEntry, Group.WITH_SHARDS, after, limit));
      page.counters().forEach(counter -> found.add(counter.path().id()));
      after = page.last();
      looked += page.looked();
    } while (!after.isEmpty());
    return found;
  }

  private int looked;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 300})
  void polledCounters_areThoseWithShards_whetherTheirDocumentsAreThereOrNot(int limit) {
    List<String> ids = List.of("a", "a!", "b", "\uFFFD", "\uD83D\uDE00");
    ids.forEach(this::putPolled);
    world.put("polled_counters/none", Map.of("num_shards", 1L));
    world.put("polled_counters/b/comments/c/shards/0", Map.of("count", 1L));

    assertThat(polled(limit)).containsExactlyElementsOf(ids);
    looked = 0;
    assertThat(polled(limit)).containsExactlyElementsOf(ids);
    assertThat(looked).isLessThanOrEqualTo(ids.size() + 3);

    putPolled("aa");
    putPolled("z");
    world.delete("polled_counters/b/shards/0");
    world.delete("polled_counters/b/shards/1");
    List<String> after = List.of("a", "a!", "aa", "z", "\uFFFD", "\uD83D\uDE00");
    List<String> withTheLast = List.of("a", "a!", "aa", "b", "z", "\uFFFD", "\uD83D\uDE00");
    assertThat(polled(limit)).as("once more").containsExactlyElementsOf(withTheLast);
    assertThat(polled(limit)).containsExactlyElementsOf(after);
  }

  private void putPolledBelow(String path) {
    world.put("polled_counters/" + path, Map.of("count", 1L));
  }

  /** Twenty shards of others below a counter's document cost two reads, and it has no shard. */
  @Test
  void shardsOfOthers_costTwoReadsADocument() {
    for (int i = 0; i < 20; i++) {
      putPolledBelow("a/comments/c" + i + "/shards/0");
    }
    putPolled("b");

    CounterPage first = get(polled.counters().pages().page(polledEntry, Group.WITH_SHARDS, "", 5));

    assertThat(first.looked()).isEqualTo(4);
    assertThat(first.counters()).extracting(counter -> counter.path().id()).containsExactly("b");
    assertThat(first.last()).isEmpty();
    assertThat(
            get(polled.counters().pages().page(polledEntry, Group.WITH_SHARDS, "", 1)).counters())
        .isEmpty();
  }

  /** Counters come and go, with shards of others below them; many jumps end a page together. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anyPages_leaveNoCounterOut(long seed) {
    Random random = new Random(seed);
    Set<String> there = new TreeSet<>();
    Set<String> listed = new TreeSet<>();
    for (int round = 0; round < 60; round++) {
      for (int i = 0; i < 8; i++) {
        String id = "c%02d".formatted(random.nextInt(60));
        if (random.nextInt(3) == 0) {
          putPolledBelow(id + "/comments/a/shards/0");
        } else if (random.nextInt(3) > 0) {
          putPolled(id);
          there.add(id);
        } else if (there.remove(id)) {
          world.delete("polled_counters/" + id + "/shards/0");
          world.delete("polled_counters/" + id + "/shards/1");
        }
      }
      listed.addAll(there); // those that have lost their shards, once more
      assertThat(polled(1 + random.nextInt(12))).containsExactlyElementsOf(listed);
      listed.retainAll(there);
    }
  }

  /** A jump that fails ends its page: what is known behind it waits for the next. */
  @Test
  void jumpThatFails_hidesNoCounter() {
    List<String> ids = IntStream.range(10, 40).mapToObj(i -> "j" + i).toList();
    ids.forEach(this::putPolled);
    assertThat(polled(300)).containsExactlyElementsOf(ids);
    for (int failing = 1; failing < 30; failing += 7) {
      world.faults.untilRefusal = failing;
      assertThat(polled(300)).containsExactlyElementsOf(ids);
      assertThat(world.faults.untilRefusal).isNegative();
    }
  }

  /** Lists the polled counters by an instance that has just started, without a trigger. */
  private Duration listAlone(List<String> ids) {
    FirestoreStore alone = world.store(world.instance(), ServerTotals.POLLED);
    Instant begun = world.time.now();
    CounterPage page = get(alone.counters().pages().page(polledEntry, Group.WITH_SHARDS, "", 300));
    assertThat(page.counters())
        .extracting(counter -> counter.path().id())
        .containsExactlyElementsOf(ids);
    return Duration.between(begun, world.time.now());
  }

  /** The search begins at all roll-ups at the same time, and finds what is between. */
  @Test
  void polledCountersAlone_areFoundByTheirRollups() {
    List<String> some = IntStream.range(50, 100).mapToObj(i -> "q" + 2 * i).toList();
    List<String> all = IntStream.range(100, 200).mapToObj(i -> "q" + i).toList();
    some.forEach(this::putPolled);
    Duration each = listAlone(some).dividedBy(some.size());
    all.stream()
        .filter(id -> !some.contains(id))
        .forEach(id -> world.putRollup(CounterPath.of(id), 1, Optional.empty()));
    world.putRollup(CounterPath.of("q-gone"), 1, Optional.empty());
    world.delete("polled_counters/q-gone/shards/0");

    List<String> once = Stream.concat(Stream.of("q-gone"), all.stream()).toList();
    assertThat(listAlone(once)).isLessThan(each.multipliedBy(10));
  }

  /** Counters have one shard each: the first jump finds one, the next two, then four. */
  @Test
  void newCounters_areFoundManyAtATime() {
    putPolledBelow("q100/shards/0");
    Duration one = listAlone(List.of("q100"));
    List<String> all = IntStream.range(100, 400).mapToObj(i -> "q" + i).toList();
    all.forEach(id -> putPolledBelow(id + "/shards/0"));

    assertThat(listAlone(all)).isLessThan(one.multipliedBy(7));
    assertThat(polled(100)).containsExactlyElementsOf(all);
    assertThat(looked).isBetween(all.size(), all.size() + 10);
  }

  /** Ids and collections that a client can choose stop no list, and hide no counter. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 300})
  void pathsBesideThoseOfShards_hideNoCounter(int limit) {
    String last = "\uDBFF\uDFFF";
    putPolledBelow("__id7__/shards/0");
    putPolledBelow("__id7__/shards/1");
    putPolledBelow("A/shards/0/more/m/shards/0");
    putPolledBelow("A/shards/1");
    for (String id : List.of("0", "1", "__id7__")) {
      putPolledBelow("b/comments/" + id + "/shards/0");
      putPolledBelow("b/shards/" + last + id);
      putPolledBelow("b/" + last + "/" + last + "/shards/" + id);
      putPolledBelow("b/" + last + id + "/0/shards/0");
    }
    putPolled("c");

    List<String> ids = List.of("__id7__", "A", "b", "c");
    assertThat(polled(limit)).containsExactlyElementsOf(ids);
    assertThat(polled(limit)).containsExactlyElementsOf(ids);
    putPolled("B");
    assertThat(polled(limit)).containsExactly("__id7__", "A", "B", "b", "c");
  }

  @Test
  void pageOfPolledCounters_beginsAfterADocumentOfTheirs() {
    assertThat(
            polled
                .counters()
                .pages()
                .canBeginAfter(polledEntry, Group.WITH_SHARDS, "polled_counters/a"))
        .isTrue();
    assertThat(
            polled
                .counters()
                .pages()
                .canBeginAfter(polledEntry, Group.WITH_SHARDS, "polled_counters"))
        .isFalse();
    assertThat(
            polled.counters().pages().canBeginAfter(polledEntry, Group.WITH_SHARDS, "counters/a"))
        .isFalse();
  }
}
