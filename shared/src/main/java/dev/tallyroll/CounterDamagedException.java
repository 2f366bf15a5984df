package dev.tallyroll;

/**
 * The counter's document or shards are not what a counter has; nothing was written. {@link
 * Counter#resize} replaces a number of shards that is none.
 */
public final class CounterDamagedException extends CounterException {
  public CounterDamagedException(CounterPath counter, String what, String expected, Object found) {
    super(counter, what + ": expected " + expected + "; found '" + found + "'");
  }
}
