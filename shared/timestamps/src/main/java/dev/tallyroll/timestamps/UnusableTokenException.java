package dev.tallyroll.timestamps;

/**
 * A page token that does not belong to the query it was given to; the caller starts again at the
 * first page.
 */
public final class UnusableTokenException extends IllegalArgumentException {
  /** Why a token is refused. */
  public enum Reason {
    /** The text was cut or changed on its way, or never was a token. */
    MALFORMED,
    /** The token is for other filters, another collection, direction or field. */
    OTHER_QUERY
  }

  private final Reason reason;

  UnusableTokenException(Reason reason, String message) {
    super("page token: " + message);
    this.reason = reason;
  }

  /** Why the token is refused, for programs. */
  public Reason reason() {
    return reason;
  }
}
