package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.RunQueryResponse;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Counters;
import dev.tallyroll.Total;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * A reset whose batch the client sends twice, with other resets in between: first shown by a
 * simulated world (seed 82513 of its time), where 9 increments were taken off and never reported.
 */
class ResetTest {
  private static final CounterPath LIKES = CounterPath.of("likes");

  private final VirtualTime time = new VirtualTime();
  private final Database database = new Database(time);
  private final Faults none = new Faults(1, 0);
  private final CounterServer server =
      new CounterServer(
          LIKES, database, new Commits(time, none, database, Duration.ZERO), CounterServer.DEAF);
  private final Counter other = connect(server);

  @Test
  void batchThatIsSentTwice_reportsAllThatWasTakenOff() throws Exception {
    await(other.create(2));
    await(other.add(3L));
    Counter counter = connect(new Repeating());

    ApiFuture<Total> taken = counter.reset();
    time.run(Duration.ofSeconds(5), () -> false);

    assertThat(taken.get()).isEqualTo(new Total.Whole(3));
    assertThat(database.sum(LIKES).total()).isEqualTo(new Total.Whole(0));
  }

  private Counter connect(SimulatedRpc.Service service) {
    return Counters.of(
            SimulatedRpc.connect(time, none, database, service),
            CounterOptions.DEFAULT,
            time::now,
            shards -> 0)
        .counter(LIKES);
  }

  private <T> T await(ApiFuture<T> call) throws Exception {
    time.run(Duration.ofSeconds(5), call::isDone);
    return call.get();
  }

  /** Sends each batch twice, and lets another client count and reset in between. */
  private final class Repeating implements SimulatedRpc.Service {
    @Override
    public void commit(CommitRequest request, Consumer<CompletableFuture<CommitResponse>> answer) {
      server.commit(
          request,
          first -> {
            var unusedAdd = other.add(4L);
            time.after(
                Duration.ofMillis(100),
                () -> {
                  var unusedReset = other.reset();
                });
            time.after(Duration.ofSeconds(1), () -> server.commit(request, answer));
          });
    }

    @Override
    public List<BatchGetDocumentsResponse> get(BatchGetDocumentsRequest request) {
      return server.get(request);
    }

    @Override
    public List<RunQueryResponse> query(RunQueryRequest request) {
      return server.query(request);
    }

    @Override
    public List<RunAggregationQueryResponse> aggregate(RunAggregationQueryRequest request) {
      return server.aggregate(request);
    }
  }
}
