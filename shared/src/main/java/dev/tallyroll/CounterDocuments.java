package dev.tallyroll;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.WriteBatch;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * One counter's documents, and the writes that others build on. Immutable.
 *
 * @param random gives a number below another, to choose shards by
 */
record CounterDocuments(
    Firestore firestore, CounterOptions options, CounterPath counter, IntUnaryOperator random) {

  DocumentReference document() {
    return firestore.document(options.layout().counterDocument(counter));
  }

  CollectionReference shards() {
    return firestore.collection(options.layout().shardsCollection(counter));
  }

  DocumentReference randomShard(int shards) {
    return shard(random.applyAsInt(shards));
  }

  DocumentReference shard(int number) {
    return shards().document(Integer.toString(number));
  }

  DocumentReference shard(ShardList.Shard read) {
    return shards().document(read.id());
  }

  CollectionReference increments() {
    return document().collection(options.increments());
  }

  DocumentReference rollup() {
    return firestore.document(options.layout().rollupDocument(counter));
  }

  FieldPath countField() {
    return FieldPath.of(options.layout().countField());
  }

  WriteBatch batch() {
    return firestore.batch();
  }

  /** Increments a shard that must be there, or the batch fails. */
  void increment(WriteBatch batch, DocumentReference shard, Number delta) {
    batch.update(shard, countField(), increment(delta));
  }

  /** Increments a shard, and creates it where it is missing. */
  void incrementOrCreate(WriteBatch batch, DocumentReference shard, Number delta) {
    batch.set(shard, Map.of(options.layout().countField(), increment(delta)), SetOptions.merge());
  }

  private static FieldValue increment(Number delta) {
    return delta instanceof Long whole
        ? FieldValue.increment(whole)
        : FieldValue.increment(delta.doubleValue());
  }
}
