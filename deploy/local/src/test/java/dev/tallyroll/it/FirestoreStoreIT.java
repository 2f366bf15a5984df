package dev.tallyroll.it;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.SumMode;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RunStore;
import dev.tallyroll.protocol.ThreadEventLoop;
import dev.tallyroll.simulation.StoreContract;
import dev.tallyroll.store.FirestoreRollups;
import dev.tallyroll.store.FirestoreRuns;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@link StoreContract} of the product's stores, on the official emulator. */
@On(Site.SHARED)
@Execution(ExecutionMode.CONCURRENT)
final class FirestoreStoreIT extends StoreContract {
  private static final int ANSWER_WITHIN_SECONDS = 30;

  /** On collections of their own that no trigger matches. */
  private final String suffix = "-" + UUID.randomUUID();

  private final Layout layout =
      new Layout(
          "{parent=**}/counters" + suffix,
          "shards" + suffix,
          "rollups" + suffix,
          "runs" + suffix,
          "count");

  private final Firestore firestore;
  private final ThreadEventLoop loop = new ThreadEventLoop("contract", InstantSource.system());
  private int counters;

  FirestoreStoreIT(Lab lab) {
    this.firestore = lab.firestore();
  }

  @AfterEach
  void close() {
    loop.close();
  }

  @Override
  protected RollupStore rollups() {
    return new FirestoreRollups(firestore, layout, SumMode.AGGREGATE, loop);
  }

  @Override
  protected RunStore runs() {
    return new FirestoreRuns(firestore, layout, loop);
  }

  @Override
  protected <T> T get(CompletableFuture<T> call) {
    try {
      return call.get(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException failure) {
      throw new AssertionError(failure);
    }
  }

  private void set(String document, Map<String, Object> fields) {
    try {
      firestore.document(document).set(fields).get(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException failure) {
      throw new AssertionError(failure);
    }
  }

  @Override
  protected void putShard(CounterPath counter, int shard, Optional<Object> value) {
    set(layout.counterDocument(counter), Map.of("num_shards", 1L));
    set(
        layout.shardsCollection(counter) + "/" + shard,
        value.<Map<String, Object>>map(it -> Map.of("count", it)).orElse(Map.of()));
  }

  @Override
  protected void putForeign(CounterPath counter) {
    set(layout.rollupDocument(counter), Map.of("count", 5L, "revenue", 7L));
  }

  @Override
  protected CounterPath counter() {
    return CounterPath.of("c" + counters++);
  }

  @Override
  protected int worker() {
    return 0;
  }
}
