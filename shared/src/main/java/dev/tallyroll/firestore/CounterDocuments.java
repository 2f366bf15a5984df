package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.UpdateBuilder;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.CounterPath;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Mark;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.Times;
import java.util.Map;

/** One counter's documents, and the parts of writes. Safe for use by many threads. */
record CounterDocuments(Client client, CounterPath counter) {
  /**
   * @throws IllegalArgumentException if no function would sum the counter
   */
  CounterDocuments {
    client.options().layout().counterDocument(counter);
  }

  /** The field that the TTL policy on names reads. */
  static final String EXPIRE_AT = "expire_at";

  DocumentReference document() {
    return client.firestore().document(layout().counterDocument(counter));
  }

  CollectionReference shards() {
    return client.firestore().collection(layout().shardsCollection(counter));
  }

  DocumentReference randomShard(int shards) {
    return shard(client.draws().below().applyAsInt(shards));
  }

  DocumentReference shard(int number) {
    return shards().document(Integer.toString(number));
  }

  DocumentReference shard(ShardList.Shard read) {
    return shards().document(read.id());
  }

  /** The documents that make a batch count once, since each can be created only once. */
  CollectionReference names() {
    return document().collection(options().namesCollection());
  }

  /** A name that nothing else has. */
  String newName() {
    return client.draws().name().get();
  }

  DocumentReference name(String name) {
    return names().document(name);
  }

  DocumentReference rollup() {
    return client.firestore().document(layout().rollupDocument(counter));
  }

  /**
   * Readers do not see a foreign document in the roll-up's place. They know a counter's path, and
   * not the pattern by which the functions find it.
   */
  RolledUpTotal decode(DocumentSnapshot document) {
    String totalOf = RollupFields.markOf(document).totalOf();
    return RollupFields.decode(document, new Mark(layout().counterDocument(counter), totalOf))
        .filter(rollup -> !rollup.isForeign())
        .map(CounterDocuments::readersView)
        .orElse(RolledUpTotal.NONE);
  }

  private static RolledUpTotal readersView(Rollup rollup) {
    // A new roll-up holds a lease that ended when it was made, until the next run.
    boolean isLive = rollup.liveUntil().filter(rollup.asOf()::isBefore).isPresent();
    return RolledUpTotal.of(rollup.total(), rollup.shards(), rollup.asOf(), isLive);
  }

  FieldPath countField() {
    return FieldPath.of(layout().countField());
  }

  CounterOptions options() {
    return client.options();
  }

  private Layout layout() {
    return options().layout();
  }

  WriteBatch batch() {
    return client.firestore().batch();
  }

  /** Creates the counter's document, which must not be there, or the batch fails. */
  void createHead(WriteBatch batch, int shards) {
    batch.create(document(), Map.of(options().shardsField(), (long) shards));
  }

  /** Creates a shard that must not be there, or the batch fails. */
  void create(WriteBatch batch, int shard) {
    batch.create(shard(shard), Map.of(layout().countField(), 0L));
  }

  /** Increments a shard that must be there, or the batch fails. */
  void increment(UpdateBuilder<?> batch, DocumentReference shard, Number delta) {
    batch.update(shard, countField(), increment(delta));
  }

  /** Increments a shard, and creates it if it is missing. */
  void incrementOrCreate(WriteBatch batch, DocumentReference shard, Number delta) {
    batch.set(shard, Map.of(layout().countField(), increment(delta)), SetOptions.merge());
  }

  private static FieldValue increment(Number delta) {
    return delta instanceof Long whole
        ? FieldValue.increment(whole)
        : FieldValue.increment(delta.doubleValue());
  }

  /** A batch that creates a name is carried out at most once, however often it is sent. */
  void createName(WriteBatch batch, String name) {
    batch.create(
        name(name),
        Map.of(EXPIRE_AT, Times.timestamp(client.clock().instant().plus(options().namesKept()))));
  }

  /** One read. */
  ApiFuture<Boolean> hasName(String name) {
    return Steps.then(name(name).get(), DocumentSnapshot::exists);
  }
}
