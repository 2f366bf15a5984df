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
   * @param dieAfter how many calls to Firestore are sent of it
   */
  record Ask(String call, List<String> args, Place place, Optional<Long> dieAfter) {
    Ask(String call, List<String> args, Place place) {
      this(call, args, place, Optional.empty());
    }

    Ask dyingAfter(long sent) {
      return new Ask(call, args, place, Optional.of(sent));
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

  /** Begins anew, with a client that remembers nothing. */
  void restart() throws Exception;

  @Override
  void close();
}
