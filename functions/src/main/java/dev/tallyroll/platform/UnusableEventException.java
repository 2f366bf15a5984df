package dev.tallyroll.platform;

import org.jspecify.annotations.Nullable;

/**
 * An event that no retry can make usable. The message says what was expected, and the beginning of
 * what was found: an event may be megabytes long, a log line may not.
 */
public final class UnusableEventException extends Exception {
  private static final int MOST_FOUND = 200;

  public UnusableEventException(String expected, @Nullable String found) {
    super("event dropped: expected " + expected + "; found " + quote(found));
  }

  private static String quote(@Nullable String found) {
    return found == null || found.length() <= MOST_FOUND
        ? "'" + found + "'"
        : "'" + found.substring(0, MOST_FOUND) + "...'";
  }
}
