package dev.tallyroll.simulation;

import static dev.tallyroll.simulation.Protos.timestamp;

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
import dev.tallyroll.CounterPath;
import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The server's side of one counter that clients use through the library. Its shards are the
 * database's, so that the functions hear of them.
 */
final class CounterServer implements SimulatedRpc.Service {
  /** Hears of what is written to the counter's shards. */
  interface Listener {
    void shardsChanged(CounterPath counter, Instant visible);

    void written(CounterPath counter, Optional<Instant> committed);
  }

  static final Listener DEAF =
      new Listener() {
        @Override
        public void shardsChanged(CounterPath counter, Instant visible) {}

        @Override
        public void written(CounterPath counter, Optional<Instant> committed) {}
      };

  private static final String ROOT = "projects/simulated/databases/(default)/documents/counters/";

  private final CounterPath counter;
  private final Database database;
  private final Commits commits;
  private final Listener listener;
  private final DocumentServer documents = new DocumentServer();

  CounterServer(CounterPath counter, Database database, Commits commits, Listener listener) {
    this.counter = counter;
    this.database = database;
    this.commits = commits;
    this.listener = listener;
  }

  @Override
  public List<BatchGetDocumentsResponse> get(BatchGetDocumentsRequest request) {
    return documents.get(request, database.tick());
  }

  @Override
  public List<RunQueryResponse> query(RunQueryRequest request) {
    return documents.query(request, database.tick());
  }

  @Override
  public List<RunAggregationQueryResponse> aggregate(RunAggregationQueryRequest request) {
    Sum sum = database.sum(counter);
    AggregationResult.Builder result = AggregationResult.newBuilder();
    request
        .getStructuredAggregationQuery()
        .getAggregationsList()
        .forEach(
            wanted ->
                result.putAggregateFields(
                    wanted.getAlias(),
                    Protos.integer(
                        wanted.hasSum() ? ((Total.Whole) sum.total()).value() : sum.shards())));
    return List.of(
        RunAggregationQueryResponse.newBuilder()
            .setResult(result)
            .setReadTime(timestamp(sum.readTime()))
            .build());
  }

  @Override
  public void commit(CommitRequest request, Consumer<CompletableFuture<CommitResponse>> answer) {
    commits.commit(
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
      if (!database.shards.getOrDefault(counter, Map.of()).containsKey(number)) {
        throw new AssertionError("shard " + number + " of " + expected + " is missing");
      }
    }
  }

  private void publish(CommitRequest request, Instant committed, Instant visible) {
    String shards = ROOT + counter + "/shards";
    List<Write> written =
        request.getWritesList().stream()
            .filter(write -> DocumentServer.parent(Protos.name(write)).equals(shards))
            .toList();
    Map<Integer, Database.Shard> now = new TreeMap<>();
    for (Document shard : documents.list(shards)) {
      Total count = new Total.Whole(shard.getFieldsOrThrow("count").getIntegerValue());
      String id = shard.getName().substring(shards.length() + 1);
      now.put(
          Integer.parseInt(id), new Database.Shard(count, Protos.instant(shard.getUpdateTime())));
    }
    database.shards.put(counter, now);
    if (!written.isEmpty()) {
      listener.shardsChanged(counter, visible);
    }
    for (Write write : written) {
      listener.written(
          counter, write.getDelete().isEmpty() ? Optional.of(committed) : Optional.empty());
    }
  }
}
