package dev.tallyroll.client;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.Counters;
import dev.tallyroll.Layout;
import dev.tallyroll.local.LocalCloud;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A client of the local cloud with counters that no other test uses, and with a tap on its wire.
 * Thread-safe; whoever makes it closes it.
 */
final class Clients implements AutoCloseable {
  /** The functions do not write these roll-ups, so that only the test changes them. */
  static final CounterOptions OWN_ROLLUPS =
      CounterOptions.DEFAULT.withLayout(
          new Layout(
              "{parent=**}/counters", "shards", "untouched_rollups", "rollup_runs", "count"));

  private static final int ANSWER_WITHIN_SECONDS = 60;

  private final Tap tap = new Tap();
  private final Firestore firestore;

  Clients(LocalCloud cloud) {
    firestore = Wire.open(cloud, tap);
  }

  Tap tap() {
    return tap;
  }

  Firestore firestore() {
    return firestore;
  }

  Counter fresh() {
    return fresh(CounterOptions.DEFAULT);
  }

  Counter fresh(CounterOptions options) {
    return Counters.of(firestore, options).counter("c-" + UUID.randomUUID());
  }

  /** With shards, and off the bill. */
  Counter created(int shards) throws Exception {
    Counter counter = fresh(OWN_ROLLUPS);
    get(counter.create(shards));
    tap.bill();
    return counter;
  }

  /** As another process has it, which remembers nothing. */
  Counter again(Counter counter) {
    return again(counter, OWN_ROLLUPS);
  }

  Counter again(Counter counter, CounterOptions options) {
    return Counters.of(firestore, options).counter(counter.path());
  }

  DocumentReference document(Counter counter) {
    return firestore.document("counters/" + counter.path());
  }

  DocumentReference shard(Counter counter, int number) {
    return document(counter).collection("shards").document(Integer.toString(number));
  }

  static <T> T get(ApiFuture<T> future)
      throws ExecutionException, InterruptedException, TimeoutException {
    return future.get(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    firestore.shutdown();
  }
}
