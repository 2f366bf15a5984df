package dev.tallyroll.operator;

import com.google.auth.oauth2.AccessToken;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;

/**
 * Asks a program for tokens, such as gcloud. A token is never an argument or a variable.
 *
 * @param command prints a token that is valid for five minutes at least
 */
record Tokens(List<String> command, InstantSource clock) {
  /** The library asks for the next one almost four minutes before a token's end. */
  private static final Duration USED = Duration.ofMinutes(8);

  /**
   * A new one.
   *
   * @throws IOException if the program gives none; it has said why
   */
  AccessToken next() throws IOException {
    Process program =
        new ProcessBuilder(command)
            .redirectInput(new File("/dev/null"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String token = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = program.onExit().join().exitValue();
    if (status != 0 || token.isBlank()) {
      throw new IOException(
          String.join(" ", command) + ": expected a token; found none, exit code " + status);
    }
    return new AccessToken(token.strip(), Date.from(clock.instant().plus(USED)));
  }
}
