package dev.tallyroll.simulation;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Layout;
import dev.tallyroll.SumMode;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.store.FirestoreRollups;
import dev.tallyroll.store.FirestoreRuns;
import java.time.Duration;
import java.util.UUID;

/** Makes the two sides. Stateless. */
final class Sides {
  private Sides() {}

  /** Without any fault: each call is answered after some milliseconds. */
  static Side simulated(long seed) {
    VirtualTime time = new VirtualTime();
    Database database = new Database(time);
    Faults faults = new Faults(seed, 0);
    Instance instance = new Instance(time, Duration.ZERO);
    var store = new SimulatedFirestore(database, time, faults, instance, Duration.ZERO);
    var shards = new SimulatedShards(new ClientWrites(database));
    var passage = new VirtualPassage(time);
    var chronicle = new Chronicle();
    var runs = new RunSide(store, passage, chronicle);
    return new Side(store, shards, Layout.DEFAULT, passage, runs, chronicle);
  }

  /** With the product's stores, on collections of its own that no trigger matches. */
  static Side emulated(Firestore firestore, SumMode mode, EventLoop loop) {
    Layout layout = layout("-" + UUID.randomUUID());
    var passage = new RealPassage();
    var chronicle = new Chronicle();
    var runs = new RunSide(new FirestoreRuns(firestore, layout, loop), passage, chronicle);
    var store = new FirestoreRollups(firestore, layout, mode, loop);
    var shards = new EmulatedShards(firestore, layout);
    return new Side(store, shards, layout, passage, runs, chronicle);
  }

  private static Layout layout(String suffix) {
    Layout names = Layout.DEFAULT;
    return new Layout(
        names.counters() + suffix,
        names.shards() + suffix,
        names.rollups() + suffix,
        names.runs() + suffix,
        names.countField());
  }
}
