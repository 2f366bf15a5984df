package dev.tallyroll.timestamps;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.cloud.Timestamp;
import dev.tallyroll.timestamps.UnusableTokenException.Reason;
import java.util.Base64;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TokensTest {
  private static final Tokens TOKENS = new Tokens("q1", "v2", Set.of("v1", "v2"));
  private static final PageToken TOKEN =
      PageToken.before(
          new Position(
              new Rise(Timestamp.ofTimeSecondsAndNanos(-62_135_596_800L, 999_999_000)),
              "rooms/\u00e4\"<b>/instruments/\ud83d\ude00"));

  private static String withRise(String rise) {
    return "{\"v\":1,\"query\":\"q1\",\"values\":\"v1\",\"rise\":\"%s\",\"path\":\"a/b\"}"
        .formatted(rise);
  }

  private static Reason reason(Tokens tokens, String token) {
    return catchThrowableOfType(UnusableTokenException.class, () -> tokens.decode(token)).reason();
  }

  @Test
  void token_survivesTheWay() {
    assertThat(TOKENS.decode(TOKENS.encode(TOKEN))).isEqualTo(TOKEN);
    assertThat(TOKENS.encode(TOKEN)).matches("[A-Za-z0-9_-]+");
  }

  @Test
  void values_keepTheirTypeOnTheWay() {
    for (Object value :
        new Object[] {Long.MIN_VALUE, 7L, 7.0, 0.1, -0.0, 1e300, Double.NEGATIVE_INFINITY}) {
      PageToken token = PageToken.after(new Position(new Rise(value), "a/b"));

      assertThat(TOKENS.decode(TOKENS.encode(token))).isEqualTo(token);
    }
  }

  @Test
  void tokenOfAnotherQuery_isRefused() {
    String token = new Tokens("q2", "v2", Set.of("v2")).encode(TOKEN);

    assertThat(reason(TOKENS, token)).isEqualTo(Reason.OTHER_QUERY);
  }

  @Test
  void tokenOfAcceptedValues_isTaken() {
    assertThat(TOKENS.decode(new Tokens("q1", "v1", Set.of("v1")).encode(TOKEN))).isEqualTo(TOKEN);
  }

  @Test
  void tokenOfOtherValues_isRefused() {
    String token = new Tokens("q1", "v3", Set.of("v3")).encode(TOKEN);

    assertThat(reason(TOKENS, token)).isEqualTo(Reason.OTHER_VALUES);
  }

  @Test
  void malformedTokens_areRefused() {
    for (String json :
        new String[] {
          "",
          "null",
          "{}",
          "[]",
          "7",
          "{\"v\":1}",
          "{\"v\":2,\"path\":\"a/b\"}",
          "{\"v\":\"x\"}",
          withRise("+10000-01-01T00:00:00Z"),
          withRise("2026-13-01T00:00:00Z"),
          withRise("NaN"),
          withRise("9223372036854775808"),
          withRise(""),
          withRise("1").replace("\"path\":\"", "\"path\":\"\\ud800")
        }) {
      String token = Base64.getUrlEncoder().encodeToString(json.getBytes(UTF_8));
      assertThat(reason(TOKENS, token)).as(json).isEqualTo(Reason.MALFORMED);
    }
    for (String token : new String[] {"!", "abc", "x".repeat(100_000)}) {
      assertThat(reason(TOKENS, token)).as(token).isEqualTo(Reason.MALFORMED);
    }
  }

  @Test
  void damagedTokens_areRefusedOrRead_neverAnythingElse() {
    long seed = System.nanoTime();
    System.out.println("TokensTest seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 5_000; i++) {
      StringBuilder token = new StringBuilder(TOKENS.encode(TOKEN));
      token.setCharAt(random.nextInt(token.length()), (char) (32 + random.nextInt(96)));
      token.setLength(random.nextInt(4) == 0 ? random.nextInt(token.length()) : token.length());
      try {
        var unused = TOKENS.decode(token.toString());
      } catch (UnusableTokenException expected) {
        assertThat(expected).hasMessageStartingWith("page token: expected ");
      }
    }
  }
}
