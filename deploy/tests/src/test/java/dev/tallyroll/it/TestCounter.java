package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;

import com.google.api.core.ApiFuture;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A counter as clients use it: increments are those of Google's samples, reads are of its roll-up.
 * Belongs to one test. Thread-safe.
 */
public final class TestCounter {
  private final Firestore firestore;
  private final Layout layout;
  private final CounterPath path;
  private final Runnable schedule;

  /**
   * A roll-up that a reader gets. Immutable.
   *
   * @param count the total, a {@code Long} or a {@code Double}
   * @param shards the number of shards in the sum
   * @param asOf the time of the sum
   * @param liveUntil the end of the lease; only a live counter has one
   * @param updated the time of the document's last write
   */
  public record Shown(
      Number count, long shards, Timestamp asOf, Optional<Timestamp> liveUntil, Timestamp updated) {
    static Optional<Shown> of(DocumentSnapshot rollup) {
      return rollup.exists()
          ? Optional.of(
              new Shown(
                  (Number) Objects.requireNonNull(rollup.get("count")),
                  Objects.requireNonNull(rollup.getLong("shards")),
                  Objects.requireNonNull(rollup.getTimestamp("as_of")),
                  Optional.ofNullable(rollup.getTimestamp("live_until")),
                  Objects.requireNonNull(rollup.getUpdateTime())))
          : Optional.empty();
    }

    boolean isLive() {
      return liveUntil.filter(until -> until.compareTo(asOf) > 0).isPresent();
    }

    /** Whether only a run is missing to settle the total, as after the creation. */
    private boolean waitsForARun() {
      return liveUntil.isPresent() && !isLive();
    }

    private boolean isSettled(Number total) {
      return count.equals(total) && liveUntil.isEmpty();
    }
  }

  /**
   * @param schedule asks for a run, because a new roll-up wakes no worker
   */
  TestCounter(Firestore firestore, Layout layout, CounterPath path, Runnable schedule) {
    this.firestore = firestore;
    this.layout = layout;
    this.path = path;
    this.schedule = schedule;
  }

  public CounterPath path() {
    return path;
  }

  DocumentReference shard(int shard) {
    return firestore.collection(layout.shardsCollection(path)).document(Integer.toString(shard));
  }

  DocumentReference rollup() {
    return firestore.document(layout.rollupDocument(path));
  }

  /** The counter's own document. */
  DocumentReference document() {
    return firestore.document(layout.counterDocument(path));
  }

  /** Creates the counter and its shards at zero, in one batch. */
  TestCounter create(int shards) throws Exception {
    var batch = firestore.batch();
    batch.set(document(), Map.of("num_shards", shards));
    for (int shard = 0; shard < shards; shard++) {
      batch.set(shard(shard), Map.of(layout.countField(), 0));
    }
    get(batch.commit());
    return this;
  }

  void increment(int shard, long by) throws Exception {
    get(add(shard, FieldValue.increment(by)));
  }

  void increment(int shard, double by) throws Exception {
    get(add(shard, FieldValue.increment(by)));
  }

  ApiFuture<WriteResult> incrementLater(int shard) {
    return add(shard, FieldValue.increment(1));
  }

  private ApiFuture<WriteResult> add(int shard, FieldValue increment) {
    return shard(shard).set(Map.of(layout.countField(), increment), SetOptions.merge());
  }

  /** Replaces the value of a shard. */
  void put(int shard, Object value) throws Exception {
    get(shard(shard).set(Map.of(layout.countField(), value)));
  }

  /** Writes a shard with any id and any fields. */
  void write(String shard, Map<String, Object> fields) throws Exception {
    get(firestore.collection(layout.shardsCollection(path)).document(shard).set(fields));
  }

  void deleteShard(int shard) throws Exception {
    get(shard(shard).delete());
  }

  /** Deletes the counter and its shards in one batch. */
  void delete() throws Exception {
    var batch = firestore.batch();
    firestore.collection(layout.shardsCollection(path)).listDocuments().forEach(batch::delete);
    batch.delete(document());
    get(batch.commit());
  }

  Optional<Shown> shown() throws Exception {
    return Shown.of(get(rollup().get()));
  }

  /** Whether the roll-up shows at least this total. */
  public boolean shows(long total) throws Exception {
    return shown().filter(shown -> shown.count().longValue() >= total).isPresent();
  }

  /** The roll-up document as it is stored. */
  Map<String, Object> fields() throws Exception {
    return Objects.requireNonNull(get(rollup().get()).getData());
  }

  /** The sum of all shards by reading them. */
  long sumOfShards() throws Exception {
    return get(firestore.collection(layout.shardsCollection(path)).get()).getDocuments().stream()
        .mapToLong(shard -> Objects.requireNonNull(shard.getLong(layout.countField())))
        .sum();
  }

  /** Whether the total is this, and no lease promises another sum. */
  public boolean isSettled(Number total) throws Exception {
    return shown().filter(shown -> shown.isSettled(total)).isPresent();
  }

  public Shown awaitTotal(Number total) throws Exception {
    return awaitShown("a total of " + total, shown -> shown.count().equals(total));
  }

  /** Waits until {@link #isSettled}. */
  Shown awaitSettled(Number total) throws Exception {
    if (awaitTotal(total).waitsForARun()) {
      schedule.run();
    }
    return awaitShown("a settled total of " + total, shown -> shown.isSettled(total));
  }

  private Shown awaitShown(String expected, Predicate<Shown> isSo) throws Exception {
    return await(path + " to show " + expected)
        .until(() -> shown().filter(isSo), Optional::isPresent)
        .orElseThrow();
  }
}
