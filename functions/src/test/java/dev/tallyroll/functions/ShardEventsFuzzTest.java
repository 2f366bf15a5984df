package dev.tallyroll.functions;

import static dev.tallyroll.platform.Events.event;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import dev.tallyroll.platform.Events;
import dev.tallyroll.protocol.ShardWrite;
import java.util.List;
import java.util.Optional;

/**
 * Every event is read or dropped. Another exception would make the platform repeat the event for a
 * day. The build plays the stored inputs; {@code mvn test -Pfuzz} looks for more.
 */
class ShardEventsFuzzTest {
  private static final ShardEvents EVENTS = EventReaders.of(ShardEventsTest.COUNTERS);

  @FuzzTest
  void anyBody_isReadOrDropped(byte[] body) {
    Optional<List<ShardWrite>> read = readOrDrop(body);
    Optional<ShardWrite> change = read.flatMap(writes -> writes.stream().findFirst());

    Events.plain(body)
        .map(ShardEventsFuzzTest::readOrDrop)
        .ifPresent(
            plain -> {
              assertThat(plain.isPresent()).isEqualTo(read.isPresent());
              change.ifPresent(write -> assertThat(plain.get()).contains(write));
            });
    change
        .filter(write -> write.delete().isEmpty())
        .ifPresent(write -> assertThat(readOrDrop(encode(write)).get()).contains(write));
  }

  static Optional<List<ShardWrite>> readOrDrop(byte[] body) {
    return Events.readOrDrop(() -> EVENTS.decode(event(body)));
  }

  private static byte[] encode(ShardWrite write) {
    Document.Builder document =
        Document.newBuilder()
            .setName(Events.DOCUMENTS + write.counter().shards() + "/" + write.shard());
    write.committed().map(Events::timestamp).ifPresent(document::setUpdateTime);
    return DocumentEventData.newBuilder().setValue(document).build().toByteArray();
  }
}
