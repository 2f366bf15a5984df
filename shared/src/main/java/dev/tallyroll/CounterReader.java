package dev.tallyroll;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.ListenerRegistration;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * A handle that reads one counter's roll-up, and changes nothing. It holds no state, and costs
 * nothing to make. Safe for use by many threads.
 *
 * <p>{@link Counters#reader} makes it where the shards are an app's own documents, such as each
 * post's likes or ratings: their {@linkplain RolledUpTotal#total total}, {@linkplain
 * RolledUpTotal#number number} and {@linkplain RolledUpTotal#average average}. A {@link Counter}
 * reads in the same way, and also writes its shards.
 *
 * <p>A call refuses bad arguments at once with an {@code IllegalArgumentException}, and null with a
 * {@code NullPointerException} that names it. For all other failures, its future fails with a
 * {@link CounterException} that says what to do, or with Firestore's own exception. Futures
 * complete on the Firestore client's threads: what is attached to them must not block.
 *
 * <p>Costs are in billed Firestore operations. Minor releases add methods: so only fakes for tests
 * should implement it.
 */
public interface CounterReader {
  /** The longest that {@link #awaitTotal} waits. */
  Duration LONGEST_WAIT = Duration.ofHours(1);

  /** Where the counter is. */
  CounterPath path();

  /**
   * The total of the roll-up, exact as of a moment ago, and the number of shards in it. This is the
   * cheap read.
   *
   * <p>Cost: 1 read.
   *
   * @return a total that does not {@linkplain RolledUpTotal#exists exist} if there is no roll-up:
   *     no shard was written yet, or there is no such counter
   */
  ApiFuture<RolledUpTotal> total();

  /**
   * Waits for a total that includes a write.
   *
   * <p>It reads the roll-up at once, then after pauses that grow from 0.1 to 0.5 seconds. In the
   * pauses it does not use the client's connection, so many may wait at once.
   *
   * <p>Cost: at most 4 reads in the first second, and 2 in each later one.
   *
   * @param committed what {@link Counter#add} has returned, or the update time of an app's own
   *     document. No total need follow an update that changes no counted value, and where the last
   *     document was deleted, the roll-up may be removed
   * @param atMost zero to {@link #LONGEST_WAIT an hour}; some seconds are enough, or 70 where more
   *     than 30,000 documents are counted, unless the functions are down. It always waits for the
   *     first read
   * @return the first total whose {@code asOf} is not earlier. Fails with {@link
   *     CounterException.Behind}, or as {@link #total} does. Cancelling it stops the reads
   */
  ApiFuture<RolledUpTotal> awaitTotal(Instant committed, Duration atMost);

  /**
   * Hears of the total, now and whenever the roll-up changes: for a busy counter about once a
   * second. The listener is called on the Firestore client's threads, one call at a time. A
   * listener takes one of the 100 calls that a connection carries at a time; by default, a client
   * has one connection.
   *
   * <p>Cost: 1 read at the start, and 1 for each change; 1 more when it reconnects after half an
   * hour.
   *
   * @param ended hears that the listening has ended for good, as when permission was withdrawn; it
   *     does not hear of short interruptions, or of a client that is closed
   * @return ends the listening
   */
  ListenerRegistration listen(Consumer<RolledUpTotal> changed, Consumer<RuntimeException> ended);

  /**
   * As {@link #listen(Consumer, Consumer)}, but an executor calls the listeners. If it has many
   * threads, it still makes one call at a time, in the order of the changes.
   */
  ListenerRegistration listen(
      Executor executor, Consumer<RolledUpTotal> changed, Consumer<RuntimeException> ended);
}
