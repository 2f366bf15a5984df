package dev.tallyroll.protocol;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.TotalOf;
import dev.tallyroll.protocol.CounterPages.CounterPage;
import dev.tallyroll.protocol.CounterPages.Group;
import dev.tallyroll.protocol.Cycle.Changed;
import dev.tallyroll.protocol.Cycle.PassedOver;
import dev.tallyroll.protocol.Cycle.ToRead;
import dev.tallyroll.protocol.Cycle.ToSum;
import dev.tallyroll.protocol.Cycle.ToWrite;
import dev.tallyroll.protocol.Cycle.Unchanged;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.runs.ClaimedBookmark;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Pass;
import dev.tallyroll.runs.PassKind;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.StructuredLog.Severity;
import dev.tallyroll.runs.Sweeper;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Corrects totals whose events were lost. Each entry has its own sweep, one after the other: it
 * pages through the entry's roll-ups, then through the counters' documents, for those that have no
 * roll-up. Documents that several entries share are listed once, by the sweep of the first.
 *
 * <p>Of each entry, one sweep works at a time. It stores its place in a run document of its own
 * after each page, and ends when its time is up or it has looked at as many documents, ours or
 * foreign, as it may. All entries together have eight minutes and 10,000 documents, in equal
 * shares; what one leaves of its time, the others have. An entry whose last whole round was larger
 * has a twenty-fourth of that, so that a round takes a day at most. The next sweep goes on from
 * there, also after a crash; if the round is older than a day, it says that it is behind. If a page
 * fails, it tries again with fewer documents.
 */
public final class Sweep implements Sweeper {
  private static final List<Integer> PAGES = List.of(100, 10, 1);

  /**
   * Only a few, since a foreign document may have a megabyte, and an instance has 300 of memory.
   */
  private static final int CHECKED_AT_ONCE = 8;

  /** How many counters are remembered, in about ten megabytes; each other one costs a read more. */
  private static final int REMEMBERED = 50_000;

  /** A minute, and the time of a call. */
  private static final Duration RECENTLY = Duration.ofSeconds(61);

  /** The ends of sweeps, the one that asks for most last. */
  private static final List<Pass.End> SEVERITY =
      List.of(Pass.End.COMPLETE, Pass.End.ANOTHER, Pass.End.LEFT, Pass.End.LATE);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final CounterStore store;
  private final Cycles cycles;
  private final RunStore runs;
  private final StructuredLog log;
  private final RunSettings settings;
  private final EventLoop loop;
  private final Reports reports;
  private final ShardRates rates;

  public Sweep(
      CounterStore store, RunStore runs, StructuredLog log, EventLoop loop, RunSettings settings) {
    this.store = store;
    this.reports = new Reports(log);
    this.cycles = new Cycles(store, loop, reports);
    this.runs = runs;
    this.log = log;
    this.settings = settings;
    this.loop = loop;
    this.rates = new ShardRates(log);
  }

  /**
   * Goes on where the last sweep ended, unless another is at work; or looks at everything.
   *
   * <p>Costs three reads for each document in a roll-up's place (its path, itself, a sum), two more
   * if a total is to be removed; one more with fields in the app's document; without events, one
   * read for each shard of a counter that changes; one read for each counter's document, one more
   * if its roll-up was not swept by the same call, and then a sum if it has none; one write for
   * each total that is wrong; and two reads and a write a page.
   *
   * @return COMPLETE if there is nothing to go on with
   */
  @Override
  public CompletableFuture<Pass.End> run(PassKind kind) {
    return sweep(kind, loop.instant().plus(settings.sweep()), new HashSet<>(), 0);
  }

  /** Sweeps one entry, and then those behind it; gives the end that asks for most. */
  private CompletableFuture<Pass.End> sweep(
      PassKind kind, Instant deadline, Set<CounterId> swept, int index) {
    List<Entry> entries = store.entries();
    Duration share = Duration.between(loop.instant(), deadline).dividedBy(entries.size() - index);
    Entry entry = entries.get(index);
    CompletableFuture<Pass.End> first =
        hasRest(entry, kind)
            .thenCompose(
                rest ->
                    rest
                        ? new SweepRun(entry, kind, share, swept).run()
                        : CompletableFuture.completedFuture(Pass.End.COMPLETE));
    return index + 1 == entries.size()
        ? first
        : first.thenCompose(
            end -> sweep(kind, deadline, swept, index + 1).thenApply(other -> worse(end, other)));
  }

  /**
   * What is left of a sweep of everything is that of the entries that have not come to their end.
   */
  private CompletableFuture<Boolean> hasRest(Entry entry, PassKind kind) {
    return kind == PassKind.REST
        ? runs.read(job(entry))
            .thenApply(state -> state.place().filter(place -> place.round().all()).isPresent())
        : CompletableFuture.completedFuture(true);
  }

