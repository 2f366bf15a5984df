package dev.tallyroll.timestamps;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Query;
import dev.tallyroll.timestamps.Tokens.Token;
import dev.tallyroll.timestamps.UnusableTokenException.Reason;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class TokensTest {
  private static final Tokens TOKENS = new Tokens("q1");

  private static Reason refusal(String token) {
    return catchThrowableOfType(UnusableTokenException.class, () -> TOKENS.decode(token)).reason();
  }

  @Test
  void token_survivesTheWay() {
    for (Object value :
        new Object[] {
          Timestamp.ofTimeSecondsAndNanos(-62_135_596_800L, 999_999_000),
          Timestamp.MAX_VALUE,
          Long.MIN_VALUE,
          7L,
          7.0,
          0.1,
          -0.0,
          1e300,
          Double.NEGATIVE_INFINITY
        }) {
      String path = "rooms/\u00e4\"<b>\n/instruments/\ud83d\ude00";
      Token token = new Token(value instanceof Long, new Position(value, path));

      assertThat(TOKENS.encode(token)).matches("[A-Za-z0-9_-]+");
      assertThat(TOKENS.decode(TOKENS.encode(token))).isEqualTo(token);
    }
  }

  @Test
  void tokenOfAnotherQuery_isRefused() {
    String token = new Tokens("q2").encode(new Token(true, new Position(7L, "a/b")));

    assertThat(refusal(token)).isEqualTo(Reason.OTHER_QUERY);
  }

  @Test
  void tokenWithAForeignPath_isRefused() {
    Query query = Offline.FIRESTORE.collection("prices").orderBy("timestamp").orderBy("__name__");

    for (String path : List.of("elsewhere/a", "odd", "", "a//b", "prices/a/b/c")) {
      assertThatThrownBy(() -> ShardedQuery.start(query, new Position(7L, path)))
          .as(path)
          .isInstanceOf(UnusableTokenException.class)
          .hasMessageEndingWith("found '" + path + "'");
    }
  }

  @Test
  void malformedTokens_areRefused() {
    for (String value :
        List.of(
            "+10000-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "NaN", "9223372036854775808", "")) {
      byte[] lines = ("q1\non\n" + value + "\na/b").getBytes(UTF_8);
      assertThat(refusal(Base64.getUrlEncoder().encodeToString(lines)))
          .as(value)
          .isEqualTo(Reason.MALFORMED);
    }
    for (String token : List.of("", "!", "abc", "x".repeat(100_000))) {
      assertThat(refusal(token)).as(token).isEqualTo(Reason.MALFORMED);
    }
  }

  @Test
  void damagedTokens_areRefusedOrRead_neverAnythingElse() {
    String token = TOKENS.encode(new Token(false, new Position(Timestamp.MAX_VALUE, "a/b")));
    for (int at = 0; at < token.length(); at++) {
      for (char letter = ' '; letter < 128; letter++) {
        StringBuilder damaged = new StringBuilder(token);
        damaged.setCharAt(at, letter);
        TokensFuzzTest.readOrRefuse(damaged.toString());
      }
      TokensFuzzTest.readOrRefuse(token.substring(0, at));
    }
  }
}
