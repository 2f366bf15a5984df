package dev.tallyroll.protocol;

import java.util.concurrent.CompletableFuture;

/** Counts work that is under way. Used on the event loop only. */
final class InFlight {
  private int count;
  private CompletableFuture<Void> drained = CompletableFuture.completedFuture(null);

  void add(CompletableFuture<?> work) {
    if (count++ == 0) {
      drained = new CompletableFuture<>();
    }
    var unused = work.whenComplete((result, failure) -> remove());
  }

  private void remove() {
    if (--count == 0) {
      drained.complete(null);
    }
  }

  CompletableFuture<Void> drained() {
    return drained;
  }
}
