package dev.tallyroll;

import java.time.Duration;
import java.time.Instant;

/**
 * Why a call of a {@link Counter} was not carried out, and what to do. It comes as the cause of the
 * future's {@code ExecutionException}. An answer of Firestore itself, such as UNAVAILABLE, comes as
 * a {@code FirestoreException}.
 */
public abstract class CounterException extends RuntimeException {
  private final transient CounterPath counter;

  private CounterException(CounterPath counter, String message) {
    super("counter " + counter + ": expected " + message);
    this.counter = counter;
  }

  /** The counter that was called. */
  public final CounterPath counter() {
    return counter;
  }

  /**
   * The counter has no document, and nothing was written. Call {@link Counter#create} first; or
   * {@link Counter#createMissing}, if only the document was deleted.
   */
  public static final class NotFound extends CounterException {
    public NotFound(CounterPath counter) {
      super(
          counter,
          "a counter's document; found none. Call create(), or createMissing() if it has shards");
    }
  }

  /**
   * The counter, or one of its shards, exists already, and nothing was written: use it, call {@link
   * Counter#createMissing} if something is missing, or {@link Counter#delete} it first. {@link
   * Counter#create} also fails with this if the reply of its own first attempt was lost; the
   * counter exists in either case.
   */
  public static final class Exists extends CounterException {
    public Exists(CounterPath counter) {
      super(
          counter,
          "neither a document nor shards; found some. Use them, call createMissing() if some are"
              + " missing, or delete() first");
    }
  }

  /**
   * The counter's document or shards are not those of a counter; nothing was written. {@link
   * Counter#resize} replaces an invalid number of shards.
   */
  public static final class Damaged extends CounterException {
    public Damaged(CounterPath counter, String expected, String found) {
      super(counter, expected + "; found '" + found + "'");
    }
  }

  /**
   * Gave up after repeated concurrent changes of the counter. Call again: it starts from what it
   * then finds.
   */
  public static final class Busy extends CounterException {
    public Busy(CounterPath counter, String expected) {
      super(counter, expected + "; found others changing it. Call again later");
    }
  }

  /**
   * The roll-up did not reach the stated time soon enough. The written increments are safe in the
   * shards: wait again, or read {@link Counter#exactTotal}.
   */
  public static final class Behind extends CounterException {
    public Behind(CounterPath counter, Instant committed, Duration atMost, String latest) {
      super(counter, "a total as of " + committed + " within " + atMost + "; found " + latest);
    }
  }

  /** A buffered add was refused, and nothing was counted: the buffer is full or closed. */
  public static final class Refused extends CounterException {
    public Refused(CounterPath counter, String expected, String found) {
      super(counter, expected + "; found " + found);
    }
  }

  /**
   * The commit of buffered adds failed: all of them may have counted, or none. The cause is
   * Firestore's own exception.
   */
  public static final class Unsure extends CounterException {
    public Unsure(CounterPath counter, int adds, Throwable cause) {
      super(
          counter,
          "a commit of " + adds + " adds; found " + cause + ". They may or may not have counted");
      initCause(cause);
    }
  }
}
