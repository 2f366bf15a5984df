package dev.tallyroll.library;

import static dev.tallyroll.local.Answers.get;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counter;
import dev.tallyroll.firestore.CounterOptions;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.local.FaultyFirestore;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.Operations;
import java.util.UUID;

/**
 * A client of the local cloud, with observed calls, and counters that no other test uses. The test
 * closes it. Thread-safe.
 */
final class TestClient implements AutoCloseable {
  /** Counters without a trigger: no event of theirs delays other tests, and no total appears. */
  static final CounterOptions UNWATCHED = unwatched().build();

  static final String COUNTERS = "unwatched_counters";

  /** Firestore takes so many calls at once on a connection. */
  private static final int STREAMS = 100;

  private final ObservedCalls calls = new ObservedCalls();
  private final FaultyFirestore wire;
  private final FaultyFirestore.Port port;
  private final Firestore firestore;
  private Operations before = Operations.NONE;

  TestClient(LocalCloud cloud) {
    wire = new FaultyFirestore(cloud.firestoreHost());
    port = wire.open(STREAMS);
    firestore = calls.connect(cloud, port.address());
  }

  static CounterOptions.Builder unwatched() {
    return CounterOptions.builder()
        .of("{parent=**}/" + COUNTERS + "/{counter}/shards")
        .rollupsCollection("untouched_rollups");
  }

  ObservedCalls calls() {
    return calls;
  }

  FaultyFirestore wire() {
    return wire;
  }

  Firestore firestore() {
    return firestore;
  }

  /** The cost of calls since the last bill. */
  Operations bill() {
    var all = port.operations();
    var since = all.minus(before);
    before = all;
    return since;
  }

  /** Leaves all calls so far off the next bill. */
  void forget() {
    bill();
    calls.calls();
  }

  Counter fresh() {
    return fresh(UNWATCHED);
  }

  Counter fresh(CounterOptions options) {
    return FirestoreCounters.of(firestore, options).counter("c-" + UUID.randomUUID());
  }

  /** A new counter, whose creation is not on the next bill. */
  Counter created(int shards) throws Exception {
    Counter counter = fresh();
    get(counter.create(shards));
    forget();
    return counter;
  }

  /** The counter as a new process has it: the handle remembers nothing. */
  Counter again(Counter counter) {
    return again(counter, UNWATCHED);
  }

  Counter again(Counter counter, CounterOptions options) {
    return FirestoreCounters.of(firestore, options).counter(counter.path());
  }

  DocumentReference document(Counter counter) {
    return firestore.document(COUNTERS + "/" + counter.path());
  }

  DocumentReference shard(Counter counter, int number) {
    return document(counter).collection("shards").document(Integer.toString(number));
  }

  @Override
  public void close() {
    firestore.shutdown();
    wire.close();
  }
}
