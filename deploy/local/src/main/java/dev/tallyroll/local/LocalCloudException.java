package dev.tallyroll.local;

/**
 * The local cloud could not start, or could not do its task. The message says what would help.
 * Immutable.
 */
public class LocalCloudException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public LocalCloudException(String message) {
    super(message);
  }

  public LocalCloudException(String message, Throwable cause) {
    super(message, cause);
  }
}
