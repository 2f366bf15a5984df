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
  private final Queue<Turn> waiting = new ArrayDeque<>();
  private int underWay;
  private boolean starting;

  private record Turn(Supplier<CompletableFuture<Void>> work, CompletableFuture<Void> done) {}

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
  public CompletableFuture<Void> take(Supplier<CompletableFuture<Void>> work) {
    Turn turn = new Turn(work, new CompletableFuture<>());
    waiting.add(turn);
    next();
    return turn.done();
  }

  /** Work may end at once. It then calls this method again, which leaves the rest to this loop. */
  private void next() {
    if (starting) {
      return;
    }
    starting = true;
    while (underWay < most && !waiting.isEmpty()) {
      underWay++;
      Turn turn = waiting.remove();
      var unused =
          turn.work()
              .get()
              .thenRun(
                  () -> {
                    underWay--;
                    turn.done().complete(null);
                    next();
                  });
    }
    starting = false;
  }

  /** Drops what has not begun. */
  public void drop() {
    waiting.forEach(turn -> turn.done().complete(null));
    waiting.clear();
  }
}
