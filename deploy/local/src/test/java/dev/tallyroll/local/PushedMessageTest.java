package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PushedMessageTest {
  private static final Topic TOPIC = new Topic("p", "rollup");

  @Test
  void push_becomesCloudEvent() {
    var push =
        """
        {"subscription":"projects/p/subscriptions/s",
         "message":{"messageId":"7","publishTime":"2026-01-01T00:00:00Z","attributes":{"kind":"run"}}}
        """;

    var event = PushedMessage.toEvent(bytes(push), TOPIC);

    assertThat(event.headers())
        .isEqualTo(
            Map.of(
                "ce-specversion", "1.0",
                "ce-id", "7",
                "ce-type", "google.cloud.pubsub.topic.v1.messagePublished",
                "ce-source", "//pubsub.googleapis.com/projects/p/topics/rollup",
                "ce-time", "2026-01-01T00:00:00Z",
                "content-type", "application/json"));
    assertThat(event.body().toStringUtf8()).isEqualTo(push);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "{}", "{\"message\":{}}", "{\"message\":1}", "not json"})
  void anythingElse_isRefused(String body) {
    assertThatThrownBy(() -> PushedMessage.toEvent(bytes(body), TOPIC))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a")
        .hasMessageContaining("found ");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
