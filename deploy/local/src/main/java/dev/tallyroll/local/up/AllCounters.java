package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.AggregateField;
import com.google.cloud.firestore.AggregateQuerySnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.common.collect.Lists;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.RollupFields;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Every counter there is, found as it is made, and whether its total is the sum of its shards. A
 * look costs the emulator two queries and up to {@link #SUMS_A_LOOK} sums. Used by one thread.
 */
final class AllCounters {
  private static final int SUMS_A_LOOK = 100;
  private static final int MOST_COUNTERS = 20_000;

  /** A roller that has crashed is replaced within a minute: what differs for longer is wrong. */
  private static final Duration SOON = Duration.ofSeconds(75);

  private final Firestore firestore;
  private final Layout layout;
  private final Predicate<CounterPath> shown;
  private final Map<String, Counter> counters = new TreeMap<>();
  private final Set<Counter> next = new LinkedHashSet<>();

  /** Whether a total is right; what is not yet may still be rolled up. */
  enum Verdict {
    YES,
    NOT_YET,
    NO
  }

  /**
   * A counter as it was last seen.
   *
   * @param total what its roll-up says; null without one
   * @param exact the sum over its shards; null if it has none
   * @param rate by how much that rises, a second
   * @param lag seconds since its total was right, 0 while it is
   * @param live whether its roll-up holds a lease
   */
  record State(
      String counter,
      @Nullable Number total,
      @Nullable Number exact,
      double rate,
      double lag,
      boolean live,
      Verdict right) {}

  /** What is remembered of one between two looks. */
  private static final class Counter {
    final CounterPath path;
    @Nullable Number total;
    @Nullable Number exact;
    Instant summed;
    Instant lastRight;
    double rate;
    boolean live;
    boolean compared;

    Counter(CounterPath path, Instant now) {
      this.path = path;
      this.summed = now;
      this.lastRight = now;
    }

    boolean isRight() {
      return total == null
          ? exact == null
          : exact != null && total.doubleValue() == exact.doubleValue();
    }

    State state(Instant now) {
      Duration behind = isRight() ? Duration.ZERO : Duration.between(lastRight, now);
      Verdict verdict =
          isRight() ? Verdict.YES : behind.compareTo(SOON) > 0 ? Verdict.NO : Verdict.NOT_YET;
      return new State(path.toString(), total, exact, rate, behind.toMillis() / 1e3, live, verdict);
    }
  }

  /**
   * @param shown which counters are of interest
   */
  AllCounters(Firestore firestore, Layout layout, Predicate<CounterPath> shown) {
    this.firestore = firestore;
    this.layout = layout;
    this.shown = shown;
  }

  /** How they stand. Where there are many, some have been summed at an earlier look. */
  List<State> look() throws ExecutionException, InterruptedException {
    find(Instant.now());
    List<Counter> turn = next.stream().limit(SUMS_A_LOOK).toList();
    turn.forEach(next::remove);
    return sum(turn);
  }

  /** How they stand, each of them summed now. */
  List<State> lookAtAll() throws ExecutionException, InterruptedException {
    find(Instant.now());
    List<State> states = List.of();
    for (List<Counter> some : Lists.partition(List.copyOf(counters.values()), SUMS_A_LOOK)) {
      states = sum(some);
    }
    return states;
  }

  private List<State> sum(List<Counter> summed) throws ExecutionException, InterruptedException {
    AggregateField sum = AggregateField.sum(FieldPath.of(layout.countField()));
    List<ApiFuture<AggregateQuerySnapshot>> sums = new ArrayList<>();
    for (Counter counter : summed) {
      sums.add(
          firestore
              .collection(layout.shardsCollection(counter.path))
              .aggregate(sum, AggregateField.count())
              .get());
    }
    List<AggregateQuerySnapshot> answers = ApiFutures.allAsList(sums).get();
    Instant now = Instant.now();
    for (int i = 0; i < answers.size(); i++) {
      AggregateQuerySnapshot answer = answers.get(i);
      boolean none = answer.getCount() == 0;
      compare(summed.get(i), none ? null : (Number) answer.get(sum), now);
    }
    return counters.values().stream()
        .filter(counter -> counter.compared && (counter.total != null || counter.exact != null))
        .map(counter -> counter.state(now))
        .toList();
  }

  private static void compare(Counter counter, @Nullable Number exact, Instant now) {
    double passed = Math.max(1, Duration.between(counter.summed, now).toMillis()) / 1e3;
    double before = counter.exact == null ? 0 : counter.exact.doubleValue();
    double after = exact == null ? 0 : exact.doubleValue();
    double rate = (after - before) / passed;
    counter.rate = counter.compared && Double.isFinite(rate) ? rate : 0;
    counter.exact = exact;
    counter.summed = now;
    counter.compared = true;
    if (counter.isRight()) {
      counter.lastRight = now;
    }
  }

  /** Counters that have gone stay, without total and sum, and are shown no more. */
  private void find(Instant now) throws ExecutionException, InterruptedException {
    var documents =
        firestore.collectionGroup(layout.countersCollection()).limit(MOST_COUNTERS).get();
    var rollups = firestore.collectionGroup(layout.rollups()).limit(MOST_COUNTERS).get();
    for (QueryDocumentSnapshot document : documents.get().getDocuments()) {
      layout
          .counterOfDocument(document.getReference().getPath())
          .ifPresent(path -> counter(path, now));
    }
    Map<String, QueryDocumentSnapshot> found = new HashMap<>();
    for (QueryDocumentSnapshot rollup : rollups.get().getDocuments()) {
      layout
          .counterOfRollup(rollup.getReference().getPath())
          // What does not carry its counter's mark is somebody else's.
          .filter(path -> layout.counterDocument(path).equals(rollup.get(RollupFields.COUNTER)))
          .ifPresent(
              path -> {
                counter(path, now);
                found.put(path.toString(), rollup);
              });
    }
    counters.forEach((name, counter) -> take(counter, found.get(name)));
    if (next.isEmpty()) {
      next.addAll(counters.values());
    }
  }

  private void counter(CounterPath path, Instant now) {
    if (shown.test(path)) {
      counters.computeIfAbsent(path.toString(), name -> new Counter(path, now));
    }
  }

  private static void take(Counter counter, @Nullable QueryDocumentSnapshot rollup) {
    if (rollup == null) {
      counter.total = null;
      counter.live = false;
      return;
    }
    counter.total = rollup.get(RollupFields.COUNT) instanceof Number count ? count : null;
    counter.live = rollup.contains(RollupFields.LIVE_UNTIL);
    if (rollup.get(RollupFields.AS_OF) instanceof Timestamp asOf) {
      Instant exactAt = Instant.ofEpochSecond(asOf.getSeconds(), asOf.getNanos());
      counter.lastRight = exactAt.isAfter(counter.lastRight) ? exactAt : counter.lastRight;
    }
  }
}
