package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.AggregateField;
import com.google.cloud.firestore.AggregateQuerySnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import dev.tallyroll.functions.Settings;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.protocol.Timing;
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
import org.jspecify.annotations.Nullable;

/**
 * Finds all counters, new ones too, and compares each total with the sum of its shards. A look
 * costs the emulator three queries and up to {@link #SUMS_A_LOOK} sums. Thread-safe.
 */
final class AllCounters extends Totals {
  private static final int SUMS_A_LOOK = 100;
  private static final int MOST_COUNTERS = 20_000;

  /** The busiest counters keep their places, although increments come at random. */
  private static final double PACE_SECONDS = 30;

  private static final String ANYWHERE = "{parent=**}/";

  private final Firestore firestore;
  private final Settings settings;

  /** By the paths of their documents. */
  private final Map<String, Watched> counters = new TreeMap<>();

  private final Set<Watched> next = new LinkedHashSet<>();
  private Optional<String> outside = Optional.empty();

  /** A counter as it is remembered between looks. */
  private static final class Watched {
    final Named name;
    private @Nullable Number total;
    private @Nullable Number exact;
    private Instant summed;
    private Instant lastRight;
    private Instant asOf = Instant.MIN;
    private double rate;
    private double pace;
    private boolean live;
    private boolean compared;

    Watched(Named name, Instant now) {
      this.name = name;
      this.summed = now;
      this.lastRight = now;
    }

    void rolledUp(@Nullable QueryDocumentSnapshot rollup) {
      total = rollup != null && rollup.get(RollupFields.COUNT) instanceof Number n ? n : null;
      live = rollup != null && rollup.contains(RollupFields.LIVE_UNTIL);
      if (rollup != null && rollup.get(RollupFields.AS_OF) instanceof Timestamp asOf) {
        this.asOf = Instant.ofEpochSecond(asOf.getSeconds(), asOf.getNanos());
        lastRight = this.asOf.isAfter(lastRight) ? this.asOf : lastRight;
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

    /** Whether a total that has changed by so little may be shown later. */
    private boolean isHeld(Timing timing, Instant now) {
      if (!timing.holds() || total == null || exact == null || !(live || name.polled())) {
        return false;
      }
      double shown = total.doubleValue();
      return Math.abs(exact.doubleValue() - shown) < timing.precision() * Math.abs(shown)
          && now.isBefore(asOf.plus(timing.hold()).plus(SOON));
    }

    State state(Timing timing, Instant now) {
      Duration behind = isRight() ? Duration.ZERO : Duration.between(lastRight, now);
      boolean held = !isRight() && isHeld(timing, now);
      Verdict verdict =
          isRight()
              ? Verdict.YES
              : behind.compareTo(SOON) > 0 && !held ? Verdict.NO : Verdict.NOT_YET;
      double lag = behind.toMillis() / 1e3;
      return new State(
          name.toString(), total, exact, rate, pace, lag, live, name.polled(), held, verdict);
    }
  }

  /** The next pace after so many seconds at this rate. */
  static double pace(double before, double rate, double seconds) {
    return before + (rate - before) * -Math.expm1(-seconds / PACE_SECONDS);
  }

  AllCounters(Firestore firestore, Settings settings) {
    this.firestore = firestore;
    this.settings = settings;
  }

  @Override
  List<State> ask(boolean all) throws ExecutionException, InterruptedException {
    find();
    if (all) {
      next.addAll(counters.values());
    }
    do {
      List<Watched> turn = next.stream().limit(SUMS_A_LOOK).toList();
      turn.forEach(next::remove);
      sum(turn);
    } while (all && !next.isEmpty());
    return states();
  }

  private List<State> states() {
    Instant now = Instant.now();
    return counters.values().stream()
        .filter(Watched::isShown)
        .map(counter -> counter.state(settings.runs().timing(), now))
        .toList();
  }

  private void sum(List<Watched> some) throws ExecutionException, InterruptedException {
    AggregateField sum = AggregateField.sum(FieldPath.of(settings.layout().countField()));
    Map<Watched, ApiFuture<AggregateQuerySnapshot>> sums = new LinkedHashMap<>();
    for (Watched counter : some) {
      Named name = counter.name;
      var shards = firestore.collection(name.layout().shardsCollection(name.path()));
      sums.put(counter, shards.aggregate(sum, AggregateField.count()).get());
    }
    for (var each : sums.entrySet()) {
      AggregateQuerySnapshot answer = each.getValue().get();
      Number exact = answer.getCount() == 0 ? null : (Number) answer.get(sum);
      each.getKey().summed(exact, Instant.now());
    }
  }

  private void find() throws ExecutionException, InterruptedException {
    Layout layout = settings.layout();
    var documents =
        firestore.collectionGroup(layout.countersCollection()).limit(MOST_COUNTERS).get();
    var rollups = firestore.collectionGroup(layout.rollups()).limit(MOST_COUNTERS).get();
    var polled =
        settings
            .polled()
            .map(its -> firestore.collection(its.counters()).limit(MOST_COUNTERS).get());
    outside = Optional.empty();
    for (QueryDocumentSnapshot document : documents.get().getDocuments()) {
      String path = document.getReference().getPath();
      if (!add(path)) {
        outside = Optional.of(path);
      }
    }
    if (polled.isPresent()) {
      polled.get().get().forEach(document -> add(document.getReference().getPath()));
    }
    Map<String, QueryDocumentSnapshot> found = new HashMap<>();
    for (QueryDocumentSnapshot rollup : rollups.get().getDocuments()) {
      // A document without its counter's mark belongs to somebody else.
      if (rollup.get(RollupFields.COUNTER) instanceof String mark && isIn(rollup, mark)) {
        found.put(mark, rollup);
      }
    }
    found.keySet().forEach(this::add);
    counters.forEach((document, counter) -> counter.rolledUp(found.get(document)));
    if (next.isEmpty()) {
      next.addAll(counters.values());
    }
  }

  @Override
  synchronized String advice(String nothingFound) {
    return outside
        .map(
            path ->
                "%s does not count: COUNTERS is %s. To count there, too, start with COUNTERS='%s%s'."
                    .formatted(
                        path,
                        settings.layout().counters(),
                        ANYWHERE,
                        settings.layout().countersCollection()))
        .orElse(states().isEmpty() ? nothingFound : "");
  }

  private boolean isIn(QueryDocumentSnapshot rollup, String counter) {
    return Named.ofDocument(settings, counter)
        .map(name -> name.layout().rollupDocument(name.path()))
        .filter(rollup.getReference().getPath()::equals)
        .isPresent();
  }

  /** Returns whether this is the path of a counter's document. */
  private boolean add(String document) {
    Optional<Named> name = Named.ofDocument(settings, document);
    name.ifPresent(
        each -> counters.computeIfAbsent(document, path -> new Watched(each, Instant.now())));
    return name.isPresent();
  }
}
