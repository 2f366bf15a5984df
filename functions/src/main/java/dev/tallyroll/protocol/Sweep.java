package dev.tallyroll.protocol;

import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.CounterPages.Group;
import dev.tallyroll.protocol.CounterPages.Page;
import dev.tallyroll.protocol.Cycle.Next;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.runs.ClaimedBookmark;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Extent;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.Journal.Severity;
import dev.tallyroll.runs.Pass;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Corrects totals whose events were lost: pages through all roll-ups, then through all counters
 * that have none.
 *
 * <p>One sweep works at a time. It stores its place in a run document after each page, and ends
 * when its time is up or it has looked at as many documents, ours or foreign, as it may: at 10,000,
 * or at a twenty-fourth of what the last whole round has looked at, so that a round takes a day at
 * most. The next sweep goes on from there, also after a crash; if the round is older than a day, it
 * says that it is behind. If a page fails, it tries again with fewer documents.
 */
public final class Sweep {
  private static final List<Integer> PAGES = List.of(100, 10, 1);

  /**
   * Only a few, since a foreign document may have a megabyte, and an instance has 300 of memory.
   */
  private static final int CHECKED_AT_ONCE = 8;

  /** How many counters are remembered, in about ten megabytes; each other one costs a read more. */
  private static final int REMEMBERED = 50_000;

  /** A minute, and the time of a call. */
  private static final Duration RECENTLY = Duration.ofSeconds(61);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final RollupStore store;
  private final Cycles cycles;

  private final boolean hasEvents;
  private final RunStore runs;
  private final Journal journal;
  private final RunSettings settings;
  private final EventLoop loop;
  private final Reports reports;
  private final ShardRates rates;

  /**
   * @param hasEvents whether each write of a shard makes an event, so a total that differs is drift
   */
  public Sweep(
      RollupStore store,
      boolean hasEvents,
      RunStore runs,
      Journal journal,
      EventLoop loop,
      RunSettings settings) {
    this.store = store;
    this.hasEvents = hasEvents;
    this.reports = new Reports(journal);
    this.cycles = new Cycles(store, loop, reports);
    this.runs = runs;
    this.journal = journal;
    this.settings = settings;
    this.loop = loop;
    this.rates = new ShardRates(journal);
  }

  /**
   * Goes on where the last sweep ended, unless another is at work; or looks at everything.
   *
   * <p>Costs three reads for each document in a roll-up's place (its path, itself, a sum), two more
   * if a total is to be removed; one more with TOTAL_FIELD; without events, one read for each shard
   * of a counter that changes; one read for each counter's document, one more if its roll-up was
   * not swept by the same call, and then a sum if it has none; one write for each total that is
   * wrong; and two reads and a write a page.
   *
   * @return COMPLETE if there is nothing to go on with
   */
  public CompletableFuture<Pass.End> run(Extent extent) {
    return new SweepRun(extent).run();
  }

  /**
   * A counter of a page.
   *
   * @param withoutOnly whether it is passed over if it has a roll-up, which another page is for
   */
  private record Found(Located counter, boolean withoutOnly) {}

  /** What one message sweeps. */
  private final class SweepRun implements Pass.Pages<Found> {
    private final ClaimedBookmark bookmark;
    private final Pass<Found> pass;
    private final Set<Located> swept = new HashSet<>();
    private int looked;
    private int checked;
    private int drift;
    private int failed;
    private int foreign;

    SweepRun(Extent extent) {
      this.bookmark = new ClaimedBookmark(runs, journal, loop, extent, () -> looked);
      this.pass = new Pass<>(this, bookmark, loop, CHECKED_AT_ONCE, settings.sweep());
    }

    CompletableFuture<Pass.End> run() {
      return pass.run().thenApply(this::end);
    }

    @Override
    public List<String> groups() {
      return List.of(Group.ROLLUPS.name(), Group.COUNTERS.name());
    }

