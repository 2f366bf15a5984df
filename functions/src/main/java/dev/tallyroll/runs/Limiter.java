package dev.tallyroll.runs;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Work of which only so much is under way at once; the rest waits in its order. Not thread-safe:
 * for the event loop only.
 */
public final class Limiter {
  private final int most;
  private final Queue<Waiting> waiting = new ArrayDeque<>();
  private int underWay;
  private boolean starting;

  private record Waiting(Supplier<CompletableFuture<Void>> work, CompletableFuture<Void> done) {}

  /**
   * @param most how much is under way at once
   */
  public Limiter(int most) {
    this.most = most;
  }

  /**
   * Begins work now, or when others have ended.
   *
   * @param work begins it; its future must not fail
   * @return completes when the work has ended, or was dropped before it began
   */
  public CompletableFuture<Void> run(Supplier<CompletableFuture<Void>> work) {
    Waiting call = new Waiting(work, new CompletableFuture<>());
    waiting.add(call);
    startNext();
    return call.done();
  }

  /** Work may end at once. It then calls this method again, which leaves the rest to this loop. */
  private void startNext() {
    if (starting) {
      return;
    }
    starting = true;
    while (underWay < most && !waiting.isEmpty()) {
      underWay++;
      Waiting call = waiting.remove();
      var unused =
          call.work()
              .get()
              .thenRun(
                  () -> {
                    underWay--;
                    call.done().complete(null);
                    startNext();
                  });
    }
    starting = false;
  }

  /** Drops what has not begun. */
  public void drop() {
    waiting.forEach(call -> call.done().complete(null));
    waiting.clear();
  }
}
