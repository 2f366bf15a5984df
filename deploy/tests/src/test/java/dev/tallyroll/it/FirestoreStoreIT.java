package dev.tallyroll.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFutures;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.common.util.concurrent.Uninterruptibles;
import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.Total;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.library.ObservedCalls;
import dev.tallyroll.local.Answers;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.platform.ThreadEventLoop;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Change.Effect;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.CounterPages.Group;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.protocol.ShardSummer.Uncounted;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.store.FirestoreStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the deployed store where only the official emulator can answer. */
@On(Site.SHARED)
@Tag("core")
final class FirestoreStoreIT {
  private static final Instant T = Instant.parse("2026-01-01T00:00:00Z");

  private int counters;
  private final Layout layout = TestCloud.unwatchedLayout();
  private final Entry entry = TestCloud.quick(layout);
  private final LocalCloud cloud;
  private final Firestore firestore;
  private final ThreadEventLoop loop = new ThreadEventLoop("contract", InstantSource.system());
  private final Calls calls = new Calls(loop, /* most= */ 100);
  private final List<Map<String, ?>> errors = new CopyOnWriteArrayList<>();
  private final StructuredLog log = (severity, message, fields) -> errors.add(fields);

  FirestoreStoreIT(TestCloud cloud) {
    this.cloud = cloud.local();
    this.firestore = cloud.firestore();
  }

  @AfterEach
  void close() {
    loop.close();
  }

  private static <T> T answer(Future<T> call) {
    try {
      return Answers.get(call);
    } catch (InterruptedException | ExecutionException | TimeoutException failure) {
      throw new AssertionError(failure);
    }
  }

  private void set(String document, Map<String, Object> fields) {
    answer(firestore.document(document).set(fields));
  }

  private Entry showing(FieldName field) {
    return TestCloud.quick(layout, SumMode.AGGREGATE, Map.of(Figure.SUM, field));
  }

  private FirestoreStore store(Entry of) {
    return store(firestore, of);
  }

  private FirestoreStore store(Firestore client, Entry of) {
    return FirestoreStore.of(client, List.of(of), TestCloud.newDeployment(), calls, log);
  }

  private void putDocument(CounterId counter, Map<String, Object> fields) {
    set(counter.document(), fields);
  }

  private Optional<Object> shown(CounterId counter) {
    var document = answer(firestore.document(counter.document()).get());
    return document.get("stats.likes") instanceof Number number
        ? Optional.of(number)
        : Optional.empty();
  }

  private CounterId counter(Entry of) {
    return of.counter(CounterPath.of("c" + counters++));
  }

  private static Optional<Rollup> rollupAt(Instant version) {
    return Optional.of(Rollup.of(sum(0), Optional.empty(), version));
  }

  private static Change create(long total) {
    return new Change(
        Effect.CREATE, Optional.empty(), Optional.of(sum(total)), Optional.of(T.plusSeconds(9)));
  }

  private static Change end(Instant version) {
    return new Change(Effect.END, rollupAt(version), Optional.of(sum(2)), Optional.empty());
  }

  private static Sum sum(long total) {
    return new Sum(new Total.Whole(total), 1, T.plusSeconds(total));
  }

  @Test
  void fullDocument_keepsNoRollupFromItsTotal() {
    Entry entry = showing(FieldName.of("x".repeat(200)));
    CounterId counter = counter(entry);
    FirestoreStore showing = store(entry);
    set(counter.document(), Map.of("text", "x".repeat(1_048_400)));

    assertThat(answer(showing.counters().rollups().write(counter, create(1)))).isPresent();

    assertThat(answer(showing.counters().rollups().read(counter)).rollup().orElseThrow().total())
        .isEqualTo(new Total.Whole(1));
    assertThat(answer(firestore.document(counter.document()).get()).getData())
        .containsOnlyKeys("text");
  }

  /** An app's own fields stay as they are, whatever they hold. */
  @ParameterizedTest
  @MethodSource("fields")
  void documentOfTheApp_keepsAllThatIsNoNumber(Map<String, Object> fields) {
    Entry entry = showing(FieldName.of("stats", "likes"));
    CounterId counter = counter(entry);
    FirestoreStore showing = store(entry);
    putDocument(counter, fields);
    var document = firestore.document(counter.document());
    var before = answer(document.get());

    Instant version =
        answer(showing.counters().rollups().write(counter, create(1)))
            .orElseThrow()
            .version()
            .orElseThrow();
    assertThat(answer(showing.counters().rollups().write(counter, end(version)))).isPresent();
    assertThat(answer(showing.counters().rollups().shows(counter, sum(7)))).isTrue();

    assertThat(answer(document.get()).getData()).isEqualTo(fields);
    assertThat(answer(document.get()).getUpdateTime()).isEqualTo(before.getUpdateTime());
    assertThat(errors)
        .singleElement()
        .asString()
        .contains(counter.document(), "a number or nothing in stats.likes", " in st");
  }

  static List<Map<String, Object>> fields() {
    List<Object> values =
        Arrays.asList(
            "a text",
            null,
            true,
            List.of("alice", "bob"),
            Map.of("alice", true),
            Timestamp.ofTimeMicroseconds(0),
            FieldValue.vector(new double[] {1, 2}));
    return Stream.concat(
            values.stream().map(value -> Collections.singletonMap("likes", value)),
            Stream.concat(Stream.of(7L), values.stream()).filter(value -> !(value instanceof Map)))
        .map(value -> Collections.<String, Object>singletonMap("stats", value))
        .toList();
  }

