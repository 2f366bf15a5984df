package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.RollupStore.Page;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.RunStore.Place;
import dev.tallyroll.protocol.Runs.Polling;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Corrects totals whose events were lost: pages through all roll-ups, then through all counters
 * that have none.
 *
 * <p>Where counters and polled counters have their roll-ups in different places, it pages through
 * both.
 *
 * <p>One sweep works at a time. It stores its place in a run document after each page, and ends
 * when its time is up or it has looked at as many documents, ours or foreign, as it may. So it
 * sweeps any number of counters, a part each hour, at a bounded cost. The next sweep goes on from
 * there, also after a crash. If a page fails, it tries again with fewer documents.
 */
public final class Sweep {
  private static final String JOB = "sweep";
  private static final int PAGE = 100;

  /**
   * Only a few, since a foreign document may have a megabyte, and an instance has 300 of memory.
   */
  private static final int CHECKED_AT_ONCE = 8;

  /** How many counters are remembered, in about ten megabytes; each other one costs a read more. */
  private static final int REMEMBERED = 50_000;

  /** Longer than a page takes. After a crash, no other sweep begins in this time. */
  private static final Duration ALIVE = Duration.ofMinutes(2);

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** Each refusal means that another writer has written. */
  private static final int MAX_ATTEMPTS = 3;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private static final Place START = new Place(Group.ROLLUPS, "");

  /** What a sweep pages through, in this order. */
  private enum Stage {
    ROLLUPS,
    COUNTERS,
    /** The roll-ups of polled counters, if they are not among the others. */
    POLLED
  }

  private final RollupStore store;
  private final Optional<Polling> polled;
  private final RunStore runs;
  private final Journal journal;
  private final RunSettings settings;
  private final EventLoop loop;
  private final Reports reports;
  private final ShardRates rates;

  /**
   * @param polled the stores of polled counters; only the sweep finds roll-ups whose polled counter
   *     was deleted
   */
  public Sweep(
      RollupStore store,
      Optional<Polling> polled,
      RunStore runs,
      Journal journal,
      EventLoop loop,
      RunSettings settings) {
    this.store = store;
    this.polled = polled;
    this.runs = runs;
    this.journal = journal;
    this.settings = settings;
    this.loop = loop;
    this.reports = new Reports(journal);
    this.rates = new ShardRates(journal);
  }

  /**
   * Goes on where the last sweep ended, unless another is at work.
   *
   * <p>Costs three reads for each document in a roll-up's place (its path, itself, a sum), two more
   * if a total is to be removed; one more with TOTAL_FIELD; one read for each shard of a polled
   * counter that changes; one read for each counter's document, one more if its roll-up was not
   * swept by the same call, and then a sum if it has none; one write for each total that is wrong;
   * and a read and a write a page.
   *
   * @return whether the sweep is complete, so that the next one begins anew
   */
  public CompletableFuture<Boolean> run() {
    SweepRun run = new SweepRun();
    return run.ownership
        .claim(/* takesOver= */ false, before -> before.place().ifPresent(run::begin))
        .thenCompose(held -> held ? run.next(PAGE) : run.end("another sweep is at work"));
  }

  /** The polled counters whose roll-ups are not among those of the others. */
  private Optional<Polling> polledApart() {
    return polled.filter(
        its -> {
          Layout layout = its.rollups().layout();
          CounterPath any = new CounterPath(layout.singleParent().orElseThrow(), "any");
          return store.layout().counterOfRollup(layout.rollupDocument(any)).isEmpty();
        });
  }

  /** The part that one message sweeps. */
  private final class SweepRun {
    final Ownership ownership = new Ownership(runs, journal, JOB, ALIVE);
    final String holder = runs.newHolder();
    final Instant deadline = loop.instant().plus(settings.sweep());
    final Set<CounterPath> swept = new HashSet<>();
    Stage stage = Stage.ROLLUPS;
    String after = "";
    boolean complete;
    int looked;
    int checked;
    int drift;
    int failed;
    int foreign;
    boolean own;
    Optional<String> otherMark = Optional.empty();

    /** A place that is damaged, or was stored with other settings, is none. */
    void begin(Place place) {
      for (Stage one : Stage.values()) {
        if (one.name().equals(place.group())
            && (one != Stage.POLLED || polledApart().isPresent())
            && (place.after().isEmpty() || !paged(one).isElsewhere(group(one), place.after()))) {
          stage = one;
          after = place.after();
          own = !place.equals(START); // the sweep before may have found ours
        }
      }
    }

    private RollupStore paged(Stage of) {
      return of == Stage.POLLED ? polled.orElseThrow().rollups() : store;
    }

