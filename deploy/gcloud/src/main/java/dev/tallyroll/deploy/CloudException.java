package dev.tallyroll.deploy;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An error of the platform, by its status: PERMISSION_DENIED, NOT_FOUND and so on. */
final class CloudException extends RuntimeException {
  private static final long serialVersionUID = 1;

  static final String DENIED = "PERMISSION_DENIED";
  static final String UNAUTHENTICATED = "UNAUTHENTICATED";
  static final String UNAVAILABLE = "UNAVAILABLE";
  static final String UNKNOWN = "UNKNOWN";

  private static final Pattern COMMAND = Pattern.compile("^\\(gcloud[^)]*\\) ");
  private static final String NUMBER = "^(?:HTTPError |HttpError |ResponseError: status=\\[)";

  /** The beginnings of gcloud's errors, behind the command. Any text may follow. */
  private static final List<Beginning> BEGINNINGS =
      List.of(
          new Beginning("^([A-Z]+(?:_[A-Z]+)*): .*", ""),
          new Beginning("^\\[[^]]*] does not have permission to access .*", DENIED),
          new Beginning("^[A-Z][A-Za-z ]* instance \\[[^]]*] not found.*", "NOT_FOUND"),
          new Beginning("^You do not currently have an active account selected.*", UNAUTHENTICATED),
          new Beginning("^There was a problem refreshing your .*", UNAUTHENTICATED),
          new Beginning(NUMBER + "401\\b.*", UNAUTHENTICATED),
          new Beginning(NUMBER + "403\\b.*", DENIED),
          new Beginning(NUMBER + "404\\b.*", "NOT_FOUND"));

  private record Beginning(Pattern pattern, String status) {
    Beginning(String pattern, String status) {
      this(Pattern.compile(pattern, Pattern.DOTALL), status);
    }
  }

  final String status;

  CloudException(String status, String message) {
    super(message);
    this.status = status;
  }

  /** Reads only the beginning of gcloud's message, because a name in it may hold any number. */
  static CloudException of(String message) {
    String text = COMMAND.matcher(message).replaceFirst("");
    for (Beginning beginning : BEGINNINGS) {
      Matcher matcher = beginning.pattern.matcher(text);
      if (matcher.matches()) {
        return new CloudException(
            beginning.status.isEmpty() ? matcher.group(1) : beginning.status, message);
      }
    }
    return new CloudException(UNKNOWN, message);
  }

  String said() {
    return String.valueOf(getMessage());
  }

  boolean is(String expected) {
    return status.equals(expected);
  }
}
