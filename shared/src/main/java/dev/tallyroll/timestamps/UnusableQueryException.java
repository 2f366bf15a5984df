package dev.tallyroll.timestamps;

/** A caller's query that cannot be asked per shard value and merged; the message says why. */
public final class UnusableQueryException extends IllegalArgumentException {
  UnusableQueryException(String expected, String found) {
    super("query: expected " + expected + "; found " + found);
  }
}
