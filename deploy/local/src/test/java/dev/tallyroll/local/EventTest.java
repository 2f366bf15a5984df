package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.protobuf.ByteString;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EventTest {
  private static final String TOPIC = "projects/p/topics/rollup";
  private static final byte[] DATA =
      DocumentEventData.newBuilder()
          .setValue(Document.newBuilder().setName("projects/p/databases/d/documents/c/1"))
          .build()
          .toByteArray();

  @Test
  void body_isDecodedIfItIsBase64() {
    var text = Base64.getEncoder().encode(DATA);

    assertThat(Event.fromFirestore(Map.of(), text).body()).isEqualTo(ByteString.copyFrom(DATA));
    assertThat(Event.fromFirestore(Map.of(), DATA).body()).isEqualTo(ByteString.copyFrom(DATA));
  }

  @Test
  void headersOfTheConnection_areDroppedAndTheSourceIsPutRight() {
    var event =
        Event.fromFirestore(
            Map.of(
                "Ce-id", List.of("1"),
                "Ce-source", List.of("//x/projects/projects/p/databases/(default)"),
                "Ce-datacontenttype", List.of("application/protobuf"),
                "Content-type", List.of("application/protobuf"),
                "Content-length", List.of("12"),
                "User-agent", List.of("x")),
            DATA);

    assertThat(event.headers())
        .isEqualTo(
            Map.of(
                "ce-id", "1",
                "ce-source", "//x/projects/p/databases/(default)",
                "content-type", "application/protobuf"));
  }

  @Test
  void controlCharacters_areEncodedOnTheWay() {
    var event = new Event(Map.of("ce-document", "a\nb\u007f"), ByteString.EMPTY);

    var request = event.request(URI.create("http://127.0.0.1:1/"));

    assertThat(request.headers().firstValue("ce-document")).contains("a%0Ab%7F");
  }

  @Test
  void push_becomesCloudEvent() {
    var push =
        """
        {"subscription":"projects/p/subscriptions/s",
         "message":{"messageId":"7","publishTime":"2026-01-01T00:00:00Z","attributes":{"kind":"run"}}}
        """;

    var event = Event.fromPubSub(bytes(push), TOPIC);

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
  void whatIsNoPush_isRefused(String body) {
    assertThatThrownBy(() -> Event.fromPubSub(bytes(body), TOPIC))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a")
        .hasMessageContaining("found ");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
