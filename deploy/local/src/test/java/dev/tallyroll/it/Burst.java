package dev.tallyroll.it;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.WriteResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Increments at a steady rate until it is stopped. Thread-safe. */
final class Burst implements AutoCloseable {
  private static final int ANSWER_WITHIN_SECONDS = 30;

  private final List<ApiFuture<WriteResult>> sent;
  private final Pace pace;

  private Burst(List<ApiFuture<WriteResult>> sent, Pace pace) {
    this.sent = sent;
    this.pace = pace;
  }

  /** Round the shards of one counter. */
  static Burst start(Counter counter, int shards, int perSecond) {
    return start(number -> counter.incrementLater(number % shards), perSecond);
  }

  /** Round many counters, one shard of each. */
  static Burst start(List<Counter> counters, int perSecond) {
    return start(number -> counters.get(number % counters.size()).incrementLater(0), perSecond);
  }

  private static Burst start(IntFunction<ApiFuture<WriteResult>> increment, int perSecond) {
    var sent = new CopyOnWriteArrayList<ApiFuture<WriteResult>>();
    var period = Duration.ofSeconds(1).dividedBy(perSecond);
    return new Burst(sent, Pace.atRate(() -> sent.add(increment.apply(sent.size())), period));
  }

  /** Ends it; returns how many increments there were, all of them acknowledged. */
  long stop() throws Exception {
    close();
    return ApiFutures.allAsList(sent).get(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS).size();
  }

  @Override
  public void close() {
    pace.close();
  }
}
