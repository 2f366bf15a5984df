package dev.tallyroll.simulation;

import com.google.api.core.ApiFuture;
import com.google.api.core.SettableApiFuture;
import com.google.api.gax.rpc.ApiCallContext;
import com.google.api.gax.rpc.ResponseObserver;
import com.google.api.gax.rpc.ServerStreamingCallable;
import com.google.api.gax.rpc.StreamController;
import com.google.api.gax.rpc.UnaryCallable;
import com.google.cloud.NoCredentials;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.cloud.firestore.spi.v1.FirestoreRpc;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.CommitResponse;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests and answers of the official client in a simulated world, below the client's own
 * retries. Calls take time, are refused, lose their replies, and are sent again by the client.
 */
final class SimulatedRpc {
  private final World world;
  private final Faults faults;
  private final CounterServer server;

  private SimulatedRpc(World world, CounterServer server) {
    this.world = world;
    this.faults = world.faults;
    this.server = server;
  }

  /** The official client, connected to a simulated server. */
  static Firestore connect(World world, CounterServer server) {
    FirestoreRpc rpc = new SimulatedRpc(world, server).rpc();
    return FirestoreOptions.newBuilder()
        .setProjectId("simulated")
        .setCredentials(NoCredentials.getInstance())
        .setServiceRpcFactory(options -> rpc)
        .build()
        .getService();
  }

  private FirestoreRpc rpc() {
    var commit = commits();
    var get = streaming(server::get);
    var query = streaming(server::query);
    var aggregate = streaming(server::aggregate);
    return (FirestoreRpc)
        Proxy.newProxyInstance(
            FirestoreRpc.class.getClassLoader(),
            new Class<?>[] {FirestoreRpc.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "commitCallable" -> commit;
                  case "batchGetDocumentsCallable" -> get;
                  case "runQueryCallable" -> query;
                  case "runAggregationQueryCallable" -> aggregate;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private UnaryCallable<CommitRequest, CommitResponse> commits() {
    return new UnaryCallable<>() {
      @Override
      public ApiFuture<CommitResponse> futureCall(
          CommitRequest request, @Nullable ApiCallContext context) {
        SettableApiFuture<CommitResponse> result = SettableApiFuture.create();
        send(() -> commit(request), result::set, result::setException);
        return result;
      }
    };
  }

  /** Commits. After UNAVAILABLE, the client sends the batch again and returns that answer. */
  private CompletableFuture<CommitResponse> commit(CommitRequest request) {
    boolean twice = faults.happens(Faults.Kind.REPEATED_WRITE, 0.05);
    CompletableFuture<CommitResponse> first = server.commit(request);
    return twice
        ? first.handle((answer, failure) -> answer).thenCompose(again -> server.commit(request))
        : first;
  }

  private <Q, A> ServerStreamingCallable<Q, A> streaming(Function<Q, List<A>> effect) {
    return new ServerStreamingCallable<>() {
      @Override
      public void call(Q request, ResponseObserver<A> observer, @Nullable ApiCallContext context) {
        observer.onStart(new Uncontrolled());
        send(
            () -> CompletableFuture.completedFuture(effect.apply(request)),
            answers -> {
              answers.forEach(observer::onResponse);
              observer.onComplete();
            },
            observer::onError);
      }
    };
  }

  private <A> void send(
      Supplier<CompletableFuture<A>> effect, Consumer<A> heard, Consumer<Throwable> failed) {
    var unused =
        world
            .call(false, false, Duration.ZERO, effect, Duration.ZERO)
            .whenComplete(
                (answer, failure) -> {
                  if (failure == null) {
                    heard.accept(answer);
                  } else {
                    failed.accept(
                        failure instanceof CompletionException ? failure.getCause() : failure);
                  }
                });
  }

  /** A controller without effect, because the simulated server sends all messages at once. */
  private static final class Uncontrolled implements StreamController {
    @Override
    public void cancel() {}

    @Override
    public void disableAutoInboundFlowControl() {}

    @Override
    public void request(int count) {}
  }
}
