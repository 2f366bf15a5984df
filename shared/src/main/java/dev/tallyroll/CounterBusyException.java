package dev.tallyroll;

/**
 * Others changed the counter each time that the call was about to, and the call has given up. Call
 * again: it goes on from what it finds.
 */
public final class CounterBusyException extends CounterException {
  public CounterBusyException(CounterPath counter, String expected) {
    super(counter, "expected " + expected + ". Call again later");
  }
}
