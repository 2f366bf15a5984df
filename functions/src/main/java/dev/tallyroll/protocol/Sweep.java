package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.RollupStore.Found;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.RollupStore.Page;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;

/**
 * Puts totals right whose events were lost: pages through all roll-ups, then through all counters
 * that have none.
 *
 * <p>It stops at its deadline and says where to go on, so that any number of counters can be swept,
 * a part at a time. A failure ends the part: its message is lost, and the next sweep starts afresh.
 *
 * <p>All methods must be called on the event loop.
 */
public final class Sweep {
  private static final int PAGE = 100;

  /** Each refusal means that another writer got through. */
  private static final int MAX_ATTEMPTS = 3;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final RollupStore store;
  private final WakeUps wakeUps;
  private final Journal journal;
  private final Timing timing;
  private final EventLoop loop;
  private final IntSupplier randomLane;
  private final Reports reports;

  public Sweep(
      RollupStore store,
      WakeUps wakeUps,
      Journal journal,
      Timing timing,
      EventLoop loop,
      IntSupplier randomLane) {
    this.store = store;
    this.wakeUps = wakeUps;
    this.journal = journal;
    this.timing = timing;
    this.loop = loop;
    this.randomLane = randomLane;
    this.reports = new Reports(journal);
  }

  /** Where a sweep goes on: behind the document {@code after} of a group. */
  public record Cursor(Group group, String after) {
    /** Where a sweep starts. */
    public static final Cursor START = new Cursor(Group.ROLLUPS, "");
  }

  /**
   * Sweeps a part. Costs per counter about three reads and one sum, and one write if its total is
   * wrong.
   *
   * @param limit how long it may take, but for the page that is under way then
   * @return where to go on; empty if the sweep is complete
   */
  public CompletableFuture<Optional<Cursor>> run(Cursor from, Duration limit) {
    Counts counts = new Counts();
    return next(from, loop.instant().plus(limit), counts)
        .whenComplete((rest, failure) -> journal.write(Severity.INFO, "sweep", counts.fields()));
  }

  private CompletableFuture<Optional<Cursor>> next(Cursor at, Instant deadline, Counts counts) {
    if (!loop.instant().isBefore(deadline)) {
      return CompletableFuture.completedFuture(Optional.of(at));
    }
    return store
        .page(at.group(), at.after(), PAGE)
        .thenCompose(page -> check(page, counts).thenApply(none -> following(at, page)))
        .thenCompose(
            cursor ->
                cursor.isPresent()
                    ? next(cursor.get(), deadline, counts)
                    : CompletableFuture.completedFuture(cursor));
  }

  private static Optional<Cursor> following(Cursor at, Page page) {
    if (!page.last().isEmpty()) {
      return Optional.of(new Cursor(at.group(), page.last()));
    }
    return at.group() == Group.ROLLUPS
        ? Optional.of(new Cursor(Group.COUNTERS, ""))
        : Optional.empty();
  }

  private CompletableFuture<Void> check(Page page, Counts counts) {
    return CompletableFuture.allOf(
        page.counters().stream()
            .map(found -> check(found, counts))
            .toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Passes over what is not ours. A counter that has a roll-up was checked when the roll-ups were
   * paged through.
   */
  private CompletableFuture<Void> check(Found found, Counts counts) {
    CompletableFuture<Void> checked;
    if (found.rollup().isEmpty()) {
      checked = store.read(found.counter()).thenCompose(reading -> check(found, reading, counts));
    } else {
      checked = isForeign(found.rollup()) ? DONE : sum(found, counts, MAX_ATTEMPTS);
    }
    return checked.exceptionally(failure -> counts.failed(found.counter(), failure, journal));
  }

  private CompletableFuture<Void> check(Found found, Reading reading, Counts counts) {
    if (reading.rollup().isEmpty()) {
      return sum(found, counts, MAX_ATTEMPTS);
    }
    return isForeign(reading.rollup()) ? reportTaken(found.counter()) : DONE;
  }

  /** Only a counter that has shards needs the place. */
  private CompletableFuture<Void> reportTaken(CounterPath counter) {
    return store
        .sum(counter)
        .thenAccept(
            sum -> {
              if (sum.shards() > 0) {
                reports.taken(counter, store.layout(), sum.readTime());
              }
            });
  }

  private static boolean isForeign(Optional<Rollup> rollup) {
    return rollup.filter(Rollup::isForeign).isPresent();
  }

  private CompletableFuture<Void> sum(Found found, Counts counts, int attempts) {
    return store.sum(found.counter()).thenCompose(sum -> act(found, sum, counts, attempts));
  }

  private CompletableFuture<Void> act(Found found, Sum sum, Counts counts, int attempts) {
    SweepDecision decision = SweepDecision.of(found.rollup(), sum, timing, randomLane);
    counts.checked++;
    if (decision instanceof SweepDecision.Correct correct) {
      return correct(found, sum, correct, counts, attempts);
    }
    if (decision instanceof SweepDecision.Unusable && !sum.total().isUsable()) {
      reports.unusable(found.counter(), sum);
    }
    return DONE;
  }

  private CompletableFuture<Void> correct(
      Found found, Sum sum, SweepDecision.Correct correct, Counts counts, int attempts) {
    return store
        .write(found.counter(), correct.change())
        .thenCompose(
            applied -> {
              if (applied.isEmpty()) {
                return attempts > 1 ? again(found.counter(), counts, attempts - 1) : DONE;
              }
              if (correct.drift()) {
                counts.drift(found, sum, journal);
              }
              return correct.change() instanceof Change.Create create
                  ? wakeUps.wake(create.lease().lane()).exceptionally(failure -> null)
                  : DONE;
            });
  }

  private CompletableFuture<Void> again(CounterPath counter, Counts counts, int attempts) {
    return store
        .read(counter)
        .thenCompose(
            reading ->
                isForeign(reading.rollup())
                    ? reportTaken(counter)
                    : sum(new Found(counter, reading.rollup()), counts, attempts));
  }

  /** What a part of a sweep did. */
  private static final class Counts {
    private int checked;
    private int drift;
    private int failed;

    void drift(Found found, Sum sum, Journal journal) {
      drift++;
      journal.write(
          Severity.WARNING,
          "drift corrected: the events of some writes were lost, or are still on their way",
          Map.of(
              "counter", found.counter().toString(),
              "was", found.rollup().map(rollup -> rollup.total().toString()).orElse("absent"),
              "is", sum.total().toString()));
    }

    Void failed(CounterPath counter, Throwable failure, Journal journal) {
      failed++;
      journal.write(
          Severity.WARNING,
          "not swept; the next sweep tries again",
          Map.of("counter", counter.toString(), "cause", failure.toString()));
      return null;
    }

    Map<String, Object> fields() {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("checked", checked);
      fields.put("drift", drift);
      fields.put("failed", failed);
      return fields;
    }
  }
}