    @Override
    public boolean canBeginAfter(String group, String after) {
      return store.canBeginAfter(Group.valueOf(group), after);
    }

    @Override
    public boolean isSpent() {
      return left() <= 0;
    }

    /** How many more documents it may look at. */
    private int left() {
      return bookmark.looks(settings) - looked;
    }

    @Override
    public CompletableFuture<Pass.Page<Found>> page(String name, String after, int failures) {
      Group group = Group.valueOf(name);
      int limit = Math.min(PAGES.get(failures), left());
      return store
          .page(group, after, limit)
          .whenComplete((page, failure) -> noteFailure(after, failure))
          .thenApply(page -> found(page, group == Group.COUNTERS));
    }

    private void noteFailure(String after, @Nullable Throwable failure) {
      if (failure != null) {
        failed++;
        journal.write(
            Severity.WARNING,
            "a page of the sweep failed",
            Map.of("after", after, "cause", failure.toString()));
      }
    }

    private Pass.Page<Found> found(Page page, boolean ofCounters) {
      looked += page.looked();
      return new Pass.Page<>(
          page.counters().stream().map(counter -> new Found(counter, ofCounters)).toList(),
          page.last());
    }

    private Pass.End end(Pass.End end) {
      boolean complete = end == Pass.End.COMPLETE;
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("looked", looked);
      fields.put("checked", checked);
      fields.put("drift", drift);
      fields.put("failed", failed);
      fields.put("foreign", foreign);
      fields.put("complete", complete);
      if (end != Pass.End.ANOTHER) {
        bookmark.describe(fields, pass.age());
      }
      String message = end == Pass.End.ANOTHER ? "another sweep is at work" : "sweep";
      journal.write(failed > 0 ? Severity.WARNING : Severity.INFO, message, fields);
      return bookmark.ended(end);
    }

    /** Passes over a counter that has a roll-up, which the pages of roll-ups check. */
    @Override
    public CompletableFuture<Void> work(Found found) {
      return found.withoutOnly() && swept.contains(found.counter())
          ? DONE
          : check(found).exceptionally(failure -> failed(found.counter(), failure));
    }

    private CompletableFuture<Void> check(Found found) {
      Located counter = found.counter();
      SweepPolicy correcting = new SweepPolicy(settings.timing(), found.withoutOnly());
      return cycles
          .run(
              counter,
              Cycle.begin(correcting, Optional.empty()),
              (before, after) -> note(counter, before, after))
          .thenCompose(cycle -> end(found, cycle).thenCompose(none -> look(counter, cycle)));
    }

    /** One that looks at everything tells, too, what does not count. */
    private CompletableFuture<Void> look(Located counter, Cycle<SweepPolicy> cycle) {
      Optional<Sum> sum = cycle.sum().filter(found -> bookmark.isAll());
      return sum.isPresent() ? cycles.tellUncounted(counter, sum.get()) : DONE;
    }

    private void note(Located counter, Cycle<SweepPolicy> before, Cycle<SweepPolicy> after) {
      if (before.next() == Next.READ && after.next() == Next.SUM) {
        remember(counter);
      } else if (before.next() == Next.SUM) {
        checked++;
        after.sum().ifPresent(sum -> reports.check(counter, sum));
      } else if (before.next() == Next.WRITE && after.version().isEmpty()) {
        swept.remove(counter);
      }
    }

    /** So that it is passed over when it is met again. */
    private void remember(Located counter) {
      if (swept.size() < REMEMBERED) {
        swept.add(counter);
      }
    }

    private CompletableFuture<Void> end(Found found, Cycle<SweepPolicy> cycle) {
      Located counter = found.counter();
      return switch (cycle.next()) {
        case FOREIGN, PASSED -> passed(found, cycle.reading().orElseThrow());
        case UNCHANGED ->
            mendFields(counter, cycle.stored(), cycle.sum().orElseThrow())
                .thenCompose(none -> checkRate(counter, cycle));
        case WRITTEN -> {
          if (!isExpected(cycle)) {
            reportDrift(counter, cycle.stored(), cycle.sum().orElseThrow());
          }
          yield checkRate(counter, cycle);
        }
        default -> DONE;
      };
    }

