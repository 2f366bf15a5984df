package dev.tallyroll.functions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.gson.JsonObject;
import dev.tallyroll.internal.Layout;
import java.util.Optional;

/**
 * Every message on the topic is read or dropped. The build plays the stored inputs; {@code
 * deploy/local/fuzz} looks for more.
 */
class MessageFuzzTest {
  private static final int WORKERS = 3;

  @FuzzTest
  void anyBody_isReadOrDropped(byte[] body) {
    readOrDrop(body)
        .ifPresent(
            message -> {
              assertThat(readOrDrop(encode(message)).map(Message::attributes))
                  .contains(message.attributes());
              message.worker().ifPresent(worker -> assertThat(worker).isBetween(0, WORKERS - 1));
            });
  }

  private static Optional<Message> readOrDrop(byte[] body) {
    return Events.readOrDrop(() -> Message.decode(Events.event(body), WORKERS, Layout.DEFAULT));
  }

  private static byte[] encode(Message message) {
    JsonObject attributes = new JsonObject();
    message.attributes().forEach(attributes::addProperty);
    JsonObject content = new JsonObject();
    content.add("attributes", attributes);
    JsonObject body = new JsonObject();
    body.add("message", content);
    return body.toString().getBytes(UTF_8);
  }
}
