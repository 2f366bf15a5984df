package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.AggregateField;
import com.google.cloud.firestore.AggregateQuerySnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.common.collect.Lists;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.local.LocalCloudException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds all counters, new ones too, and compares each total with the sum of its shards. A look
 * costs the emulator two queries and up to {@link #SUMS_A_LOOK} sums; the table and all pages of
 * the console share one look a second. Thread-safe.
 */
final class AllCounters {
  private static final int SUMS_A_LOOK = 100;
  private static final int MOST_COUNTERS = 20_000;

  /** The age up to which a look is shared: the table and each open page ask once a second. */
  private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  /** A crashed roller is replaced within a minute: a total that differs for longer is wrong. */
  private static final Duration SOON = Duration.ofSeconds(75);

  /** On a busy machine, the emulator now and then answers UNKNOWN. */
  private static final int MOST_FAILURES = 10;

  /** The busiest counters keep their places, although increments come at random. */
  private static final double PACE_SECONDS = 30;

  private static final long AGAIN_MILLIS = 100;
  private static final String ANYWHERE = "{parent=**}/";

  private final Firestore firestore;
  private final Layout layout;
  private final Predicate<CounterPath> shown;
  private final Map<String, Counter> counters = new TreeMap<>();
  private final Set<Counter> next = new LinkedHashSet<>();
  private @Nullable List<State> looked;
  private long lookedNanos;
  private int failures;
  private Optional<String> outside = Optional.empty();

  /** Whether a total is right, wrong, or not yet rolled up. */
  enum Verdict {
    YES,
    NOT_YET,
    NO
  }

  /**
   * A counter at the last look.
   *
   * @param total the total in its roll-up; null without a roll-up
   * @param exact the sum of its shards; null without shards
   * @param rate the rise of this sum in a second
   * @param pace the same, smoothed over half a minute
   * @param lag seconds since its total was last right; 0 if it is right now
   * @param live whether its roll-up holds a lease
   */
  record State(
      String counter,
      @Nullable Number total,
      @Nullable Number exact,
      double rate,
      double pace,
      double lag,
      boolean live,
      Verdict right) {}

  /** A counter as it is remembered between looks. */
  private static final class Counter {
    final CounterPath path;
    private @Nullable Number total;
    private @Nullable Number exact;
    private Instant summed;
    private Instant lastRight;
    private double rate;
    private double pace;
    private boolean live;
    private boolean compared;

    Counter(CounterPath path, Instant now) {
      this.path = path;
      this.summed = now;
      this.lastRight = now;
    }

    void rolledUp(@Nullable QueryDocumentSnapshot rollup) {
      total = rollup != null && rollup.get(RollupFields.COUNT) instanceof Number n ? n : null;
      live = rollup != null && rollup.contains(RollupFields.LIVE_UNTIL);
      if (rollup != null && rollup.get(RollupFields.AS_OF) instanceof Timestamp asOf) {
        Instant exactAt = Instant.ofEpochSecond(asOf.getSeconds(), asOf.getNanos());
        lastRight = exactAt.isAfter(lastRight) ? exactAt : lastRight;
      }
    }

    void summed(@Nullable Number sum, Instant now) {
      double passed = Math.max(1, Duration.between(summed, now).toMillis()) / 1e3;
      double risen =
          (sum == null ? 0 : sum.doubleValue()) - (exact == null ? 0 : exact.doubleValue());
      rate = compared && Double.isFinite(risen) ? risen / passed : 0;
      pace = pace(pace, rate, passed);
      exact = sum;
      summed = now;
      compared = true;
      lastRight = isRight() ? now : lastRight;
    }

    /** A deleted counter stays in the map, without total and sum, and is not shown. */
    boolean isShown() {
      return compared && (total != null || exact != null);
    }

    private boolean isRight() {
      return total == null
          ? exact == null
          : exact != null && total.doubleValue() == exact.doubleValue();
    }

    State state(Instant now) {
      Duration behind = isRight() ? Duration.ZERO : Duration.between(lastRight, now);
      Verdict verdict =
          isRight() ? Verdict.YES : behind.compareTo(SOON) > 0 ? Verdict.NO : Verdict.NOT_YET;
      return new State(
          path.toString(), total, exact, rate, pace, behind.toMillis() / 1e3, live, verdict);
    }
  }

  /** The next pace after so many seconds at this rate. */
  static double pace(double before, double rate, double seconds) {
    return before + (rate - before) * -Math.expm1(-seconds / PACE_SECONDS);
  }

  /**
   * @param shown the counters to include
   */
  AllCounters(Firestore firestore, Layout layout, Predicate<CounterPath> shown) {
    this.firestore = firestore;
    this.layout = layout;
    this.shown = shown;
  }

  /**
   * The counters now, or at a look less than a second ago. If there are many, some sums are from an
   * earlier look; if a look fails, all may be.
   *
   * @throws LocalCloudException if {@value #MOST_FAILURES} looks one after another have failed
   */
  synchronized List<State> look() throws InterruptedException {
    if (looked == null || System.nanoTime() - lookedNanos > FRESH_NANOS) {
      var unused =
          attempt(
              () -> {
                find();
                List<Counter> turn = next.stream().limit(SUMS_A_LOOK).toList();
                turn.forEach(next::remove);
                sum(turn);
              });
      looked = states();
      lookedNanos = System.nanoTime();
    }
    return looked;
  }

  private interface Look {
    void run() throws ExecutionException, InterruptedException;
  }

  /** Returns whether the look has succeeded. */
  private boolean attempt(Look look) throws InterruptedException {
    try {
      look.run();
      failures = 0;
      return true;
    } catch (ExecutionException e) {
      if (++failures == MOST_FAILURES) {
        throw new LocalCloudException(
            "expected Firestore to list the counters, found " + e.getCause(), e);
      }
      return false;
    }
  }

  /** Makes the next look ask again, because something was changed. */
  synchronized void changed() {
    looked = null;
  }

  /**
   * All counters, each of them summed now.
   *
   * @throws LocalCloudException as {@link #look} does
   */
  synchronized List<State> lookAtAll() throws InterruptedException {
    while (!attempt(this::findAndSumAll)) {
      Thread.sleep(AGAIN_MILLIS);
    }
    return states();
  }

  private void findAndSumAll() throws ExecutionException, InterruptedException {
    find();
    for (List<Counter> some : Lists.partition(List.copyOf(counters.values()), SUMS_A_LOOK)) {
      sum(some);
    }
  }

  private List<State> states() {
    Instant now = Instant.now();
    return counters.values().stream()
        .filter(Counter::isShown)
        .map(counter -> counter.state(now))
        .toList();
  }

  private void sum(List<Counter> some) throws ExecutionException, InterruptedException {
    AggregateField sum = AggregateField.sum(FieldPath.of(layout.countField()));
    Map<Counter, ApiFuture<AggregateQuerySnapshot>> sums = new LinkedHashMap<>();
    for (Counter counter : some) {
      var shards = firestore.collection(layout.shardsCollection(counter.path));
      sums.put(counter, shards.aggregate(sum, AggregateField.count()).get());
    }
    for (var each : sums.entrySet()) {
      AggregateQuerySnapshot answer = each.getValue().get();
      Number exact = answer.getCount() == 0 ? null : (Number) answer.get(sum);
      each.getKey().summed(exact, Instant.now());
    }
  }

  private void find() throws ExecutionException, InterruptedException {
    var documents =
        firestore.collectionGroup(layout.countersCollection()).limit(MOST_COUNTERS).get();
    var rollups = firestore.collectionGroup(layout.rollups()).limit(MOST_COUNTERS).get();
    outside = Optional.empty();
    for (QueryDocumentSnapshot document : documents.get().getDocuments()) {
      String path = document.getReference().getPath();
      layout.counterOfDocument(path).ifPresentOrElse(this::add, () -> outside = Optional.of(path));
    }
    Map<CounterPath, QueryDocumentSnapshot> found = new HashMap<>();
    for (QueryDocumentSnapshot rollup : rollups.get().getDocuments()) {
      layout
          .counterOfRollup(rollup.getReference().getPath())
          // A document without its counter's mark belongs to somebody else.
          .filter(path -> layout.counterDocument(path).equals(rollup.get(RollupFields.COUNTER)))
          .ifPresent(path -> found.put(path, rollup));
    }
    found.keySet().forEach(this::add);
    counters.values().forEach(counter -> counter.rolledUp(found.get(counter.path)));
    if (next.isEmpty()) {
      next.addAll(counters.values());
    }
  }

  /**
   * The advice for somebody who misses a counter; empty if there is no reason.
   *
   * @param nothingFound the advice where there is no counter at all
   */
  synchronized String advice(String nothingFound) {
    return outside
        .map(
            path ->
                "%s does not count: COUNTERS is %s. To count there, too, start with COUNTERS='%s%s'."
                    .formatted(path, layout.counters(), ANYWHERE, layout.countersCollection()))
        .orElse(states().isEmpty() ? nothingFound : "");
  }

  private void add(CounterPath path) {
    if (shown.test(path)) {
      counters.computeIfAbsent(path.toString(), name -> new Counter(path, Instant.now()));
    }
  }
}
