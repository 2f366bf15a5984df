package dev.tallyroll;

/** The counter has no document, and nothing was written. Call {@link Counter#create} first. */
public final class CounterNotFoundException extends CounterException {
  public CounterNotFoundException(CounterPath counter) {
    super(counter, "expected a counter's document; found none. Create the counter first");
  }
}
