package dev.tallyroll.simulation;

import com.google.api.core.ApiFuture;
import com.google.api.gax.rpc.NotFoundException;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Total;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Shards in the emulator, written with the official client. */
record EmulatedShards(Firestore firestore, Layout layout) implements ShardStore {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Override
  public Instant increment(CounterPath counter, int shard, Total delta) throws Exception {
    WriteBatch batch = withCounter(counter);
    return last(
        batch.set(
            document(counter, shard),
            Map.of(layout.countField(), increment(delta)),
            SetOptions.merge()));
  }

  @Override
  public Optional<Instant> update(CounterPath counter, int shard, Total delta) throws Exception {
    try {
      DocumentReference document = document(counter, shard);
      return Optional.of(time(get(document.update(layout.countField(), increment(delta)))));
    } catch (ExecutionException refused) {
      if (refused.getCause() instanceof NotFoundException) {
        return Optional.empty();
      }
      throw refused;
    }
  }

  @Override
  public Instant set(CounterPath counter, int shard, Optional<Object> field) throws Exception {
    Map<String, Object> fields =
        field.map(value -> Map.of(layout.countField(), value)).orElseGet(Map::of);
    return last(withCounter(counter).set(document(counter, shard), fields));
  }

  @Override
  public Instant delete(CounterPath counter, int shard) throws Exception {
    return time(get(document(counter, shard).delete()));
  }

  private WriteBatch withCounter(CounterPath counter) {
    DocumentReference document = firestore.document(layout.counterDocument(counter));
    return firestore.batch().set(document, Map.of("num_shards", RandomCalls.SHARDS));
  }

  private DocumentReference document(CounterPath counter, int shard) {
    return firestore.collection(layout.shardsCollection(counter)).document(Integer.toString(shard));
  }

  private static FieldValue increment(Total delta) {
    return delta instanceof Total.Whole whole
        ? FieldValue.increment(whole.value())
        : FieldValue.increment(((Total.Fraction) delta).value());
  }

  private static Instant last(WriteBatch batch) throws Exception {
    var results = get(batch.commit());
    return time(results.get(results.size() - 1));
  }

  private static Instant time(WriteResult result) {
    Timestamp time = result.getUpdateTime();
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }

  private static <T> T get(ApiFuture<T> call) throws Exception {
    return call.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }
}
