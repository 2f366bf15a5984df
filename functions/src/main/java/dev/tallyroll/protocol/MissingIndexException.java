package dev.tallyroll.protocol;

import java.util.Optional;
import java.util.concurrent.CompletionException;

/** A sum needs an index that is not there, or is still being made. */
public final class MissingIndexException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The one that a call failed with; empty if it failed for another reason. */
  static Optional<MissingIndexException> in(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return Optional.ofNullable(cause)
        .filter(MissingIndexException.class::isInstance)
        .map(MissingIndexException.class::cast);
  }

  /**
   * A sum was refused.
   *
   * @param refused what Firestore says, with the index
   */
  public MissingIndexException(Throwable refused) {
    super(String.valueOf(refused.getMessage()), refused);
  }
}
