package dev.tallyroll.internal;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.api.core.ForwardingApiFuture;
import com.google.api.core.SettableApiFuture;
import dev.tallyroll.BufferOptions;
import dev.tallyroll.BufferedCounter;
import dev.tallyroll.BufferedCounters;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Adds up increments and commits their sums. Commits begin and futures complete outside of the
 * lock, since callers may then do anything. Thread-safe.
 */
public final class Buffer implements BufferedCounters {
  /** How many counters a message names at most. */
  private static final int MOST_NAMED = 10;

  /** Commits a sum of valid deltas, which may be larger than a single delta may be. */
  @FunctionalInterface
  public interface Commit {
    ApiFuture<Instant> add(CounterPath counter, long sum);
  }

  /** Runs tasks after a delay, unless they are cancelled. Thread-safe. */
  @FunctionalInterface
  public interface Timer {
    /** Returns what cancels the task. */
    Runnable schedule(Duration delay, Runnable task);

    /** Nothing is scheduled any more. */
    default void stop() {}

    /** On a thread of its own, which keeps no JVM alive. */
    static Timer daemon() {
      ScheduledThreadPoolExecutor executor =
          new ScheduledThreadPoolExecutor(
              1,
              task -> {
                Thread thread = new Thread(task, "buffered-counters");
                thread.setDaemon(true);
                return thread;
              });
      executor.setRemoveOnCancelPolicy(true);
      return new Timer() {
        @Override
        public Runnable schedule(Duration delay, Runnable task) {
          Future<?> timer = executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
          return () -> timer.cancel(false);
        }

        @Override
        public void stop() {
          executor.shutdown();
        }
      };
    }
  }

  private final BufferOptions options;
  private final Layout layout;
  private final String parent;
  private final Commit commit;
  private final Timer timer;
  private final Map<CounterPath, Window> waiting = new HashMap<>();

  /** All windows that wait or are under way. */
  private final Set<Window> open = new LinkedHashSet<>();

  private long pendingAdds;
  private boolean closed;

  /**
   * Takes adds at once.
   *
   * @param layout refuses counters that no function sums
   * @param timer used by nobody else; {@link #close} stops it
   */
  public Buffer(BufferOptions options, Layout layout, String parent, Commit commit, Timer timer) {
    this.options = Arguments.present("options", options);
    this.layout = layout;
    this.parent = parent;
    this.commit = commit;
    this.timer = timer;
  }

  /**
   * The adds of one commit, and their future. The fields that the lock guards change only while it
   * waits. It is no {@code AbstractApiFuture}, since that can be cancelled without {@link #cancel}.
   */
  private static final class Window extends ForwardingApiFuture<Instant> {
    private final CounterPath counter;
    private final SettableApiFuture<Instant> future;
    private final long began = System.nanoTime();
    private Runnable cancelTimer = () -> {};
    private long sum;
    private int adds;

    Window(CounterPath counter, SettableApiFuture<Instant> future) {
      super(future);
      this.counter = counter;
      this.future = future;
    }

