package dev.tallyroll.client;

import static dev.tallyroll.client.Waits.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.Counters;
import dev.tallyroll.Layout;
import dev.tallyroll.local.LocalCloud;
import java.util.UUID;

/** A counter of its own behind a meter. Used by one test. */
final class Till {
  /** The functions do not write these roll-ups, so that only the test changes them. */
  static final CounterOptions OPTIONS =
      CounterOptions.DEFAULT.withLayout(
          new Layout("counters", "shards", "untouched_rollups", "rollup_runs", "count"));

  private final Meter meter = new Meter();
  private final Firestore firestore;
  private final String id = "costs-" + UUID.randomUUID();
  private final Counter counter;

  Till(LocalCloud cloud) {
    firestore = Wire.open(cloud, meter);
    counter = another(OPTIONS);
  }

  Firestore firestore() {
    return firestore;
  }

  String id() {
    return id;
  }

  Counter counter() {
    return counter;
  }

  /** As from another process, which remembers nothing. */
  Counter another(CounterOptions options) {
    return Counters.of(firestore, options).counter(id);
  }

  /** Makes the counter, off the bill. */
  void create() throws Exception {
    get(counter.create(3));
    clear();
  }

  /** What was done so far is off the bill. */
  void clear() {
    meter.bill();
  }

  void assertBill(long calls, long reads, long writes, long deletes) {
    assertThat(meter.bill()).isEqualTo(new Bill(calls, reads, writes, deletes));
  }

  void close() throws Exception {
    firestore.close();
  }
}
