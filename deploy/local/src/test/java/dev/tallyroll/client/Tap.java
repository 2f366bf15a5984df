package dev.tallyroll.client;

import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.ListenResponse;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Sits on a client's wire: reads the bill off it, loses replies of commits that Firestore carries
 * out, and lets somebody else act just before a commit is sent. Thread-safe.
 */
final class Tap implements ClientInterceptor {
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
  private final AtomicInteger lost = new AtomicInteger();
  private final AtomicReference<Act> act = new AtomicReference<>(() -> {});
  private volatile Supplier<Optional<Status>> fate = Optional::empty;

  /** Since the last bill. */
  Bill bill() {
    return bill.getAndSet(NOTHING);
  }

  private void charge(long calls, long reads, long writes, long deletes) {
    bill.accumulateAndGet(new Bill(calls, reads, writes, deletes), Bill::plus);
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

  @Override
  public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
      MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
    charge(1, 0, 0, 0);
    boolean commits = method.getFullMethodName().equals("google.firestore.v1.Firestore/Commit");
    if (commits) {
      perform(act.getAndSet(() -> {}));
    }
    return new Tapped<>(
        next.newCall(method, options), commits ? fate.get() : Optional.<Status>empty());
  }

  private static void perform(Act act) {
    try {
      act.perform();
    } catch (Exception failure) {
      throw new IllegalStateException("the act between read and commit failed", failure);
    }
  }

  private final class Tapped<ReqT, RespT> extends SimpleForwardingClientCall<ReqT, RespT> {
    private final Optional<Status> instead;
    private volatile long written;
    private volatile long deleted;
    private volatile boolean answered;

    Tapped(ClientCall<ReqT, RespT> call, Optional<Status> instead) {
      super(call);
      this.instead = instead;
    }

    @Override
    public void sendMessage(ReqT request) {
      if (request instanceof CommitRequest commit) {
        deleted = commit.getWritesList().stream().filter(write -> write.hasDelete()).count();
        written = commit.getWritesCount() - deleted;
      }
      super.sendMessage(request);
    }

    @Override
    public void start(Listener<RespT> listener, Metadata headers) {
      super.start(
          new SimpleForwardingClientCallListener<>(listener) {
            @Override
            public void onMessage(RespT answer) {
              charge(0, isRead(answer) ? 1 : 0, 0, 0);
              if (instead.isEmpty()) {
                super.onMessage(answer);
              }
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
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