  private static String job(Entry entry) {
    return ClaimedBookmark.SWEEP + "-" + entry.name();
  }

  private static Pass.End worse(Pass.End one, Pass.End other) {
    return SEVERITY.indexOf(one) > SEVERITY.indexOf(other) ? one : other;
  }

  /**
   * A counter of a page.
   *
   * @param withoutOnly whether it is passed over if it has a roll-up, which another page is for
   */
  private record Listed(CounterId counter, boolean withoutOnly) {}

  /** What one message sweeps of an entry. */
  private final class SweepRun implements Pass.Pages<Listed> {
    private final Entry entry;

    /** The entries whose totals are of the same documents; empty if one before this lists them. */
    private final List<Entry> sharing;

    private final ClaimedBookmark bookmark;
    private final Pass<Listed> pass;

    /** The counters with a roll-up that this message has swept. */
    private final Set<CounterId> swept;

    private int looked;
    private int checked;
    private int drift;
    private int failed;
    private int foreign;

    SweepRun(Entry entry, PassKind kind, Duration most, Set<CounterId> swept) {
      this.entry = entry;
      this.swept = swept;
      List<Entry> all =
          store.entries().stream()
              .filter(other -> isOfTheSameDocuments(other.layout(), entry.layout()))
              .toList();
      this.sharing = all.get(0).equals(entry) ? all : List.of();
      this.bookmark =
          new ClaimedBookmark(
              runs, job(entry), log, loop, kind, store.entries().size(), () -> looked);
      this.pass = new Pass<>(this, bookmark, loop, CHECKED_AT_ONCE, most);
    }

    private static boolean isOfTheSameDocuments(Layout one, Layout other) {
      return TotalOf.numbered(one.document()).equals(TotalOf.numbered(other.document()));
    }

    CompletableFuture<Pass.End> run() {
      return pass.run().thenApply(this::end);
    }

    @Override
    public List<String> groups() {
      return sharing.isEmpty()
          ? List.of(Group.ROLLUPS.name())
          : List.of(Group.ROLLUPS.name(), Group.COUNTERS.name());
    }

