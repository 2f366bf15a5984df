package dev.tallyroll.functions;

/**
 * An event that no retry can make usable. The message says what was expected and what was found, of
 * which it keeps the beginning: an event may be megabytes long, a log line may not.
 */
final class UnusableEventException extends Exception {
  private static final int MOST_FOUND = 200;

  private final String message;

  UnusableEventException(String expected, Object found) {
    this.message = "event dropped: expected " + expected + "; found " + cut(found.toString());
  }

  private static String cut(String found) {
    return found.length() <= MOST_FOUND ? found : found.substring(0, MOST_FOUND) + "...";
  }

  @Override
  public String getMessage() {
    return message;
  }
}
