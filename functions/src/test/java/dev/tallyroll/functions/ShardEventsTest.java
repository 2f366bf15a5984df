package dev.tallyroll.functions;

import static dev.tallyroll.platform.Events.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.protobuf.Timestamp;
import com.google.protobuf.WireFormat;
import dev.tallyroll.CounterPath;
import dev.tallyroll.functions.ShardEvents.ShardWrite;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.platform.Events;
import dev.tallyroll.platform.UnusableEventException;
import io.cloudevents.CloudEvent;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardEventsTest {
  private static final String SHARD = "counters/likes/shards/3";

  private static final Located LIKES = new Located(Layout.DEFAULT, CounterPath.of("likes"));

  private final ShardEvents events = new ShardEvents(Layout.DEFAULT, "(default)");

  @Test
  void protobuf_isRead() throws Exception {
    assertThat(events.decode(event(Events.write(SHARD, 60).toByteArray())))
        .isEqualTo(new ShardWrite(LIKES, Optional.of(Instant.ofEpochSecond(60, 1_000))));
  }

  private AbstractThrowableAssert<?, ?> assertDropped(CloudEvent event) {
    return assertThatThrownBy(() -> events.decode(event))
        .isInstanceOf(UnusableEventException.class);
  }

  @Test
  void groupsWithoutEnd_areDropped() {
    byte[] groups = new byte[1_000_000];
    Arrays.fill(groups, (byte) (7 << 3 | WireFormat.WIRETYPE_START_GROUP));

    assertDropped(event(groups));
  }

  @Test
  void delete_hasNoTime() throws Exception {
    DocumentEventData delete =
        DocumentEventData.newBuilder().setOldValue(Events.document(SHARD, 60)).build();

    assertThat(events.decode(event(delete.toByteArray())))
        .isEqualTo(new ShardWrite(LIKES, Optional.empty()));
  }

  @Test
  void impossibleTime_isNoTime() throws Exception {
    DocumentEventData write =
        DocumentEventData.newBuilder()
            .setValue(
                Events.document(SHARD, 60).toBuilder()
                    .setUpdateTime(Timestamp.newBuilder().setSeconds(Long.MAX_VALUE)))
            .build();

    assertThat(events.decode(event(write.toByteArray())).committed()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rollups/likes",
        "counters/likes",
        "counters/likes/other/3",
        "other/likes/shards/3",
        "rollup_runs/0",
        "counters/../shards/3"
      })
  void otherPaths_areDropped(String path) {
    assertDropped(event(Events.write(path, 60).toByteArray()))
        .hasMessageContaining("counters/{counter}/shards/{shard}")
        .hasMessageContaining(path);
  }

  /** The library refuses this counter, too: a sum of its shards names them in a request's head. */
  @Test
  void counterWithTooLongAPath_isDropped() {
    String rooms = ("rooms/" + "\u00e9".repeat(700) + "/").repeat(2);

    assertDropped(event(Events.write(rooms + SHARD, 60).toByteArray()))
        .hasMessageContaining("at most 7,000 characters when it is percent-encoded")
        .hasMessageContaining("found 'rooms/");
  }

  /** It is the counter that a request names: any client's shard of it is summed. */
  @Test
  void shardWithALongId_isItsCounters() throws Exception {
    String shard = "counters/likes" + "\u00e9".repeat(700) + "/shards/" + "\u00e9".repeat(750);

    assertThat(events.decode(event(Events.write(shard, 60).toByteArray())).counter().path().id())
        .startsWith("likes");
  }

  @Test
  void otherDatabase_isDropped() {
    CloudEvent event = event(Events.write(SHARD, 60).toByteArray());

    assertThatThrownBy(() -> new ShardEvents(Layout.DEFAULT, "second").decode(event))
        .isInstanceOf(UnusableEventException.class)
        .hasMessageContaining("database second");
  }

  @Test
  void otherType_isDropped() {
    assertDropped(
        event("google.cloud.storage.object.v1.finalized", Events.write(SHARD, 60).toByteArray()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{\"value\":{}}", "hello", "====", "AAAA"})
  void textThatIsNoEvent_isDropped(String body) {
    assertDropped(event(body.getBytes(StandardCharsets.UTF_8)));
  }
}
