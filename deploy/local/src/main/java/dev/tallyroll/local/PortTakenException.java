package dev.tallyroll.local;

/**
 * Somebody else listens on a port that was wanted; with a port chosen freely, another one will do.
 * Immutable.
 */
final class PortTakenException extends LocalCloudException {
  private static final long serialVersionUID = 1L;

  PortTakenException(String message) {
    super(message);
  }
}
