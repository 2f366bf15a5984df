package dev.tallyroll.operator;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.Times;
import dev.tallyroll.operator.History.Increment;
import dev.tallyroll.operator.History.Read;
import dev.tallyroll.operator.History.Total;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;

/**
 * Counts, slowly and then as fast as one increment after the other goes, while a second thread
 * reads the total, and writes down both.
 */
final class Recording {
  private static final int SHARDS = 10;
  private static final Duration BETWEEN_READS = Duration.ofMillis(200);
  private static final Duration BETWEEN_SLOW = Duration.ofSeconds(3);

  private final DocumentReference counter;
  private final DocumentReference rollup;
  private final Layout layout;
  private final PrintStream history;
  private final PrintStream err;
  private final InstantSource clock;
  private volatile Optional<Read> latest = Optional.empty();
  private boolean readsFail;

  /**
   * @param id of a new counter
   * @param history gets the lines
   * @param err gets what people read
   */
  Recording(
      Firestore firestore,
      Layout layout,
      String id,
      PrintStream history,
      PrintStream err,
      InstantSource clock) {
    this.counter = firestore.document(layout.counterDocument(CounterPath.of(id)));
    this.rollup = firestore.document(layout.rollupDocument(CounterPath.of(id)));
    this.layout = layout;
    this.history = history;
    this.err = err;
    this.clock = clock;
  }

  /**
   * Counts.
   *
   * @param busy how long it counts as fast as it can
   * @param late so long after an increment, the total has to show it
   * @param start how long the first total may take
   */
  void record(Duration busy, Duration late, Duration start)
      throws ExecutionException, InterruptedException {
    List<OwnShard> shards = makeShards();
    Thread reader = new Thread(this::keepReading);
    reader.start();
    try {
      Instant first = increment(shards.get(0));
      Optional<Read> shown = await(start, read -> shows(read, first));
      if (shown.isEmpty()) {
        err.println("# No read has found a total within %d s.".formatted(start.toSeconds()));
        return;
      }
      line("warm\t" + shown.get().at());
      count(shards, busy.dividedBy(2), BETWEEN_SLOW);
      Instant last = count(shards, busy, Duration.ZERO);
      await(late.plus(start), read -> shows(read, last) || read.at().isAfter(last.plus(late)));
    } finally {
      reader.interrupt();
      reader.join();
    }
  }

  /** One that shows figures in the counter's document has no total without it. */
  private List<OwnShard> makeShards() throws ExecutionException, InterruptedException {
    FieldName field = layout.counted().orElseThrow();
    WriteBatch batch = counter.getFirestore().batch();
    batch.set(counter, Map.of());
    for (int i = 0; i < SHARDS; i++) {
      batch.set(shard(i), field.alone(0));
    }
    List<WriteResult> made = batch.commit().get();
    List<OwnShard> shards = new ArrayList<>();
    for (int i = 0; i < SHARDS; i++) {
      shards.add(new OwnShard(shard(i), field.path(), made.get(i + 1).getUpdateTime()));
    }
    return shards;
  }

  private DocumentReference shard(int number) {
    return counter.collection(layout.shards()).document("" + number);
  }

  /** Counts for a time; returns the time of the last commit. */
  private Instant count(List<OwnShard> shards, Duration time, Duration pause)
      throws ExecutionException, InterruptedException {
    Instant end = clock.instant().plus(time);
    Instant last = Instant.MIN;
    for (int i = 0; clock.instant().isBefore(end) || i == 0; i++) {
      last = increment(shards.get(i % SHARDS));
      Thread.sleep(pause.toMillis());
    }
    return last;
  }

  private Instant increment(OwnShard shard) throws ExecutionException, InterruptedException {
    Instant commit = shard.increment();
    line(new Increment(commit, 1).line());
    return commit;
  }

  /** Waits for a read that is as expected. */
  private Optional<Read> await(Duration most, Predicate<Read> expected)
      throws InterruptedException {
    Instant end = clock.instant().plus(most);
    Optional<Read> found = latest.filter(expected);
    while (found.isEmpty() && clock.instant().isBefore(end)) {
      Thread.sleep(BETWEEN_READS.toMillis());
      found = latest.filter(expected);
    }
    return found;
  }

  private static boolean shows(Read read, Instant commit) {
    return read.total().filter(total -> !total.asOf().isBefore(commit)).isPresent();
  }

  private void keepReading() {
    try {
      while (true) {
        read();
        Thread.sleep(BETWEEN_READS.toMillis());
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  /** A read that fails is told; then there is none of this time, which the judge sees. */
  private void read() throws InterruptedException {
    try {
      Read read = read(rollup.get().get());
      line(read.line());
      latest = Optional.of(read);
    } catch (ExecutionException | RuntimeException failure) {
      if (!readsFail) {
        err.println("# A read of the total has failed, and maybe later ones: " + failure);
      }
      readsFail = true;
    }
  }

  private static Read read(DocumentSnapshot rollup) {
    Instant at = Times.instant(rollup.getReadTime());
    if (!rollup.exists()) {
      return new Read(at, Optional.empty());
    }
    if (rollup.get(RollupFields.COUNT) instanceof Long count) {
      Instant asOf = Times.instant(rollup.getTimestamp(RollupFields.AS_OF));
      Instant updated = Times.instant(rollup.getUpdateTime());
      return new Read(at, Optional.of(new Total(count, asOf, updated)));
    }
    throw new IllegalStateException(
        rollup.getReference().getPath()
            + ": expected a whole count; found "
            + rollup.get(RollupFields.COUNT));
  }

  private synchronized void line(String text) {
    history.println(text);
  }
}
