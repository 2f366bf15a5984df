package dev.tallyroll;

/**
 * Why a call of a {@link Counter} was not carried out, and what to do. It comes as the cause of the
 * future's {@code ExecutionException}. What Firestore itself answers, such as UNAVAILABLE, comes as
 * a {@code FirestoreException}.
 */
public abstract sealed class CounterException extends RuntimeException
    permits CounterNotFoundException,
        CounterExistsException,
        CounterDamagedException,
        CounterBusyException {
  private final transient CounterPath counter;

  CounterException(CounterPath counter, String message) {
    super("counter " + counter + ": " + message);
    this.counter = counter;
  }

  /** The counter that was called. */
  public final CounterPath counter() {
    return counter;
  }
}
