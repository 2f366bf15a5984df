package dev.tallyroll.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TokensTest {
  private static Tokens printing(String script) {
    return new Tokens(
        List.of("/bin/sh", "-c", script),
        InstantSource.fixed(Instant.parse("2026-11-27T10:00:00Z")));
  }

  @Test
  void token_isThatOfTheProgram_andIsUsedForSomeMinutes() throws Exception {
    var token = printing("echo secret").next();

    assertThat(token.getTokenValue()).isEqualTo("secret");
    assertThat(token.getExpirationTime()).isEqualTo("2026-11-27T10:08:00Z");
  }

  @Test
  void programWithoutToken_isTold() {
    assertThatThrownBy(printing("echo half; exit 3")::next)
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith("expected a token; found none, exit code 3");
    assertThatThrownBy(printing(":")::next).isInstanceOf(IOException.class);
  }
}
