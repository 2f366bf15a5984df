package dev.tallyroll.timestamps;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import dev.tallyroll.timestamps.UnusableTokenException.Reason;
import java.util.Base64;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the page tokens of one query. A token is all that a page needs, so it survives a
 * restart and can be given to another process. It is neither secret nor signed: whoever changes it
 * gets another page of the same query, never another query. Immutable.
 *
 * @param query the query's fingerprint
 * @param issued the version of shard values that new tokens carry
 * @param accepted the versions that tokens may carry
 */
record Tokens(String query, String issued, Set<String> accepted) {
  /** A path has at most 6 KiB, and JSON and Base64 make it longer. */
  private static final int MAX_LENGTH = 65_536;

  private static final int FORMAT = 1;
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  /** A token's JSON. */
  private record Wire(
      int v,
      @Nullable String query,
      @Nullable String values,
      boolean back,
      @Nullable String rise,
      @Nullable String path) {}

  String encode(PageToken token) {
    Position position = token.position();
    Wire wire =
        new Wire(FORMAT, query, issued, token.backwards(), position.rise().text(), position.path());
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(GSON.toJson(wire).getBytes(UTF_8));
  }

  /**
   * Reads a token.
   *
   * @throws UnusableTokenException if it is not a token of this query
   */
  PageToken decode(String token) {
    Wire wire = wire(token);
    if (wire == null
        || wire.v != FORMAT
        || wire.rise == null
        || wire.path == null
        || !isUnicode(wire.path)) {
      throw malformed(token);
    }
    check(query.equals(wire.query), Reason.OTHER_QUERY, "expected one of this query");
    check(
        wire.values != null && accepted.contains(wire.values),
        Reason.OTHER_VALUES,
        "expected one for these shard values");
    try {
      return new PageToken(wire.back, new Position(Rise.parse(wire.rise), wire.path));
    } catch (IllegalArgumentException noValue) {
      throw malformed(token);
    }
  }

  private static @Nullable Wire wire(String token) {
    if (token.length() > MAX_LENGTH) {
      return null;
    }
    try {
      return GSON.fromJson(new String(Base64.getUrlDecoder().decode(token), UTF_8), Wire.class);
    } catch (IllegalArgumentException | JsonParseException unreadable) {
      return null;
    }
  }

  /** JSON can hold half a character, which no document's id can. */
  private static boolean isUnicode(String path) {
    return UTF_8.newEncoder().canEncode(path);
  }

  private void check(boolean valid, Reason reason, String expected) {
    if (!valid) {
      throw new UnusableTokenException(reason, expected + "; start again at the first page");
    }
  }

  static UnusableTokenException malformed(String token) {
    String found = token.length() <= 40 ? token : token.substring(0, 40) + "...";
    return new UnusableTokenException(
        Reason.MALFORMED, "expected one that a page gave; found '" + found + "'");
  }
}
