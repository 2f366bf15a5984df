package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.runs.EventLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * Makes the calls of cycles.
 *
 * @param reports gets what sums pass over
 */
record Cycles(RollupStore store, EventLoop loop, Reports reports) {

  /**
   * Goes on until the cycle has ended.
   *
   * @param noted gets the cycle before and after each step
   * @return the cycle at its end; fails if a call fails, which may take effect later
   */
  <P extends Cycle.Policy<P>> CompletableFuture<Cycle<P>> run(
      CounterId counter, Cycle<P> cycle, BiConsumer<Cycle<P>, Cycle<P>> noted) {
    return switch (cycle.next()) {
      case READ ->
          store
              .read(counter)
              .thenCompose(reading -> goOn(counter, cycle, cycle.read(reading), noted));
      case SUM ->
          timedSum(counter, cycle)
              .thenCompose(sum -> goOn(counter, cycle, cycle.summed(sum), noted));
      case WRITE ->
          store
              .write(counter, cycle.change().orElseThrow())
              .thenCompose(version -> goOn(counter, cycle, cycle.written(version), noted));
      case WRITTEN -> lookIfFallen(counter, cycle).thenApply(none -> cycle);
      default -> CompletableFuture.completedFuture(cycle);
    };
  }

  private <P extends Cycle.Policy<P>> CompletableFuture<Sum> timedSum(
      CounterId counter, Cycle<P> cycle) {
    Duration begun = loop.uptime();
    return sum(counter, cycle).thenApply(sum -> sum.after(loop.uptime().minus(begun)));
  }

  /** Only a total that is there could be removed for a sum over no shard. */
  private <P extends Cycle.Policy<P>> CompletableFuture<Sum> sum(
      CounterId counter, Cycle<P> cycle) {
    return cycle.stored().filter(Rollup::wasWritten).isPresent()
        ? store.sumOrRemains(counter)
        : store.sum(counter);
  }

  /** If a total has fewer documents than before, some of them may not count any more. */
  private <P extends Cycle.Policy<P>> CompletableFuture<Void> lookIfFallen(
      CounterId counter, Cycle<P> cycle) {
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
