package dev.tallyroll.local;

import io.grpc.Status;
import java.time.Duration;
import java.util.Optional;

/**
 * What is going to happen to one call. Immutable.
 *
 * @param fault empty for a call that is left alone
 * @param after how long a delay lasts, or until a listen breaks
 * @param code that the caller gets instead of what Firestore says
 */
record CallFate(Optional<CallFault> fault, Duration after, Status.Code code) {
  static final CallFate UNDISTURBED =
      new CallFate(Optional.empty(), Duration.ZERO, Status.Code.UNAVAILABLE);

  boolean is(CallFault kind) {
    return fault.filter(kind::equals).isPresent();
  }

  /** The error that the caller gets; its text tells it apart from Firestore's own. */
  Status error() {
    return code.toStatus().withDescription("injected: " + fault.map(Enum::name).orElse("none"));
  }
}
