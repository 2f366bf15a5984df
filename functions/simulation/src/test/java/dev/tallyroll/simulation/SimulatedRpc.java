package dev.tallyroll.simulation;

import com.google.api.core.ApiFuture;
import com.google.api.core.SettableApiFuture;
import com.google.api.gax.retrying.RetrySettings;
import com.google.api.gax.rpc.ApiCallContext;
import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.ResponseObserver;
import com.google.api.gax.rpc.ServerStreamingCallable;
import com.google.api.gax.rpc.StreamController;
import com.google.api.gax.rpc.UnaryCallable;
import com.google.cloud.NoCredentials;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.cloud.firestore.spi.v1.FirestoreRpc;
import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryResponse;
import com.google.firestore.v1.Write;
import com.google.protobuf.Message;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.simulation.Faults.Kind;
import io.grpc.Status;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The official client's connection to the simulated server. A request takes some time until its
 * effect, even if its sender has crashed by then, and its answer some time back. The request may be
 * refused, its answer may be lost or end early, and the network may send a commit again.
 *
 * <p>The client's own retries are real: of a query's rest, and of a sum. Those of its transport lie
 * below this class; with one attempt, as the functions have, there are none, and for the library's
 * users a commit that is sent again stands for them. What needs a thread or a clock of the client's
 * own fails: these worlds have one thread.
 */
class SimulatedRpc {
  /**
   * The deployed functions' settings: the transport tries once, and the client, which repeats the
   * rest of a query and a sum, has no time for that.
   */
  private static final RetrySettings NO_TIME =
      RetrySettings.newBuilder()
          .setMaxAttempts(1)
          .setTotalTimeoutDuration(Duration.ofNanos(1))
          .build();

  private static final FirestoreOptions USERS =
      FirestoreOptions.newBuilder()
          .setProjectId("simulated")
          .setCredentials(NoCredentials.getInstance())
          .build();

  private static final FirestoreOptions FUNCTIONS =
      USERS.toBuilder().setRetrySettings(NO_TIME).build();

  private final World world;
  private final Faults faults;
  private final SimulatedServer server;

  /** The functions that use it; empty for the library's users. */
  private final Optional<Functions> functions;

  SimulatedRpc(World world, Optional<Functions> functions) {
    this.world = world;
    this.faults = world.faults;
    this.server = world.server;
    this.functions = functions;
  }

  /** The official client on this connection. */
  Firestore client() {
    FirestoreRpc rpc = rpc();
    return (functions.isPresent() ? FUNCTIONS : USERS)
        .toBuilder().setServiceRpcFactory(options -> rpc).build().getService();
  }

