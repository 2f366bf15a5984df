package dev.tallyroll.platform;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Optional;

/**
 * Every message on the topic is read or dropped. The build plays the stored inputs; {@code mvn test
 * -Pfuzz} looks for more.
 */
class MessageFuzzTest {
  private static final int WORKERS = 3;

  @FuzzTest
  void anyBody_isReadOrDropped(byte[] body) {
    readOrDrop(body)
        .ifPresent(
            message ->
                message.worker().ifPresent(worker -> assertThat(worker).isBetween(0, WORKERS - 1)));
  }

  private static Optional<Message> readOrDrop(byte[] body) {
    return Events.readOrDrop(() -> Message.decode(Events.event(body), WORKERS));
  }
}
