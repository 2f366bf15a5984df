package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.RollupStore.Page;
import dev.tallyroll.protocol.RunStore.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Puts totals right whose events were lost: pages through all roll-ups, then through all counters
 * that have none.
 *
 * <p>One sweep works at a time. It keeps its place in a run document, page by page, and ends when
 * its time is up or it has looked at as many documents as it may, whosever they are: so any number
 * of counters is swept, a part an hour, at a bounded cost. The next sweep goes on from there, also
 * after a crash.
 */
public final class Sweep {
  private static final String JOB = "sweep";
  private static final int PAGE = 100;

  /** Longer than a page takes: after a crash, no sweep goes on for so long. */
  private static final Duration ALIVE = Duration.ofMinutes(2);

  /** Each refusal means that another writer got through. */
  private static final int MAX_ATTEMPTS = 3;

  private static final Place START = new Place(Group.ROLLUPS, "");
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final RollupStore store;
  private final RunStore runs;
  private final Journal journal;
  private final RunSettings settings;
  private final EventLoop loop;
  private final Reports reports;

  public Sweep(
      RollupStore store, RunStore runs, Journal journal, EventLoop loop, RunSettings settings) {
    this.store = store;
    this.runs = runs;
    this.journal = journal;
    this.settings = settings;
    this.loop = loop;
    this.reports = new Reports(journal);
  }

  /**
   * Sweeps on from where the last sweep ended, unless one is at work. Costs at most three reads for
   * each document that it looks at, five where a total is to be removed, one write for each total
   * that is wrong, and a read and a write a page.
   *
   * @return whether all has been swept, so that the next sweep starts anew
   */
  public CompletableFuture<Boolean> run() {
    Stretch stretch = new Stretch();
    return stretch
        .ownership
        .claim(/* takesOver= */ false, before -> stretch.at = before.place().orElse(START))
        .thenCompose(held -> held ? stretch.next() : stretch.end("another sweep is at work"));
  }

  /** The part that one message has swept. */
  private final class Stretch {
    final Ownership ownership = new Ownership(runs, journal, JOB, ALIVE);
    final Instant deadline = loop.instant().plus(settings.sweep());
    Place at = START;
    boolean complete;
    int looked;
    int checked;
    int drift;
    int failed;
    int foreign;
    boolean own;
    Optional<String> otherMark = Optional.empty();

    CompletableFuture<Boolean> next() {
      own |= looked == 0 && !at.equals(START); // of what was swept before, nothing is known
      int left = settings.sweepCounters() - looked;
      if (left <= 0 || !loop.instant().isBefore(deadline)) {
        // The document stays, with the place in it; it says that nobody is at work.
        return ownership.keep(Duration.ZERO, Optional.of(at)).thenCompose(none -> end("sweep"));
      }
      return store
          .page(at.group(), at.after(), Math.min(PAGE, left))
          .thenCompose(page -> check(page).thenCompose(none -> goOn(page)));
    }

    private CompletableFuture<Boolean> goOn(Page page) {
      looked += page.looked();
      own |= !page.counters().isEmpty();
      otherMark = otherMark.or(page::otherMark);
      if (page.last().isEmpty() && at.group() == Group.COUNTERS) {
        complete = true;
        reportOthers();
        return ownership.release().thenCompose(none -> end("sweep"));
      }
      at =
          page.last().isEmpty()
              ? new Place(Group.COUNTERS, "")
              : new Place(at.group(), page.last());
      return ownership
          .keep(ALIVE, Optional.of(at))
          .thenCompose(none -> ownership.isLost() ? end("another sweep is at work") : next());
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
      return CompletableFuture.allOf(
          page.counters().stream()
              .map(
                  counter ->
                      check(counter, MAX_ATTEMPTS)
                          .exceptionally(failure -> failed(counter, failure)))
              .toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> check(CounterPath counter, int attempts) {
      return store.read(counter).thenCompose(reading -> check(counter, reading.rollup(), attempts));
    }

    /** A counter that has a roll-up is checked when the roll-ups are paged through. */
    private CompletableFuture<Void> check(
        CounterPath counter, Optional<Rollup> rollup, int attempts) {
      if (rollup.filter(Rollup::isForeign).isPresent()) {
        foreign++;
        return store
            .quickSum(counter)
            .thenAccept(sum -> reports.taken(counter, store.layout(), sum));
      }
      if (rollup.isPresent() && at.group() == Group.COUNTERS) {
        return DONE;
      }
      boolean hasTotal = rollup.filter(Rollup::wasWritten).isPresent();
      return (hasTotal ? store.sum(counter) : store.quickSum(counter))
          .thenCompose(sum -> act(counter, rollup, sum, attempts));
    }

    private CompletableFuture<Void> act(
        CounterPath counter, Optional<Rollup> rollup, Sum sum, int attempts) {
      checked++;
      reports.check(counter, store.layout(), sum);
      Optional<Change> change = Decisions.ofSweep(rollup, sum, settings.timing());
      if (change.isEmpty()) {
        return DONE;
      }
      return store
          .write(counter, change.get())
          .thenCompose(
              applied -> {
                if (applied.isEmpty()) {
                  return attempts > 1 ? check(counter, attempts - 1) : DONE;
                }
                if (rollup.flatMap(Rollup::liveUntil).isEmpty()) {
                  reportDrift(counter, rollup, sum);
                }
                return DONE;
              });
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
