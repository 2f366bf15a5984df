package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class EmulatorEventTest {
  private static final byte[] DATA =
      DocumentEventData.newBuilder()
          .setValue(Document.newBuilder().setName("projects/p/databases/d/documents/c/1"))
          .build()
          .toByteArray();

  @Test
  void base64Body_isDecoded() {
    var text = Base64.getEncoder().encodeToString(DATA).getBytes(StandardCharsets.US_ASCII);

    assertThat(EmulatorEvent.decode(Map.of(), text).body()).isEqualTo(ByteString.copyFrom(DATA));
  }

  @Test
  void protobufBody_isLeftAlone() {
    assertThat(EmulatorEvent.decode(Map.of(), DATA).body()).isEqualTo(ByteString.copyFrom(DATA));
  }

  @Test
  void source_isPutRight() {
    var sent = "//firestore.googleapis.com/projects/projects/p/databases/(default)";

    var event = EmulatorEvent.decode(Map.of("Ce-source", List.of(sent)), DATA);

    assertThat(event.attribute("source"))
        .isEqualTo("//firestore.googleapis.com/projects/p/databases/(default)");
  }

  @Test
  void headersOfTheConnection_areDropped() {
    var event =
        EmulatorEvent.decode(
            Map.of(
                "Ce-id", List.of("1"),
                "Ce-datacontenttype", List.of("application/protobuf"),
                "Content-type", List.of("application/protobuf"),
                "Content-length", List.of("12"),
                "User-agent", List.of("x")),
            DATA);

    assertThat(event.headers())
        .containsOnly(Map.entry("ce-id", "1"), Map.entry("content-type", "application/protobuf"));
  }
}
