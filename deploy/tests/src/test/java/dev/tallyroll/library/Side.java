package dev.tallyroll.library;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A client of one library, which makes the calls of scenarios. Its calls may be made at once. */
interface Side extends AutoCloseable {
  /**
   * A counter of a scenario.
   *
   * @param hasTotal whether the functions sum it
   */
  record Place(String below, String id, boolean hasTotal) {}

  /**
   * A call.
   *
   * @param sent how many calls to Firestore are sent of it
   * @param isHeld whether the next one waits, or is never sent
   */
  record Ask(String call, List<String> args, Place place, long sent, boolean isHeld) {
    Ask(String call, List<String> args, Place place) {
      this(call, args, place, Long.MAX_VALUE, /* isHeld= */ false);
    }

    Ask sending(long calls, boolean held) {
      return new Ask(call, args, place, calls, held);
    }
  }

  /**
   * An answer.
   *
   * @param result empty if there is none
   * @param error the kind of the failure
   * @param message of the failure
   */
  record Answer(String result, Optional<String> error, String message) {}

  CompletableFuture<Answer> call(Ask ask);

  /** Whether a call to Firestore waits. */
  boolean isHolding() throws Exception;

  /** Sends the call that waits. */
  void goOn() throws Exception;

  /** Begins anew, with a client that remembers nothing. */
  void restart() throws Exception;

  @Override
  void close();
}