  /** The emulator locks as Firestore does: writes wait for a transaction that has read. */
  @Test
  void transactionOfTheApp_holdsUpNoRollup() throws Exception {
    Entry entry = showing(FieldName.of("stats", "likes"));
    CounterId counter = counter(entry);
    FirestoreStore showing = store(entry);
    putDocument(counter, Map.of("stats", Map.of("views", 7L)));
    var document = firestore.document(counter.document());
    Instant version =
        answer(showing.counters().rollups().write(counter, create(1)))
            .orElseThrow()
            .version()
            .orElseThrow();
    var locked = new CountDownLatch(1);
    var free = new CountDownLatch(1);
    var transaction =
        firestore.runAsyncTransaction(
            attempt ->
                ApiFutures.transform(
                    attempt.get(document),
                    found -> {
                      locked.countDown();
                      Uninterruptibles.awaitUninterruptibly(free);
                      attempt.update(document, "title", "new");
                      return found;
                    },
                    Runnable::run));
    locked.await();

    long begin = System.nanoTime();
    Instant alone =
        answer(showing.counters().rollups().write(counter, end(version)))
            .orElseThrow()
            .version()
            .orElseThrow();
    Duration took = Duration.ofNanos(System.nanoTime() - begin);
    free.countDown();
    answer(transaction);

    assertThat(took).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(4));
    assertThat(answer(showing.counters().rollups().read(counter)).rollup().orElseThrow().total())
        .isEqualTo(new Total.Whole(2));
    assertThat(shown(counter)).contains(1L);
    assertThat(answer(showing.counters().rollups().shows(counter, sum(2)))).isFalse();
    assertThat(answer(showing.counters().rollups().write(counter, end(alone)))).isPresent();
    assertThat(shown(counter)).contains(2L);
    assertThat(answer(document.get()).get("title")).isEqualTo("new");
  }

  /** Whatever it holds in the place of a number. */
  @Test
  void documentThatDoesNotCount_isFound() {
    List<Map<String, Object>> bad = new ArrayList<>();
    bad.add(Collections.singletonMap(layout.countField(), null));
    for (Object value : List.of(true, Double.NaN, "4", List.of(4), Map.of("a", 4), T.toString())) {
      bad.add(Map.of(layout.countField(), value));
    }
    bad.add(Map.of("other", 4));
    var store = store(entry);
    for (Map<String, Object> fields : bad) {
      var counter = counter(entry);
      set(counter.shards() + "/0", Map.of(layout.countField(), 1L));
      set(counter.shards() + "/1", Map.of(layout.countField(), Double.NEGATIVE_INFINITY));
      set(counter.shards() + "/2", Map.of(layout.countField(), Double.POSITIVE_INFINITY));
      var sum = answer(store.counters().sums().sum(counter));
      assertThat(sum.shards()).isEqualTo(3);
      assertThat(answer(store.counters().sums().uncounted(counter, sum))).isEmpty();
      set(counter.shards() + "/9", fields);

      assertThat(answer(store.counters().sums().uncounted(counter, sum)))
          .as(fields.toString())
          .contains(new Uncounted(1, counter.shards() + "/9"));
    }
  }

  /** A page of a collection group has only documents that match the start of the pattern. */
  @Test
  void pagesOfNestedCounters_stayBetweenTheNames() {
    var rooms = "rooms-" + UUID.randomUUID();
    var name = layout.countersCollection();
    var nested =
        new Layout(
            "%s/{room}/%s/{counter}/%s".formatted(rooms, name, layout.shards()),
            layout.rollups(),
            layout.countField());
    for (var parent : List.of(rooms + "/r1/", rooms + "/r2/", rooms + "-x/r1/", "a/b/", "")) {
      set(parent + name + "/likes", Map.of("num_shards", 1L));
    }

    var below = TestCloud.quick(nested);
    var page = answer(store(below).counters().pages().page(below, Group.COUNTERS, "", 100));

    assertThat(page.counters().stream().map(CounterId::path))
        .containsExactly(
            new CounterPath(rooms + "/r1", "likes"), new CounterPath(rooms + "/r2", "likes"));
    assertThat(page.looked()).isEqualTo(2);
  }

  /** The fields of others may be large, those of our names, too: a page must not hold them. */
  @Test
  void pages_fetchNoField() throws Exception {
    var own = TestCloud.quick(TestCloud.unwatchedLayout());
    var large = Collections.nCopies(500, "12345678");
    for (int i = 0; i < 20; i++) {
      set(own.layout().rollups() + "/eve-" + i, Map.of("counter", large));
    }
    var observed = new ObservedCalls();
    var client = observed.connect(cloud);
    var store = store(client, own);
    assertThat(answer(store.counters().pages().page(own, Group.ROLLUPS, "", 100)).looked())
        .isEqualTo(20);
    client.close();

    assertThat(observed.bytes()).isBetween(1_000L, 20_000L);
  }

  /** Others may have damaged it, or the functions' settings have changed since. */
  @ParameterizedTest
  @ValueSource(
      strings = {"a//b/c", "rooms/r1", "/a/b", "a/b/", "nothing", "__x__/y", "other/r/rollups/a"})
  void placeWhereNoSweepCanGoOn_isTheStart(String after) {
    var own = TestCloud.quick(new Layout("rooms/r1/counters/{counter}/shards", "rollups", "count"));
    var store = store(own);
    assertThat(store.counters().pages().canBeginAfter(own, Group.ROLLUPS, after)).isFalse();

    String place = "rooms/r1/rollups/a";
    assertThat(store.counters().pages().canBeginAfter(own, Group.ROLLUPS, place)).isTrue();
    assertThat(answer(store.counters().pages().page(own, Group.ROLLUPS, place, 2)).looked())
        .isZero();
  }
}
