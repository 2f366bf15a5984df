package dev.tallyroll;

/**
 * The counter, or one of its shards, is there already, and nothing was written: use it, or {@link
 * Counter#delete} it first. Also what {@link Counter#create} ends with when its own first reply got
 * lost: in either case the counter is there.
 */
public final class CounterExistsException extends CounterException {
  public CounterExistsException(CounterPath counter) {
    super(
        counter, "expected neither a document nor shards; found some. Use them, or delete() first");
  }
}
