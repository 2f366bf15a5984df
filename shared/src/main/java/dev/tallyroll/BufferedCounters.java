package dev.tallyroll;

import com.google.api.core.ApiFuture;

/**
 * Adds up the increments of each counter, and commits them as one write to a random shard. {@link
 * Counters#buffered} makes it. Make one, keep it, and close it when the process is told to end:
 *
 * <pre>{@code
 * BufferedCounters buffered = counters.buffered(BufferOptions.DEFAULT);
 * Runtime.getRuntime().addShutdownHook(new Thread(buffered::close));
 * buffered.counter("likes").add(1);
 * }</pre>
 *
 * <p>It needs CPU outside of requests, or a {@link #flush} that a request awaits before its answer:
 * adds wait for a timer, and Cloud Run with request-based billing stops all timers after the
 * answer.
 *
 * <p>An add has counted once its future has succeeded. A crash loses adds that were not committed;
 * none of their futures had succeeded.
 *
 * <p>Safe for use by many threads. One daemon thread serves the timers. Futures complete on that
 * thread, on the Firestore client's threads, or on a caller's within {@code add} or {@link #flush}:
 * what is attached to them must not block. At most {@link BufferOptions#maxCounters} sums are held,
 * whatever the number of adds, and nothing for a counter without pending adds.
 *
 * <p>Minor releases add methods: so only fakes for tests should implement it.
 */
public interface BufferedCounters extends AutoCloseable {
  /** A handle of a counter below where {@link Counters#buffered} was called; no operation. */
  BufferedCounter counter(String id);

  /** A handle of a counter anywhere; no Firestore operation. */
  BufferedCounter counter(CounterPath path);

  /**
   * Commits all pending adds now.
   *
   * @return completes when all earlier adds have succeeded or failed, and does not fail itself.
   *     Cancelling it stops no commit
   */
  ApiFuture<Void> flush();

  /**
   * Refuses further adds, flushes, and waits for at most {@link BufferOptions#closeTimeout} until
   * all adds have succeeded or failed. Then the Firestore client may be closed. Another call waits
   * again.
   *
   * @throws IllegalStateException if adds are still under way at that time, with their number and
   *     counters; or if the thread is interrupted, which it stays. Their futures complete later, if
   *     the process lives long enough
   */
  @Override
  void close();
}
