package dev.tallyroll.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.Commits;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Sends increments at a steady rate until it is stopped. Thread-safe. */
final class Burst implements AutoCloseable {
  /** The limit of increments in flight: a slow machine gets a slower burst, not a longer queue. */
  private static final int MOST_UNDER_WAY = 30;

  private static final int STOP_WITHIN_SECONDS = 30;

  private final List<ApiFuture<WriteResult>> sent = new CopyOnWriteArrayList<>();
  private final IntFunction<ApiFuture<WriteResult>> increment;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

  private Burst(IntFunction<ApiFuture<WriteResult>> increment) {
    this.increment = increment;
  }

  /** Increments the shards of one counter in turn. */
  static Burst start(TestCounter counter, int shards, int perSecond) {
    var burst = new Burst(number -> counter.incrementLater(number % shards));
    long micros = TimeUnit.SECONDS.toMicros(1) / perSecond;
    var unused = burst.clock.scheduleAtFixedRate(burst::next, 0, micros, TimeUnit.MICROSECONDS);
    return burst;
  }

  private void next() {
    if (sent.stream().filter(increment -> !increment.isDone()).count() < MOST_UNDER_WAY) {
      sent.add(increment.apply(sent.size()));
    }
  }

  /** Ends the burst; returns how many increments were acknowledged. The others had no effect. */
  long stop() throws Exception {
    close();
    long acknowledged = 0;
    for (var increment : sent) {
      acknowledged += Commits.isAcknowledged(increment) ? 1 : 0;
    }
    return acknowledged;
  }

  /** Returns after the last increment was sent. */
  @Override
  public void close() {
    clock.shutdown();
    try {
      assertThat(clock.awaitTermination(STOP_WITHIN_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
