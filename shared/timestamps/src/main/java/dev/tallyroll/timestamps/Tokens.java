package dev.tallyroll.timestamps;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.cloud.Timestamp;
import dev.tallyroll.timestamps.UnusableTokenException.Reason;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * Writes and reads the page tokens of one query. A token is all that a page needs, so it survives a
 * restart and a change of shard values, and can be given to another process. It is neither secret
 * nor signed: a changed token gives another page of the same query, never another query. Immutable.
 *
 * @param query the query's fingerprint, which detects a token of another query
 */
record Tokens(String query) {
  private static final String BACKWARDS = "back";
  private static final String ONWARDS = "on";
  private static final Pattern INTEGER = Pattern.compile("-?\\d+");

  /** Where a page starts: after a position, onwards or, for the page before it, backwards. */
  record Token(boolean backwards, Position position) {}

  /** Four lines in Base64; the path is the last, as ids may hold any letter. */
  String encode(Token token) {
    String way = token.backwards() ? BACKWARDS : ONWARDS;
    Position position = token.position();
    String lines = String.join("\n", query, way, text(position.value()), position.path());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(lines.getBytes(UTF_8));
  }

  /**
   * Reads a token.
   *
   * @throws UnusableTokenException if it is not a token of this query
   */
  Token decode(String token) {
    String[] lines = lines(token).split("\n", 4);
    if (lines.length < 4) {
      throw malformed(token);
    }
    if (!lines[0].equals(query)) {
      throw new UnusableTokenException(
          Reason.OTHER_QUERY, "expected one of this query; start again at the first page");
    }
    try {
      return new Token(lines[1].equals(BACKWARDS), new Position(value(lines[2]), lines[3]));
    } catch (IllegalArgumentException | DateTimeException noValue) {
      throw malformed(token);
    }
  }

  private static String lines(String token) {
    try {
      return new String(Base64.getUrlDecoder().decode(token), UTF_8);
    } catch (IllegalArgumentException noBase64) {
      throw malformed(token);
    }
  }

  /** All of it: a time with its colons, a double with a point or as Infinity, or an integer. */
  private static String text(Object value) {
    return value instanceof Timestamp time
        ? Instant.ofEpochSecond(time.getSeconds(), time.getNanos()).toString()
        : value.toString();
  }

  private static Object value(String text) {
    if (text.indexOf(':') >= 0) {
      Instant time = Instant.parse(text);
      return Timestamp.ofTimeSecondsAndNanos(time.getEpochSecond(), time.getNano());
    }
    return INTEGER.matcher(text).matches() ? (Object) Long.valueOf(text) : Double.valueOf(text);
  }

  static UnusableTokenException malformed(String token) {
    String found = token.length() <= 40 ? token : token.substring(0, 40) + "...";
    return new UnusableTokenException(
        Reason.MALFORMED, "expected one that a page gave; found '" + found + "'");
  }
}
