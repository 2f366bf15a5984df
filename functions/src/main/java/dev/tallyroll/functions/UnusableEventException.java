package dev.tallyroll.functions;

/**
 * An event that no retry can make usable. The message says what was expected and what was found.
 */
final class UnusableEventException extends Exception {
  private final String message;

  UnusableEventException(String expected, Object found) {
    this.message = "event dropped: expected " + expected + "; found " + found;
  }

  @Override
  public String getMessage() {
    return message;
  }
}
