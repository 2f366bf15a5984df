package dev.tallyroll.local;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * One call on its way through a {@link FaultyFirestore}: requests go one way and answers the other,
 * with back-pressure, half-close and cancellation, and its fate is carried out. Thread-safe.
 */
final class RelayedCall {
  private final ServerCall<byte[], byte[]> caller;
  private final ClientCall<byte[], byte[]> firestore;
  private final CallFate fate;
  private final CallCounts.Counter counts;
  private final Valve requests;
  private final Valve answers;
  private boolean cancelled;
  private volatile boolean broken;

  RelayedCall(
      ServerCall<byte[], byte[]> caller,
      ClientCall<byte[], byte[]> firestore,
      CallFate fate,
      CallCounts.Counter counts) {
    this.caller = caller;
    this.firestore = firestore;
    this.fate = fate;
    this.counts = counts;
    this.requests = new Valve(() -> caller.request(1), firestore::isReady);
    this.answers = new Valve(() -> firestore.request(1), caller::isReady);
  }

  /** A delay holds back the first request; a cancellation overtakes it, as it would a real one. */
  ServerCall.Listener<byte[]> start(Metadata headers, ScheduledExecutorService timer) {
    firestore.start(new Answers(), headers);
    firestore.request(1);
    long nanos = fate.after().toNanos();
    if (fate.is(CallFault.DELAYED)) {
      counts.fired(CallFault.DELAYED);
      var unused = timer.schedule(() -> caller.request(1), nanos, TimeUnit.NANOSECONDS);
    } else {
      caller.request(1);
    }
    if (fate.is(CallFault.BROKEN) && nanos > 0) {
      var unused = timer.schedule(this::breakOff, nanos, TimeUnit.NANOSECONDS);
    }
    return new Requests();
  }

  private void breakOff() {
    broken = true;
    cancel("injected");
  }

  private synchronized void cancel(String reason) {
    cancelled = true;
    firestore.cancel(reason, null);
  }

  /** Nothing may be sent into a call that was cancelled. */
  private synchronized void unlessCancelled(Runnable send) {
    if (!cancelled) {
      send.run();
    }
  }

  private final class Requests extends ServerCall.Listener<byte[]> {
    @Override
    public void onMessage(byte[] request) {
      unlessCancelled(() -> firestore.sendMessage(request));
      requests.passed();
    }

    @Override
    public void onHalfClose() {
      unlessCancelled(firestore::halfClose);
    }

    @Override
    public void onCancel() {
      cancel("the caller cancelled");
    }

    @Override
    public void onReady() {
      answers.open();
    }
  }

  private final class Answers extends ClientCall.Listener<byte[]> {
    private final boolean isLost = fate.is(CallFault.REPLY_LOST);
    private final boolean breaksAtFirst = fate.is(CallFault.BROKEN) && fate.after().isZero();

    @Override
    public void onHeaders(Metadata headers) {
      if (!isLost) {
        caller.sendHeaders(headers);
      }
    }

    @Override
    public void onMessage(byte[] answer) {
      if (isLost) {
        firestore.request(1);
        return;
      }
      caller.sendMessage(answer);
      if (breaksAtFirst) {
        breakOff();
      } else {
        answers.passed();
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      boolean injected = broken || (isLost && status.isOk());
      if (injected) {
        fate.fault().ifPresent(counts::fired);
      }
      caller.close(injected ? fate.error() : status, injected ? new Metadata() : trailers);
    }

    @Override
    public void onReady() {
      requests.open();
    }
  }
}