    /** Of a lease, and of a document of the app's that goes after its shards, no event tells. */
    private boolean isExpected(Cycle<SweepPolicy> cycle) {
      Optional<Rollup> before = cycle.stored();
      return !hasEvents
          || before.flatMap(Rollup::liveUntil).isPresent()
          || (before.filter(Rollup::isEmptied).isPresent()
              && cycle.sum().orElseThrow().isOfNothing());
    }

    private CompletableFuture<Void> passed(Found found, Reading reading) {
      Located counter = found.counter();
      if (reading.foreign().isEmpty()) {
        return DONE;
      }
      foreign++;
      remember(counter);
      return store
          .sum(counter)
          .thenAccept(
              sum -> {
                if (sum.shards() > 0) { // else it does not need the place
                  reports.taken(counter, reading);
                }
              });
    }

    /** Without events, nobody has told how often the counter is written. */
    private CompletableFuture<Void> checkRate(Located counter, Cycle<SweepPolicy> cycle) {
      Instant recently = cycle.sum().orElseThrow().readTime().minus(RECENTLY);
      return !hasEvents
              && cycle.stored().filter(rollup -> rollup.asOf().isAfter(recently)).isPresent()
          ? store.agesOfShards(counter).thenAccept(ages -> rates.seen(counter, ages))
          : DONE;
    }

    /** Corrects the fields, since the app may have replaced the counter's own document. */
    private CompletableFuture<Void> mendFields(Located counter, Optional<Rollup> rollup, Sum sum) {
      Optional<Rollup> settled = rollup.filter(stored -> stored.liveUntil().isEmpty());
      if (settled.isEmpty() || !sum.isUsable() || sum.differsFrom(settled.get())) {
        return DONE;
      }
      return store
          .shows(counter, settled.get().sum())
          .thenCompose(
              shown ->
                  shown
                      ? DONE
                      : store
                          .write(counter, Change.update(settled.get(), sum, Optional.empty()))
                          .thenAccept(done -> {}));
    }

    private void reportDrift(Located counter, Optional<Rollup> rollup, Sum sum) {
      drift++;
      journal.write(
          Severity.WARNING,
          "drift corrected: the events of some writes were lost, or are still on their way",
          Map.of(
              "counter", counter.document(),
              "was", rollup.map(stored -> stored.total().toString()).orElse("absent"),
              "is", sum.total().toString()));
    }

    private Void failed(Located counter, Throwable failure) {
      failed++;
      journal.write(
          Severity.WARNING,
          "not swept; the next sweep tries again",
          Map.of("counter", counter.document(), "cause", failure.toString()));
      return null;
    }
  }

  /**
   * The policy of a sweep's cycles.
   *
   * @param withoutOnly whether a counter that has a roll-up is passed over
   */
  record SweepPolicy(Timing timing, boolean withoutOnly) implements Cycle.Policy<SweepPolicy> {
    /** Each refusal means that another writer has written. */
    private static final int MAX_ATTEMPTS = 3;

    @Override
    public int attempts() {
      return MAX_ATTEMPTS;
    }

    @Override
    public boolean isDoneAfter(Reading reading) {
      return withoutOnly && reading.rollup().filter(rollup -> !rollup.isForeign()).isPresent();
    }

    @Override
    public Optional<Change> decide(Optional<Rollup> stored, Sum sum) {
      return Decisions.ofSweep(stored, sum, timing);
    }

    @Override
    public SweepPolicy after(Cycle<SweepPolicy> before, Cycle<SweepPolicy> after) {
      return this;
    }
  }
}
