package dev.tallyroll.timestamps;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.cloud.firestore.Query;
import dev.tallyroll.timestamps.Tokens.Token;
import java.util.Base64;

/**
 * A page token comes from outside. Any text, and any bytes in Base64, give a page of the query or
 * are refused as the Javadoc says. The build plays the stored inputs; {@code mvn test -Pfuzz} looks
 * for more.
 */
class TokensFuzzTest {
  private static final Tokens TOKENS = new Tokens("q1");

  private static final Query QUERY =
      Offline.FIRESTORE.collectionGroup("instruments").orderBy("time").orderBy("__name__");

  @FuzzTest
  void anyText_isReadOrRefused(byte[] text) {
    readOrRefuse(new String(text, UTF_8));
    readOrRefuse(Base64.getUrlEncoder().encodeToString(text));
  }

  static void readOrRefuse(String text) {
    try {
      Token token = TOKENS.decode(text);
      assertThat(TOKENS.decode(TOKENS.encode(token))).isEqualTo(token);
      assertThat(ShardedQuery.start(QUERY, token.position())).isNotEqualTo(QUERY);
    } catch (UnusableTokenException refused) {
      assertThat(refused.getMessage()).startsWith("page token: expected ").hasSizeLessThan(300);
    }
  }
}
