package dev.tallyroll.protocol;

/** A sum needs an index that is not there, or is still being made. */
public final class MissingIndexException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * A sum was refused.
   *
   * @param refused what Firestore says, with the index
   */
  public MissingIndexException(Throwable refused) {
    super(String.valueOf(refused.getMessage()), refused);
  }
}
