package dev.tallyroll.timestamps;

/** A caller's query that cannot be split by shard values and merged; the message says why. */
public final class UnusableQueryException extends IllegalArgumentException {
  UnusableQueryException(String expected, String found) {
    super("query: expected " + expected + "; found " + found);
  }
}
