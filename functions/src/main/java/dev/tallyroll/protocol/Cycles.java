package dev.tallyroll.protocol;

import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.runs.EventLoop;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/** Makes the calls of cycles. */
record Cycles(RollupStore store, EventLoop loop) {

  /**
   * Goes on until the cycle has ended.
   *
   * @param noted gets the cycle before and after each step
   * @return the cycle at its end; fails if a call fails, which may take effect later
   */
  <P extends Cycle.Policy<P>> CompletableFuture<Cycle<P>> run(
      Located counter, Cycle<P> cycle, BiConsumer<Cycle<P>, Cycle<P>> noted) {
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
      default -> CompletableFuture.completedFuture(cycle);
    };
  }

  private <P extends Cycle.Policy<P>> CompletableFuture<Sum> timedSum(
      Located counter, Cycle<P> cycle) {
    Duration begun = loop.uptime();
    return sum(counter, cycle).thenApply(sum -> sum.after(loop.uptime().minus(begun)));
  }

  /** Only a total that is there could be removed for a sum over no shard. */
  private <P extends Cycle.Policy<P>> CompletableFuture<Sum> sum(Located counter, Cycle<P> cycle) {
    Optional<Rollup> written = cycle.stored().filter(Rollup::wasWritten);
    if (written.filter(Rollup::isEmptied).isPresent()) {
      return store.sumOfEmptied(counter);
    }
    return cycle.policy().confirmsEmptySum() || written.isPresent()
        ? store.confirmedSum(counter)
        : store.sum(counter);
  }

  private <P extends Cycle.Policy<P>> CompletableFuture<Cycle<P>> goOn(
      Located counter, Cycle<P> before, Cycle<P> after, BiConsumer<Cycle<P>, Cycle<P>> noted) {
    noted.accept(before, after);
    return run(counter, after, noted);
  }
}
