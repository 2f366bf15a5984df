package dev.tallyroll.simulation;

import static dev.tallyroll.simulation.DocumentServer.timestamp;

import com.google.firestore.v1.AggregationResult;
import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.RunQueryResponse;
import com.google.firestore.v1.Write;
import com.google.protobuf.Timestamp;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The server's side of one counter that clients use through the library. Its shards are the
 * database's, so that the functions hear of them.
 */
final class CounterServer {
  private static final String ROOT = "projects/simulated/databases/(default)/documents/counters/";

  private final World world;
  private final CounterPath counter;
  private final BiConsumer<CounterPath, Optional<Instant>> written;
  private final Database database;
  private final DocumentServer documents = new DocumentServer();

  /**
   * @param written hears of each write of a shard when it can be seen: when it committed; empty for
   *     a delete
   */
  CounterServer(
      World world, CounterPath counter, BiConsumer<CounterPath, Optional<Instant>> written) {
    this.world = world;
    this.counter = counter;
    this.written = written;
    this.database = world.database;
  }

  List<BatchGetDocumentsResponse> get(BatchGetDocumentsRequest request) {
    return documents.get(request, database.tick());
  }

  List<RunQueryResponse> query(RunQueryRequest request) {
    return documents.query(request, database.tick());
  }

  List<RunAggregationQueryResponse> aggregate(RunAggregationQueryRequest request) {
    Sum sum = database.sum(counter);
    AggregationResult.Builder result = AggregationResult.newBuilder();
    request
        .getStructuredAggregationQuery()
        .getAggregationsList()
        .forEach(
            wanted ->
                result.putAggregateFields(
                    wanted.getAlias(),
                    DocumentServer.integer(
                        wanted.hasSum() ? ((Total.Whole) sum.total()).value() : sum.shards())));
    return List.of(
        RunAggregationQueryResponse.newBuilder()
            .setResult(result)
            .setReadTime(timestamp(sum.readTime()))
            .build());
  }

  /** Answers when its effect can be seen. */
  void commit(CommitRequest request, Consumer<CompletableFuture<CommitResponse>> answer) {
    world.commit(
        counter,
        (committed, visible) -> {
          CommitResponse response;
          try {
            response = documents.commit(request, committed);
          } catch (RuntimeException refused) {
            answer.accept(CompletableFuture.failedFuture(refused));
            return;
          }
          publish(request, committed, visible);
          answer.accept(CompletableFuture.completedFuture(response));
        });
  }

  /** Clients that update a shard must find it, whatever compactions and resizings there were. */
  void checkShards() {
    long expected = documents.integer(ROOT + counter, "num_shards");
    for (int number = 0; number < expected; number++) {
      if (!database.shards(counter).containsKey(number)) {
        throw new AssertionError("shard " + number + " of " + expected + " is missing");
      }
    }
  }

  private void publish(CommitRequest request, Instant committed, Instant visible) {
    String shards = ROOT + counter + "/shards";
    List<Write> writes =
        request.getWritesList().stream()
            .filter(write -> DocumentServer.parent(DocumentServer.name(write)).equals(shards))
            .toList();
    Map<Integer, Database.Shard> now = new TreeMap<>();
    for (Document shard : documents.list(shards)) {
      Total count = new Total.Whole(shard.getFieldsOrThrow("count").getIntegerValue());
      Timestamp update = shard.getUpdateTime();
      now.put(
          Integer.parseInt(shard.getName().substring(shards.length() + 1)),
          new Database.Shard(count, Instant.ofEpochSecond(update.getSeconds(), update.getNanos())));
    }
    database.shards.put(counter, now);
    if (!writes.isEmpty()) {
      world.history.shardsChanged(counter, visible);
    }
    for (Write write : writes) {
      written.accept(
          counter, write.getDelete().isEmpty() ? Optional.of(committed) : Optional.empty());
    }
  }
}