  private FirestoreRpc rpc() {
    var commit = commits();
    var get = streaming((BatchGetDocumentsRequest request) -> Call.of(request), server::get);
    var query = streaming(Call::of, server::query);
    var aggregate = streaming(request -> Call.SUM, this::aggregate);
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

  private List<RunAggregationQueryResponse> aggregate(RunAggregationQueryRequest request) {
    return server.aggregate(request);
  }

  private UnaryCallable<CommitRequest, CommitResponse> commits() {
    return new UnaryCallable<>() {
      @Override
      public ApiFuture<CommitResponse> futureCall(
          CommitRequest request, @Nullable ApiCallContext context) {
        SettableApiFuture<CommitResponse> result = SettableApiFuture.create();
        send(request, new Reply<>(result::set, result::setException));
        return result;
      }
    };
  }

  private void send(CommitRequest request, Reply<CommitResponse> reply) {
    Call kind = Call.of(request);
    Duration lock = Duration.ZERO;
    for (Write write : request.getWritesList()) {
      String path = SimulatedServer.path(write);
      if (functions.isPresent() && AppDocuments.isOwn(path)) {
        world.appDocuments.tried(path);
        lock = world.appDocuments.held(path);
      }
    }
    Duration heldUp = faults.heldUp().plus(lock);
    Supplier<CompletableFuture<CommitResponse>> effect = () -> effect(request, heldUp);
    if (functions.isPresent() && faults.happens(Kind.APPLIED_AFTER_FAILURE, 0.01)) {
      world.underWay++;
      world.time.after(
          faults.upTo(Timing.LONGEST_CALL),
          () -> {
            world.underWay--;
            unheard(effect);
          });
      send(kind, () -> failed(Status.Code.UNAVAILABLE), Duration.ZERO, reply);
    } else if (functions.isPresent() && faults.happens(Kind.DEADLINE_EXCEEDED, 0.005)) {
      Duration most = Timing.LONGEST_CALL;
      send(
          kind,
          () ->
              effect
                  .get()
                  .handle((done, refused) -> done)
                  .thenCompose(done -> world.pause(most))
                  .thenCompose(done -> failed(Status.Code.DEADLINE_EXCEEDED)),
          Duration.ZERO,
          reply);
    } else {
      send(kind, effect, heldUp, reply);
    }
  }

  /** Commits, maybe twice: the network may send a batch again at once, or seconds later. */
  private CompletableFuture<CommitResponse> effect(CommitRequest request, Duration heldUp) {
    Instant requested = world.time.now().minus(heldUp);
    CompletableFuture<CommitResponse> first = commit(request, requested);
    if (!faults.happens(Kind.REPEATED_WRITE, functions.isPresent() ? 0.02 : 0.05)) {
      return first;
    }
    Supplier<CompletableFuture<CommitResponse>> again = () -> commit(request, world.time.now());
    if (functions.isPresent() && faults.random.nextBoolean()) {
      world.underWay++;
      world.time.after(
          faults.upTo(Timing.LONGEST_CALL),
          () -> {
            world.underWay--;
            unheard(again);
          });
      return first;
    }
    // In a step of its own: a check that fails there must not look like a refusal.
    CompletableFuture<CommitResponse> second = new CompletableFuture<>();
    var unused =
        first.whenComplete(
            (answer, refused) ->
                world.time.after(Duration.ZERO, () -> forward(again.get(), second)));
    return second;
  }

  private static <T> void forward(CompletableFuture<T> from, CompletableFuture<T> to) {
    var unused =
        from.whenComplete(
            (value, failure) -> {
              if (failure == null) {
                to.complete(value);
              } else {
                to.completeExceptionally(failure);
              }
            });
  }

  CompletableFuture<CommitResponse> commit(CommitRequest request, Instant requested) {
    try {
      functions.ifPresent(by -> world.beforeCommit.accept(request));
      return server
          .commit(request, functions, requested, world.hidden())
          .thenApply(SimulatedServer.Commit::response);
    } catch (ApiException refused) {
      functions.ifPresent(by -> world.afterRefusal.accept(request));
      Duration wait = server.untilVisible(request);
      return wait.isZero()
          ? CompletableFuture.failedFuture(refused)
          : world.pause(wait).thenCompose(done -> CompletableFuture.failedFuture(refused));
    }
  }

  private void unheard(Supplier<CompletableFuture<CommitResponse>> effect) {
    var unused =
        effect
            .get()
            .whenComplete(
                (done, refused) ->
                    world.history.note(
                        () -> "unheard of: " + (refused == null ? done : refused.getMessage())));
  }

  private <Q extends Message, A> ServerStreamingCallable<Q, A> streaming(
      Function<Q, Call> kind, Function<Q, List<A>> effect) {
    return new ServerStreamingCallable<>() {
      @Override
      public void call(Q request, ResponseObserver<A> observer, @Nullable ApiCallContext context) {
        observer.onStart(new Uncontrolled());
        Call call = kind.apply(request);
        if (request instanceof BatchGetDocumentsRequest get && call == Call.DOCUMENT) {
          world.appDocuments.tried(SimulatedServer.relative(get.getDocuments(0)));
        }
        send(
            call,
            () -> answer(() -> read(request, effect)),
            Duration.ZERO,
            new Reply<>(answers -> stream(call, answers, observer), observer::onError));
      }
    };
  }

  private <Q extends Message, A> List<A> read(Q request, Function<Q, List<A>> effect) {
    functions.ifPresent(by -> world.beforeRead.accept(request));
    return effect.apply(request);
  }

  private static <A> CompletableFuture<A> answer(Supplier<A> effect) {
    try {
      return CompletableFuture.completedFuture(effect.get());
    } catch (ApiException refused) {
      return CompletableFuture.failedFuture(refused);
    }
  }

  /** Sends an answer's messages; the stream may break, and an only message may be missing. */
  private <A> void stream(Call kind, List<A> answers, ResponseObserver<A> observer) {
    world.billed.add(kind, answers.size());
    boolean found = answers.get(0) instanceof RunQueryResponse first && first.hasDocument();
    if (found && faults.happens(Kind.BROKEN_STREAM, 0.02)) {
      answers.subList(0, faults.random.nextInt(answers.size() + 1)).forEach(observer::onResponse);
      observer.onError(SimulatedServer.failure(Status.Code.UNAVAILABLE, "the stream broke"));
    } else if (!found && answers.size() == 1 && faults.happens(Kind.EMPTY_STREAM, 0.002)) {
      observer.onComplete();
    } else {
      answers.forEach(observer::onResponse);
      observer.onComplete();
    }
  }

  private record Reply<A>(Consumer<A> heard, Consumer<Throwable> failed) {}

  private <A> void send(
      Call kind, Supplier<CompletableFuture<A>> effect, Duration heldUp, Reply<A> reply) {
    world.current.ifPresent(instance -> instance.calls.add(kind, 1));
    if (functions.isPresent()) {
      world.calls.add(kind, 1);
    }
    Optional<Status.Code> refusal =
        kind == Call.WRITE && functions.isPresent()
            ? faults.refusalOfWrite()
            : faults.refusal(kind);
    boolean lost = refusal.isEmpty() && faults.loses(kind);
    Duration late = faults.late.getOrDefault(kind, Duration.ZERO);
    Duration stall = kind == Call.SUM ? faults.takeStall().plus(faults.longer()) : Duration.ZERO;
    Duration there = faults.latency().plus(heldUp);
    Duration back = faults.latency().plus(late).plus(stall);
    world.underWay++;
    boolean inTime = functions.isEmpty() || there.compareTo(Timing.LONGEST_CALL) < 0;
    world.time.after(
        inTime ? there : Timing.LONGEST_CALL,
        () -> {
          CompletableFuture<A> outcome =
              !inTime
                  ? failed(Status.Code.DEADLINE_EXCEEDED)
                  : refusal.isPresent() ? failed(refusal.get()) : effect.get();
          var unused =
              outcome.whenComplete(
                  (value, failure) ->
                      world.time.after(
                          inTime ? back : Duration.ZERO,
                          () -> {
                            // The caller's next call has begun by then.
                            world.time.after(Duration.ofMillis(1), () -> world.underWay--);
                            if (lost) {
                              reply.failed.accept(
                                  SimulatedServer.failure(Status.Code.UNAVAILABLE, "lost"));
                            } else if (failure == null) {
                              reply.heard.accept(value);
                            } else {
                              reply.failed.accept(cause(failure));
                            }
                          }));
        });
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof ApiException || failure.getCause() == null
        ? failure
        : failure.getCause();
  }

  private static <A> CompletableFuture<A> failed(Status.Code code) {
    return CompletableFuture.failedFuture(SimulatedServer.failure(code, "simulated"));
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