    /** Nobody can cancel it, since many callers share it. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      return false;
    }

    @Override
    public String toString() {
      return adds + " of " + counter;
    }
  }

  @Override
  public BufferedCounter counter(String id) {
    return counter(new CounterPath(parent, id));
  }

  @Override
  public BufferedCounter counter(CounterPath path) {
    layout.counterDocument(Arguments.present("path", path));
    return new Handle(this, path);
  }

  private record Handle(Buffer buffer, CounterPath path) implements BufferedCounter {
    @Override
    public ApiFuture<Instant> add(long delta) {
      Arguments.delta(delta);
      return buffer.add(path, delta);
    }

    @Override
    public String toString() {
      return "buffered counter " + path;
    }
  }

  private ApiFuture<Instant> add(CounterPath counter, long delta) {
    Window window;
    boolean isFull;
    synchronized (this) {
      window = waiting.get(counter);
      if (closed || (window == null && open.size() == options.maxCounters())) {
        return ApiFutures.immediateFailedFuture(refusal(counter));
      }
      if (window == null) {
        window = begin(counter);
      }
      // A million deltas of 2^40 do not overflow.
      window.sum += delta;
      window.adds++;
      pendingAdds++;
      isFull = window.adds == options.maxPending() && take(window);
    }
    if (isFull) {
      send(window);
    }
    return window;
  }

  private CounterException refusal(CounterPath counter) {
    return closed
        ? new CounterException.Refused(counter, "an open buffer", "a closed one")
        : new CounterException.Refused(
            counter,
            "fewer than " + options.maxCounters() + " sums that wait or are under way",
            open.size() + ". Add again later, or allow more counters");
  }

  private Window begin(CounterPath counter) {
    Window window = new Window(counter, SettableApiFuture.create());
    waiting.put(counter, window);
    open.add(window);
    window.cancelTimer =
        timer.schedule(
            options.maxDelay(),
            () -> {
              if (take(window)) {
                send(window);
              }
            });
    return window;
  }

  /** From then on nobody adds to it. Returns whether that was so before. */
  private synchronized boolean take(Window window) {
    window.cancelTimer.run();
    return waiting.remove(window.counter, window);
  }

  private void send(Window window) {
    tellPending();
    // Within a step, since a closed client throws.
    ApiFuture<Instant> written =
        ApiFutures.transformAsync(
            ApiFutures.immediateFuture(window.sum),
            delta ->
                delta == 0
                    ? ApiFutures.immediateFuture(Instant.EPOCH)
                    : commit.add(window.counter, delta),
            Runnable::run);
    ApiFutures.addCallback(
        written,
        new ApiFutureCallback<>() {
          @Override
          public void onSuccess(Instant time) {
            end(window);
            Duration took = Duration.ofNanos(System.nanoTime() - window.began);
            tell(() -> options.observer().flushed(window.adds, took));
            window.future.set(time);
          }

          @Override
          public void onFailure(Throwable cause) {
            end(window);
            Throwable failure =
                cause instanceof CounterException
                    ? cause
                    : new CounterException.Unsure(window.counter, window.adds, cause);
            tell(() -> options.observer().failed(window.adds, failure));
            window.future.setException(failure);
          }
        },
        Runnable::run);
  }

  private void end(Window window) {
    synchronized (this) {
      open.remove(window);
      pendingAdds -= window.adds;
    }
    tellPending();
  }

  private void tellPending() {
    long adds;
    synchronized (this) {
      adds = pendingAdds;
    }
    tell(() -> options.observer().pending(adds));
  }

  /** Calls the observer by a completed future, which logs what it throws. */
  private static void tell(Runnable observer) {
    ApiFutures.immediateFuture(observer).addListener(observer, Runnable::run);
  }

  @Override
  public ApiFuture<Void> flush() {
    List<Window> taken;
    List<Window> all;
    synchronized (this) {
      all = List.copyOf(open);
      taken = all.stream().filter(this::take).toList();
    }
    taken.forEach(this::send);
    return ApiFutures.transform(ApiFutures.successfulAsList(all), ended -> null, Runnable::run);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    ApiFuture<Void> flushed = flush();
    timer.stop();
    try {
      flushed.get(options.closeTimeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      requireAllEnded();
    } catch (TimeoutException | ExecutionException late) {
      requireAllEnded();
    }
  }

  private synchronized void requireAllEnded() {
    if (!open.isEmpty()) {
      throw new IllegalStateException(
          open.stream()
              .limit(MOST_NAMED)
              .map(Window::toString)
              .collect(
                  Collectors.joining(
                      ", ",
                      "buffered counters: expected all adds to end within "
                          + options.closeTimeout()
                          + "; found "
                          + pendingAdds
                          + " under way, which may yet count: ",
                      open.size() > MOST_NAMED ? ", ..." : "")));
    }
  }

  @Override
  public String toString() {
    return "buffered counters below '" + parent + "'";
  }
}