    @Override
    public boolean canBeginAfter(String group, String after) {
      return store.pages().canBeginAfter(entry, Group.valueOf(group), after);
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
    public CompletableFuture<Pass.Page<Listed>> page(String name, String after, int failures) {
      Group group = Group.valueOf(name);
      int limit = Math.min(PAGES.get(failures), left());
      return store
          .pages()
          .page(entry, group, after, limit)
          .whenComplete((page, failure) -> noteFailure(after, failure))
          .thenApply(page -> found(page, group == Group.COUNTERS));
    }

    private void noteFailure(String after, @Nullable Throwable failure) {
      if (failure != null) {
        failed++;
        log.write(
            Severity.WARNING,
            "a page of the sweep failed",
            Map.of(StructuredLog.ENTRY, entry.name(), "after", after, "cause", failure.toString()));
      }
    }

    private Pass.Page<Listed> found(CounterPage page, boolean ofCounters) {
      looked += page.looked();
      return new Pass.Page<>(
          page.counters().stream()
              .flatMap(
                  counter ->
                      ofCounters
                          ? sharing.stream()
                              .map(each -> new Listed(each.counter(counter.path()), ofCounters))
                          : Stream.of(new Listed(counter, ofCounters)))
              .toList(),
          page.last());
    }

    private Pass.End end(Pass.End end) {
      boolean complete = end == Pass.End.COMPLETE;
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put(StructuredLog.ENTRY, entry.name());
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
      log.write(failed > 0 ? Severity.WARNING : Severity.INFO, message, fields);
      return bookmark.ended(end);
    }

    /** Passes over a counter that has a roll-up, which the pages of roll-ups check. */
    @Override
    public CompletableFuture<Void> work(Listed found) {
      return found.withoutOnly() && swept.contains(found.counter())
          ? DONE
          : check(found).exceptionally(failure -> failed(found.counter(), failure));
    }

    private CompletableFuture<Void> check(Listed found) {
      CounterId counter = found.counter();
      SweepPolicy correcting = new SweepPolicy(counter.timing(), found.withoutOnly());
      return cycles
          .run(
              counter,
              Cycle.begin(correcting, Optional.empty()),
              (before, after) -> note(counter, before, after))
          .thenCompose(cycle -> end(found, cycle).thenCompose(none -> look(counter, cycle)));
    }

    /** One that looks at everything tells, too, what does not count. */
    private CompletableFuture<Void> look(CounterId counter, Cycle<SweepPolicy> cycle) {
      Optional<Sum> sum = cycle.sum().filter(found -> bookmark.isAll());
      return sum.isPresent() ? cycles.tellUncounted(counter, sum.get()) : DONE;
    }

    private void note(CounterId counter, Cycle<SweepPolicy> before, Cycle<SweepPolicy> after) {
      if (before instanceof ToRead && after instanceof ToSum) {
        remember(counter);
      } else if (before instanceof ToSum) {
        checked++;
        after.sum().ifPresent(sum -> reports.check(counter, sum));
      } else if (before instanceof ToWrite && !(after instanceof Changed)) {
        swept.remove(counter);
      }
    }

    /** Remembers a counter that was swept, so that the sweep passes over it the second time. */
    private void remember(CounterId counter) {
      if (swept.size() < REMEMBERED) {
        swept.add(counter);
      }
    }

    private CompletableFuture<Void> end(Listed found, Cycle<SweepPolicy> cycle) {
      CounterId counter = found.counter();
      if (cycle instanceof PassedOver<SweepPolicy> passed) {
        return passed(found, passed.reading());
      }
      if (cycle instanceof Unchanged<SweepPolicy>) {
        return mendFields(counter, cycle.stored(), cycle.sum().orElseThrow())
            .thenCompose(none -> checkRate(counter, cycle));
      }
      if (cycle instanceof Changed<SweepPolicy>) {
        if (!isExpected(counter, cycle)) {
          reportDrift(counter, cycle.stored(), cycle.sum().orElseThrow());
        }
        return checkRate(counter, cycle);
      }
      return DONE;
    }

    /** No event reports a lease, nor a parent document that is deleted after its shards. */
    private static boolean isExpected(CounterId counter, Cycle<SweepPolicy> cycle) {
      Optional<Rollup> before = cycle.stored();
      return !counter.entry().hasEvents()
          || before.flatMap(Rollup::liveUntil).isPresent()
          || (before.filter(Rollup::isEmptied).isPresent()
              && cycle.sum().orElseThrow().isOfNothing());
    }

    private CompletableFuture<Void> passed(Listed found, Reading reading) {
      CounterId counter = found.counter();
      if (reading.foreign().isEmpty()) {
        return DONE;
      }
      foreign++;
      remember(counter);
      return store
          .sums()
          .sum(counter)
          .thenAccept(
              sum -> {
                if (sum.shards() > 0) { // else it does not need the place
                  reports.taken(counter, reading);
                }
              });
    }

    /** Without events, nobody has told how often the counter is written. */
    private CompletableFuture<Void> checkRate(CounterId counter, Cycle<SweepPolicy> cycle) {
      Instant recently = cycle.sum().orElseThrow().readTime().minus(RECENTLY);
      return !counter.entry().hasEvents()
              && cycle.stored().filter(rollup -> rollup.asOf().isAfter(recently)).isPresent()
          ? store.sums().agesOfShards(counter).thenAccept(ages -> rates.seen(counter, ages))
          : DONE;
    }

    /** Corrects the fields, since the app may have replaced the counter's own document. */
    private CompletableFuture<Void> mendFields(
        CounterId counter, Optional<Rollup> rollup, Sum sum) {
      Optional<Rollup> settled = rollup.filter(stored -> stored.liveUntil().isEmpty());
      if (settled.isEmpty() || !sum.isUsable() || sum.differsFrom(settled.get())) {
        return DONE;
      }
      return store
          .rollups()
          .shows(counter, settled.get().sum())
          .thenCompose(
              shown ->
                  shown
                      ? DONE
                      : store
                          .rollups()
                          .write(counter, Change.update(settled.get(), sum, Optional.empty()))
                          .thenAccept(done -> {}));
    }

    private void reportDrift(CounterId counter, Optional<Rollup> rollup, Sum sum) {
      drift++;
      log.write(
          Severity.WARNING,
          "drift corrected: the events of some writes were lost, or are still on their way",
          counter.fields(
              Map.of(
                  "was",
                  rollup.map(stored -> stored.total().toString()).orElse("absent"),
                  "is",
                  sum.total().toString())));
    }

    private Void failed(CounterId counter, Throwable failure) {
      failed++;
      Optional<MissingIndexException> missing = MissingIndexException.in(failure);
      if (missing.isPresent()) {
        reports.withoutIndex(counter, loop.instant(), missing.get()); // not once for each counter
        return null;
      }
      log.write(
          Severity.WARNING,
          "not swept; the next sweep tries again",
          counter.fields(Map.of("cause", failure.toString())));
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
    public SweepPolicy self() {
      return this;
    }

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
  }
}
