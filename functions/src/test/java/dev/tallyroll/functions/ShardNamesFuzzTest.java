package dev.tallyroll.functions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import dev.tallyroll.platform.Events;
import dev.tallyroll.protocol.ShardWrite;
import java.util.List;

/** An event of any document's name is read or dropped, as in {@link ShardEventsFuzzTest}. */
class ShardNamesFuzzTest {
  @FuzzTest
  void anyName_isReadOrDropped(byte[] name) {
    String text = new String(name, UTF_8);
    Document document = Document.newBuilder().setName(Events.DOCUMENTS + text).build();

    List<ShardWrite> read =
        ShardEventsFuzzTest.readOrDrop(
                DocumentEventData.newBuilder().setOldValue(document).build().toByteArray())
            .orElse(List.of());

    read.forEach(write -> assertThat(text).startsWith(write.counter().shards() + "/"));
  }
}
