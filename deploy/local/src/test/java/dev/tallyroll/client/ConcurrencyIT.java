package dev.tallyroll.client;

import static dev.tallyroll.client.Waits.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterBusyException;
import dev.tallyroll.Counters;
import dev.tallyroll.Total;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

/** The changes of a counter while clients increment it: nothing is lost, nothing counts twice. */
@ExtendWith(SharedCloud.class)
final class ConcurrencyIT {
  private static final int WRITERS = 4;
  private static final int CHANGES = 25;

  private final Firestore firestore;
  private final String id = "busy-" + UUID.randomUUID();
  private final Counter counter;
  private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final long seed = Seeds.next();
  private final Random random = new Random(seed);

  ConcurrencyIT(LocalCloud cloud, TestReporter reporter) {
    firestore = Wire.open(cloud);
    counter = Counters.of(firestore).counter(id);
    reporter.publishEntry("seed", Long.toString(seed));
  }

  @BeforeEach
  void create() throws Exception {
    get(counter.create(4));
  }

  @AfterEach
  void close() throws Exception {
    threads.shutdownNow();
    firestore.close();
  }

  @Test
  void resizing_losesNoIncrement() throws Exception {
    List<Future<Long>> writers = startWriters();

    for (int i = 0; i < CHANGES; i++) {
      get(counter.resize(1 + random.nextInt(8)));
    }

    assertThat(sumAfter(writers)).as("seed %d", seed).isEqualTo(added(writers));
  }

  @Test
  void resizingAndCompaction_loseNoIncrement() throws Exception {
    List<Future<Long>> writers = startWriters();
    AtomicInteger busy = new AtomicInteger();

    for (int i = 0; i < CHANGES; i++) {
      get(counter.resize(1 + random.nextInt(8)));
      compactOrGiveUp(busy);
    }

    assertThat(sumAfter(writers)).as("seed %d", seed).isEqualTo(added(writers));
    assertThat(busy.get()).as("seed %d, compactions given up", seed).isLessThan(CHANGES);
  }

  @Test
  void reset_takesOffWhatItSaysAndLeavesTheRest() throws Exception {
    List<Future<Long>> writers = startWriters();
    long takenOff = 0;

    for (int i = 0; i < CHANGES; i++) {
      takenOff += get(counter.reset()).number().longValue();
    }

    assertThat(sumAfter(writers) + takenOff).as("seed %d", seed).isEqualTo(added(writers));
    assertThat(takenOff).isPositive();
  }

  private void compactOrGiveUp(AtomicInteger busy) throws Exception {
    try {
      get(counter.compact(Duration.ZERO));
    } catch (ExecutionException failure) {
      assertThat(failure).hasCauseInstanceOf(CounterBusyException.class);
      busy.incrementAndGet();
    }
  }

  /** Each remembers the number of shards by itself, as a client of its own. */
  private List<Future<Long>> startWriters() {
    List<Future<Long>> writers = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      Counter own = Counters.of(firestore).counter(id);
      writers.add(threads.submit(() -> write(own)));
    }
    return writers;
  }

  private long write(Counter own) throws Exception {
    long added = 0;
    for (long delta = 1; !stopped.get(); delta = delta % 7 + 1) {
      get(own.add(delta));
      added += delta;
    }
    return added;
  }

  private long sumAfter(List<Future<Long>> writers) throws Exception {
    stopped.set(true);
    added(writers);
    return ((Total.Whole) get(counter.sum())).value();
  }

  private static long added(List<Future<Long>> writers) throws Exception {
    long added = 0;
    for (Future<Long> writer : writers) {
      added += writer.get();
    }
    return added;
  }
}
