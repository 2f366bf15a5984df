package dev.tallyroll.functions;

import static dev.tallyroll.functions.Events.event;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import dev.tallyroll.CounterPath;
import dev.tallyroll.functions.ShardEvents.ShardWrite;
import dev.tallyroll.internal.Layout;
import java.util.Optional;

/**
 * Every event is read or dropped. Another exception would make the platform repeat the event for a
 * day. The build plays the stored inputs; {@code deploy/local/fuzz} looks for more.
 */
class ShardEventsFuzzTest {
  private final ShardEvents<CounterPath> events = ShardEvents.of(Layout.DEFAULT, "(default)");

  @FuzzTest
  void anyBody_isReadOrDropped(byte[] body) {
    Optional<ShardWrite<CounterPath>> read = readOrDrop(body);

    Events.plain(body).ifPresent(plain -> assertThat(read).isEqualTo(readOrDrop(plain)));
    read.ifPresent(write -> assertThat(readOrDrop(encode(write))).contains(write));
  }

  @FuzzTest
  void anyName_isReadOrDropped(byte[] name) {
    String text = new String(name, UTF_8);
    Document document = Document.newBuilder().setName(Events.DOCUMENTS + text).build();

    Optional<ShardWrite<CounterPath>> read =
        readOrDrop(DocumentEventData.newBuilder().setOldValue(document).build().toByteArray());

    read.ifPresent(
        write -> assertThat(text).startsWith(Layout.DEFAULT.shardsCollection(write.owner()) + "/"));
  }

  private Optional<ShardWrite<CounterPath>> readOrDrop(byte[] body) {
    return Events.readOrDrop(() -> events.decode(event(body)));
  }

  private static byte[] encode(ShardWrite<CounterPath> write) {
    Document.Builder document =
        Document.newBuilder()
            .setName(Events.DOCUMENTS + Layout.DEFAULT.shardsCollection(write.owner()) + "/0");
    write.committed().map(Events::timestamp).ifPresent(document::setUpdateTime);
    return DocumentEventData.newBuilder().setValue(document).build().toByteArray();
  }
}
