package dev.tallyroll.library;

import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.ListenResponse;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryResponse;
import dev.tallyroll.local.LocalCloud;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * The calls of one client: counts what they cost, loses replies of commits that Firestore carries
 * out, lets somebody else act just before a commit is sent, and refuses to listen. Thread-safe.
 */
public final class ObservedCalls implements ClientInterceptor {
  /** What calls cost: how many there were, and what Firestore bills for those that succeed. */
  record Bill(long calls, long reads, long writes, long deletes) {
    Bill plus(Bill other) {
      return new Bill(
          calls + other.calls, reads + other.reads, writes + other.writes, deletes + other.deletes);
    }
  }

  interface Act {
    void perform() throws Exception;
  }

  private static final Bill NOTHING = new Bill(0, 0, 0, 0);

  private final AtomicReference<Bill> bill = new AtomicReference<>(NOTHING);
  private final AtomicInteger queries = new AtomicInteger();
  private final AtomicInteger documents = new AtomicInteger();
  private final AtomicInteger lost = new AtomicInteger();
  private final AtomicReference<Act> act = new AtomicReference<>(() -> {});
  private volatile Supplier<Optional<Status>> fate = Optional::empty;
  private volatile boolean refusing;

  /**
   * A new client whose calls these are. With an emulator host set, it would make a channel of its
   * own, without interceptors.
   */
  public Firestore connect(LocalCloud cloud) {
    return FirestoreOptions.newBuilder()
        .setProjectId(cloud.project())
        .setDatabaseId(cloud.database())
        .setCredentials(new FirestoreOptions.EmulatorCredentials())
        .setChannelProvider(
            InstantiatingGrpcChannelProvider.newBuilder()
                .setEndpoint(cloud.firestoreHost())
                .setChannelConfigurator(builder -> builder.usePlaintext())
                .setInterceptorProvider(() -> List.of(this))
                .build())
        .build()
        .getService();
  }

  /** Since the last bill. */
  Bill bill() {
    return bill.getAndSet(NOTHING);
  }

  private void charge(long calls, long reads, long writes, long deletes) {
    bill.accumulateAndGet(new Bill(calls, reads, writes, deletes), Bill::plus);
  }

  /** Queries so far, aggregations apart. */
  public int queries() {
    return queries.get();
  }

  /** What they have found. */
  public int documents() {
    return documents.get();
  }

  /** What becomes of each commit's reply from now on: an error instead, or empty. */
  void decide(Supplier<Optional<Status>> wanted) {
    lost.set(0);
    fate = wanted;
  }

  /** Loses the next replies, and then no more. */
  void loseNext(int replies, Status.Code code) {
    AtomicInteger left = new AtomicInteger(replies);
    decide(() -> left.getAndDecrement() > 0 ? Optional.of(code.toStatus()) : Optional.empty());
  }

  /** How many have got lost since the last decision: a test in which none has proves nothing. */
  int lost() {
    return lost.get();
  }

  /** Once, before the next commit, when all that it rests on has been read. */
  void beforeCommit(Act wanted) {
    act.set(wanted);
  }

  /** From now on the first answer to a listen is a refusal; the real call goes on, not heard of. */
  public void refuseToListen() {
    refusing = true;
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    charge(1, 0, 0, 0);
    Optional<Status> instead = Optional.empty();
    boolean refused = false;
    switch (String.valueOf(method.getBareMethodName())) {
      case "Commit" -> {
        perform(act.getAndSet(() -> {}));
        instead = fate.get();
      }
      case "RunQuery" -> queries.incrementAndGet();
      case "Listen" -> refused = refusing;
      default -> {}
    }
    return new Observed<>(next.newCall(method, options), instead, refused);
  }

  private static void perform(Act act) {
    try {
      act.perform();
    } catch (Exception failure) {
      throw new IllegalStateException("the act between read and commit failed", failure);
    }
  }

  private final class Observed<Q, A> extends SimpleForwardingClientCall<Q, A> {
    private final Optional<Status> instead;
    private final AtomicInteger refusals;
    private volatile long written;
    private volatile long deleted;
    private volatile boolean answered;

    Observed(ClientCall<Q, A> call, Optional<Status> instead, boolean refused) {
      super(call);
      this.instead = instead;
      this.refusals = new AtomicInteger(refused ? 1 : 0);
    }

    @Override
    public void sendMessage(Q request) {
      if (request instanceof CommitRequest commit) {
        deleted = commit.getWritesList().stream().filter(write -> write.hasDelete()).count();
        written = commit.getWritesCount() - deleted;
      }
      super.sendMessage(request);
    }

    @Override
    public void start(Listener<A> listener, Metadata headers) {
      boolean refused = refusals.get() > 0;
      super.start(
          new SimpleForwardingClientCallListener<>(listener) {
            @Override
            public void onMessage(A answer) {
              if (refused) {
                refuse();
                return;
              }
              if (answer instanceof RunQueryResponse found && found.hasDocument()) {
                documents.incrementAndGet();
              }
              charge(0, isRead(answer) ? 1 : 0, 0, 0);
              if (instead.isEmpty()) {
                super.onMessage(answer);
              }
            }

            private void refuse() {
              if (refusals.getAndDecrement() > 0) {
                super.onClose(Status.PERMISSION_DENIED.withDescription("refused"), new Metadata());
              }
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
              if (refused && refusals.getAndDecrement() <= 0) {
                return; // It has heard of its end already.
              }
              if (status.isOk()) {
                charge(0, 0, written, deleted);
              }
              instead.ifPresent(code -> lost.incrementAndGet());
              super.onClose(
                  instead.map(code -> code.withDescription("reply lost")).orElse(status), trailers);
            }
          },
          headers);
    }

    /** An empty query is one read: the client takes its last answer for its end. */
    private boolean isRead(Object answer) {
      boolean first = !answered;
      answered = true;
      return (answer instanceof BatchGetDocumentsResponse got
              && (got.hasFound() || !got.getMissing().isEmpty()))
          || (answer instanceof RunQueryResponse found && (found.hasDocument() || first))
          || (answer instanceof RunAggregationQueryResponse sum && sum.hasResult())
          || (answer instanceof ListenResponse heard
              && (heard.hasDocumentChange() || heard.hasDocumentDelete()));
    }
  }
}