    private Group group(Stage of) {
      return of == Stage.COUNTERS ? Group.COUNTERS : Group.ROLLUPS;
    }

    private Optional<Place> place() {
      return Optional.of(new Place(stage.name(), after));
    }

    CompletableFuture<Boolean> next(int most) {
      int left = settings.sweepCounters() - looked;
      if (left <= 0 || !loop.instant().isBefore(deadline)) {
        return leave("sweep");
      }
      int limit = Math.min(most, left);
      return paged(stage)
          .page(group(stage), after, limit)
          .thenApply(Optional::of)
          .exceptionally(this::pageFailed)
          .thenCompose(
              page ->
                  page.isEmpty()
                      ? again(limit)
                      : check(page.get()).thenCompose(none -> goOn(page.get())));
    }

    private Optional<Page> pageFailed(Throwable failure) {
      failed++;
      journal.write(
          Severity.WARNING,
          "a page of the sweep failed",
          Map.of("after", after, "cause", failure.toString()));
      return Optional.empty();
    }

    /** Tries again with a smaller page; if that fails, too, the next sweep goes on from there. */
    private CompletableFuture<Boolean> again(int limit) {
      return limit > 1
          ? loop.after(PAUSE).thenCompose(none -> next(Math.max(1, limit / 10)))
          : leave("sweep");
    }

    /** Keeps the run document with the place in it, but without a claim. */
    private CompletableFuture<Boolean> leave(String message) {
      return ownership.keep(Duration.ZERO, place()).thenCompose(none -> end(message));
    }

    private CompletableFuture<Boolean> goOn(Page page) {
      looked += page.looked();
      after = page.last();
      if (after.isEmpty()) {
        Stage last = polledApart().isPresent() ? Stage.POLLED : Stage.COUNTERS;
        if (stage == last) {
          complete = true;
          reportOthers();
          return ownership.release().thenCompose(none -> end("sweep"));
        }
        stage = stage == Stage.ROLLUPS ? Stage.COUNTERS : Stage.POLLED;
      }
      return ownership
          .keep(ALIVE, place())
          .thenCompose(none -> ownership.isLost() ? end("another sweep is at work") : next(PAGE));
    }

    private CompletableFuture<Boolean> end(String message) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("looked", looked);
      fields.put("checked", checked);
      fields.put("drift", drift);
      fields.put("failed", failed);
      fields.put("foreign", foreign);
      fields.put("complete", complete);
      journal.write(failed > 0 ? Severity.WARNING : Severity.INFO, message, fields);
      return CompletableFuture.completedFuture(complete);
    }

    private void reportOthers() {
      if (!own && otherMark.isPresent()) {
        journal.write(
            Severity.ERROR,
            "no counter and no roll-up of these settings, but roll-ups of others: is COUNTERS"
                + " right?",
            Map.of("expected", store.layout().counters(), "found", otherMark.get()));
      }
    }

