package dev.tallyroll.runs;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BinaryOperator;

/**
 * Events that share their work: of each counter, or document, one work is under way at a time, and
 * what comes meanwhile waits for the next, together. It never joins work that has begun, since that
 * may have read before the event's write. Not thread-safe: for the event loop only.
 *
 * @param <K> what the events are about
 * @param <E> events, one or more
 */
public final class Coalescer<K, E> {
  private final Work<K, E> work;
  private final BinaryOperator<E> join;
  private final EventLoop loop;
  private final Map<K, Pending<Batch<E>>> all = new HashMap<>();

  /** Events, and what completes when they are done. */
  private record Batch<E>(E events, CompletableFuture<Void> done) {}

  /**
   * The events of one counter, or document.
   *
   * @param underWay those that are worked on
   * @param waiting those that the next work is for
   */
  public record Pending<E>(Optional<E> underWay, Optional<E> waiting) {
    public static <E> Pending<E> none() {
      return new Pending<>(Optional.empty(), Optional.empty());
    }

    public boolean isIdle() {
      return underWay.isEmpty();
    }

    /** Takes events in. If nothing was under way, they are now. */
    public Pending<E> with(E events, BinaryOperator<E> join) {
      return isIdle()
          ? new Pending<>(Optional.of(events), Optional.empty())
          : new Pending<>(
              underWay,
              Optional.of(waiting.map(first -> join.apply(first, events)).orElse(events)));
    }

    /** Ends what is under way: what has waited is, now. */
    public Pending<E> next() {
      return new Pending<>(waiting, Optional.empty());
    }
  }

  /** Works on events. */
  public interface Work<K, E> {
    /**
     * Begins.
     *
     * @return how long the next work waits; fails if these events failed
     */
    CompletableFuture<Duration> begin(K key, E events);
  }

  /**
   * @param join of two events
   */
  public Coalescer(Work<K, E> work, BinaryOperator<E> join, EventLoop loop) {
    this.work = work;
    this.join = join;
    this.loop = loop;
  }

  /**
   * Works on events now, or after what is under way.
   *
   * @return completes as the work does
   */
  public CompletableFuture<Void> take(K key, E events) {
    Pending<Batch<E>> before = all.getOrDefault(key, Pending.none());
    Pending<Batch<E>> after =
        before.with(new Batch<>(events, new CompletableFuture<>()), this::joined);
    all.put(key, after);
    Batch<E> own = after.waiting().or(after::underWay).orElseThrow();
    if (before.isIdle()) {
      start(key, own);
    }
    return own.done();
  }

  private Batch<E> joined(Batch<E> first, Batch<E> second) {
    return new Batch<>(join.apply(first.events(), second.events()), first.done());
  }

  private void start(K key, Batch<E> batch) {
    var unused =
        work.begin(key, batch.events())
            .whenComplete(
                (pause, failure) -> {
                  if (failure != null) {
                    next(key);
                    batch.done().completeExceptionally(failure);
                  } else {
                    nextAfter(pause, key);
                    batch.done().complete(null);
                  }
                });
  }

  private void nextAfter(Duration pause, K key) {
    if (pause.isZero()) {
      next(key);
    } else {
      var unused = loop.after(pause).thenRun(() -> next(key));
    }
  }

  private void next(K key) {
    Pending<Batch<E>> next = Objects.requireNonNull(all.get(key)).next();
    all.put(key, next);
    next.underWay().ifPresentOrElse(batch -> start(key, batch), () -> all.remove(key));
  }
}
