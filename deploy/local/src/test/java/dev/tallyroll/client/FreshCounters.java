package dev.tallyroll.client;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Counters;
import dev.tallyroll.local.LocalCloud;
import java.util.UUID;

/**
 * Counters that no other test uses, and the documents behind them. Thread-safe; whoever makes it
 * closes it.
 */
final class FreshCounters {
  private final Firestore firestore;

  FreshCounters(LocalCloud cloud) {
    firestore = cloud.openFirestore();
  }

  Firestore firestore() {
    return firestore;
  }

  Counter next() {
    return next("", CounterOptions.DEFAULT);
  }

  Counter nextBelow(String parent) {
    return next(parent, CounterOptions.DEFAULT);
  }

  Counter next(CounterOptions options) {
    return next("", options);
  }

  private Counter next(String parent, CounterOptions options) {
    return Counters.of(firestore, options)
        .counter(new CounterPath(parent, "life-" + UUID.randomUUID()));
  }

  /** As another process has it, which remembers nothing. */
  Counter again(Counter counter) {
    return Counters.of(firestore).counter(counter.path());
  }

  DocumentReference document(Counter counter) {
    return firestore.document("counters/" + counter.path());
  }

  DocumentReference shard(Counter counter, int number) {
    return document(counter).collection("shards").document(Integer.toString(number));
  }

  void close() throws Exception {
    firestore.close();
  }
}