    private CompletableFuture<Void> check(Page page) {
      Iterator<CounterPath> left = page.counters().iterator();
      return CompletableFuture.allOf(
          Stream.generate(() -> checkNext(left))
              .limit(CHECKED_AT_ONCE)
              .toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> checkNext(Iterator<CounterPath> left) {
      if (!left.hasNext()) {
        return DONE;
      }
      CounterPath counter = left.next();
      return check(counter, MAX_ATTEMPTS)
          .exceptionally(failure -> failed(counter, failure))
          .thenCompose(none -> checkNext(left));
    }

    /** Passes over a counter that has a roll-up, which the pages of roll-ups check. */
    private CompletableFuture<Void> check(CounterPath counter, int attempts) {
      if (stage == Stage.POLLED) {
        return checkPolled(polled.orElseThrow(), counter);
      }
      if (stage == Stage.COUNTERS) {
        own = true;
        if (swept.contains(counter)) {
          return DONE;
        }
      }
      return store.read(counter).thenCompose(reading -> check(counter, reading, attempts));
    }

    private CompletableFuture<Void> check(CounterPath counter, Reading reading, int attempts) {
      Optional<Rollup> rollup = reading.rollup();
      Optional<Polling> poller = pollerOf(counter, reading);
      if (poller.isPresent()) {
        return checkPolled(poller.get(), counter);
      }
      otherMark = otherMark.or(reading::otherMark);
      if (rollup.filter(Rollup::isForeign).isPresent()) {
        foreign++;
        return store
            .quickSum(counter)
            .thenAccept(sum -> reports.taken(counter, store.layout(), sum));
      }
      own |= rollup.isPresent();
      if (rollup.isPresent() && stage == Stage.COUNTERS) {
        return DONE;
      }
      if (swept.size() < REMEMBERED) {
        swept.add(counter);
      }
      boolean hasTotal = rollup.filter(Rollup::wasWritten).isPresent();
      return (hasTotal ? store.sum(counter) : store.quickSum(counter))
          .thenCompose(sum -> act(counter, rollup, sum, attempts));
    }

    /** The stores of the polled counter that a document belongs to, by its mark. */
    private Optional<Polling> pollerOf(CounterPath counter, Reading reading) {
      return polled.filter(
          its ->
              reading
                  .otherMark()
                  .flatMap(its.rollups().layout()::counterOfDocument)
                  .filter(counter::equals)
                  .isPresent());
    }

    private CompletableFuture<Void> checkPolled(Polling its, CounterPath counter) {
      return its.rollups()
          .read(counter)
          .thenCompose(
              reading ->
                  reading.rollup().filter(rollup -> !rollup.isForeign()).isPresent()
                      ? checkPolled(its, counter, reading)
                      : DONE);
    }

    private CompletableFuture<Void> checkPolled(Polling its, CounterPath counter, Reading reading) {
      own = true;
      checked++;
      return its.rollups()
          .sum(counter)
          .thenCompose(
              sum -> {
                reports.check(counter, its.rollups().layout(), sum);
                Optional<Change> change =
                    Decisions.ofPoll(reading.rollup(), sum, settings.timing());
                return change.isPresent()
                    ? disturb(its, counter)
                        .thenCompose(none -> its.rollups().write(counter, change.get()))
                        .thenAccept(done -> {})
                    : mendField(its.rollups(), counter, reading.rollup(), sum);
              })
          .thenCompose(none -> changes(reading) ? checkRate(its.rollups(), counter) : DONE);
    }

    /**
     * Has the counter's poller read roll-ups again, as if another instance had polled: it would
     * else believe what it remembers, although the shards have come back to that total meanwhile.
     */
    private CompletableFuture<Void> disturb(Polling its, CounterPath counter) {
      int worker = Part.workerOf(its.rollups().layout().liveId(counter), settings.workers());
      String job = Poller.job(worker);
      return its.runs().read(job).thenCompose(state -> Poller.hold(its.runs(), job, holder, state));
    }

    private boolean changes(Reading reading) {
      Instant recently = reading.readTime().minus(MINUTE);
      return reading.rollup().filter(it -> it.asOf().isAfter(recently)).isPresent();
    }

    private CompletableFuture<Void> checkRate(RollupStore its, CounterPath counter) {
      return its.agesOfShards(counter).thenAccept(ages -> rates.seen(counter, its.layout(), ages));
    }

    private CompletableFuture<Void> act(
        CounterPath counter, Optional<Rollup> rollup, Sum sum, int attempts) {
      checked++;
      reports.check(counter, store.layout(), sum);
      Optional<Change> change = Decisions.ofSweep(rollup, sum, settings.timing());
      if (change.isEmpty()) {
        return mendField(store, counter, rollup, sum);
      }
      return store
          .write(counter, change.get())
          .thenCompose(
              applied -> {
                if (applied.isEmpty()) {
                  swept.remove(counter);
                  return attempts > 1 ? check(counter, attempts - 1) : DONE;
                }
                if (rollup.flatMap(Rollup::liveUntil).isEmpty()) {
                  reportDrift(counter, rollup, sum);
                }
                return DONE;
              });
    }

    /** Corrects the field, since the app may have replaced the counter's own document. */
    private CompletableFuture<Void> mendField(
        RollupStore its, CounterPath counter, Optional<Rollup> rollup, Sum sum) {
      Optional<Rollup> settled = rollup.filter(it -> it.liveUntil().isEmpty());
      if (settled.isEmpty() || !sum.isUsable() || sum.differsFrom(settled.get())) {
        return DONE;
      }
      return its.shows(counter, settled.get().total())
          .thenCompose(
              shown ->
                  shown
                      ? DONE
                      : its.write(counter, Change.update(settled.get(), sum, Optional.empty()))
                          .thenAccept(done -> {}));
    }

    private void reportDrift(CounterPath counter, Optional<Rollup> rollup, Sum sum) {
      drift++;
      journal.write(
          Severity.WARNING,
          "drift corrected: the events of some writes were lost, or are still on their way",
          Map.of(
              "counter", store.layout().counterDocument(counter),
              "was", rollup.map(it -> it.total().toString()).orElse("absent"),
              "is", sum.total().toString()));
    }

    private Void failed(CounterPath counter, Throwable failure) {
      failed++;
      journal.write(
          Severity.WARNING,
          "not swept; the next sweep tries again",
          Map.of("counter", store.layout().counterDocument(counter), "cause", failure.toString()));
      return null;
    }
  }
}
