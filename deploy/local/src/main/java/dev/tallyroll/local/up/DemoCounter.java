package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.AggregateField;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A counter as an application uses it, written as in Google's samples: created in one batch,
 * incremented at a shard, read from its roll-up. Thread-safe.
 */
final class DemoCounter implements AutoCloseable {
  private final Firestore firestore;
  private final Layout layout;
  private final CounterPath path;
  private final int shards;
  private final Meter meter = new Meter();
  private final ListenerRegistration listener;
  private volatile boolean live;

  private DemoCounter(Firestore firestore, Layout layout, CounterPath path, int shards) {
    this.firestore = firestore;
    this.layout = layout;
    this.path = path;
    this.shards = shards;
    this.listener =
        firestore
            .document(layout.rollupDocument(path))
            .addSnapshotListener(
                (rollup, failure) -> {
                  if (rollup != null) {
                    see(rollup.getData());
                  }
                });
  }

  static DemoCounter create(Firestore firestore, Layout layout, CounterPath path, int shards)
      throws ExecutionException, InterruptedException {
    WriteBatch batch = firestore.batch();
    batch.set(firestore.document(layout.counterDocument(path)), Map.of("num_shards", shards));
    for (int shard = 0; shard < shards; shard++) {
      batch.set(shard(firestore, layout, path, shard), Map.of(layout.countField(), 0));
    }
    batch.commit().get();
    return new DemoCounter(firestore, layout, path, shards);
  }

  private static DocumentReference shard(
      Firestore firestore, Layout layout, CounterPath path, int shard) {
    return firestore.collection(layout.shardsCollection(path)).document(Integer.toString(shard));
  }

  private void see(@Nullable Map<String, Object> rollup) {
    if (rollup != null
        && rollup.get("count") instanceof Long count
        && rollup.get("as_of") instanceof Timestamp asOf) {
      live = rollup.containsKey("live_until");
      meter.seen(
          count, Instant.ofEpochSecond(asOf.getSeconds(), asOf.getNanos()), System.nanoTime());
    }
  }

  ApiFuture<WriteResult> increment(int shard) {
    return shard(firestore, layout, path, shard)
        .update(FieldPath.of(layout.countField()), FieldValue.increment(1));
  }

  /** Its shards and then itself; its roll-up goes by that. */
  void delete() throws ExecutionException, InterruptedException {
    WriteBatch batch = firestore.batch();
    for (int shard = 0; shard < shards; shard++) {
      batch.delete(shard(firestore, layout, path, shard));
    }
    batch.delete(firestore.document(layout.counterDocument(path)));
    batch.commit().get();
  }

  /** The sum over all shards, now. */
  long exact() throws ExecutionException, InterruptedException {
    AggregateField sum = AggregateField.sum(FieldPath.of(layout.countField()));
    Object total =
        firestore.collection(layout.shardsCollection(path)).aggregate(sum).get().get().get(sum);
    return total instanceof Number number ? number.longValue() : 0;
  }

  String name() {
    return path.toString();
  }

  int shards() {
    return shards;
  }

  Meter meter() {
    return meter;
  }

  /** Whether its roll-up holds a lease. */
  boolean isLive() {
    return live;
  }

  @Override
  public void close() {
    listener.remove();
  }
}
