package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Cycle.Changed;
import dev.tallyroll.protocol.Cycle.ToRead;
import dev.tallyroll.protocol.Cycle.ToSum;
import dev.tallyroll.protocol.Cycle.ToWrite;
import dev.tallyroll.runs.EventLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * Makes the calls of cycles.
 *
 * @param reports gets what sums pass over
 */
record Cycles(CounterStore store, EventLoop loop, Reports reports) {

  /**
   * Goes on until the cycle has ended.
   *
   * @param noted gets the cycle before and after each step
   * @return the cycle at its end; fails if a call fails, which may take effect later
   */
  <P extends Cycle.Policy<P>> CompletableFuture<Cycle<P>> run(
      CounterId counter, Cycle<P> cycle, BiConsumer<Cycle<P>, Cycle<P>> noted) {
    if (cycle instanceof ToRead<P> due) {
      return store
          .rollups()
          .read(counter)
          .thenCompose(reading -> goOn(counter, cycle, due.read(reading), noted));
    }
    if (cycle instanceof ToSum<P> due) {
      return timedSum(counter, due)
          .thenCompose(sum -> goOn(counter, cycle, due.summed(sum), noted));
    }
    if (cycle instanceof ToWrite<P> due) {
      return store
          .rollups()
          .write(counter, due.change())
          .thenCompose(written -> goOn(counter, cycle, due.written(written), noted));
    }
    return cycle instanceof Changed<P> changed
        ? lookIfFallen(counter, changed).thenApply(none -> cycle)
        : CompletableFuture.completedFuture(cycle);
  }

  private <P extends Cycle.Policy<P>> CompletableFuture<Sum> timedSum(
      CounterId counter, ToSum<P> cycle) {
    Duration begun = loop.uptime();
    return sum(counter, cycle).thenApply(sum -> sum.after(loop.uptime().minus(begun)));
  }

  /** An empty sum matters only where a total exists: it could be removed. */
  private <P extends Cycle.Policy<P>> CompletableFuture<Sum> sum(
      CounterId counter, ToSum<P> cycle) {
    return cycle.stored().filter(Rollup::wasWritten).isPresent()
        ? store.sums().sumOrRemains(counter)
        : store.sums().sum(counter);
  }

  /** If a total has fewer documents than before, some of them may not count any more. */
  private <P extends Cycle.Policy<P>> CompletableFuture<Void> lookIfFallen(
      CounterId counter, Changed<P> cycle) {
    return cycle
        .sum()
        .filter(sum -> cycle.stored().filter(before -> sum.shards() < before.shards()).isPresent())
        .filter(sum -> !sum.isOfNothing())
        .map(sum -> tellUncounted(counter, sum))
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  /** Looks for documents that do not count, once an hour at most; does not fail. */
  CompletableFuture<Void> tellUncounted(CounterId counter, Sum sum) {
    return counter.layout().counted().isPresent() && reports.looksAgain(counter, sum)
        ? store
            .sums()
            .uncounted(counter, sum)
            .thenAccept(found -> found.ifPresent(some -> reports.uncounted(counter, some)))
            .exceptionally(failure -> null)
        : CompletableFuture.completedFuture(null);
  }

  private <P extends Cycle.Policy<P>> CompletableFuture<Cycle<P>> goOn(
      CounterId counter, Cycle<P> before, Cycle<P> after, BiConsumer<Cycle<P>, Cycle<P>> noted) {
    noted.accept(before, after);
    return run(counter, after, noted);
  }
}
