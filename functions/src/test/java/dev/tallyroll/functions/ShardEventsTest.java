package dev.tallyroll.functions;

import static dev.tallyroll.functions.Events.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import com.google.protobuf.WireFormat;
import dev.tallyroll.CounterPath;
import dev.tallyroll.functions.ShardEvents.ShardWrite;
import dev.tallyroll.internal.Layout;
import io.cloudevents.CloudEvent;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardEventsTest {
  private static final String SHARD = "counters/likes/shards/3";

  private final ShardEvents<CounterPath> events = ShardEvents.of(Layout.DEFAULT, "(default)");

  @Test
  void protobuf_isRead() throws Exception {
    assertThat(events.decode(event(Events.write(SHARD, 60).toByteArray())))
        .isEqualTo(
            new ShardWrite<>(
                CounterPath.of("likes"), Optional.of(Instant.ofEpochSecond(60, 1_000))));
  }

  /** Fields may come twice, in parts, in any order, unknown, of the wrong kind or cut off. */
  @Test
  void anyEncoding_isReadAsTheSchemaSays() throws Exception {
    int accepted = 0;
    for (int seed = 0; seed < 20_000; seed++) {
      byte[] body = new RandomEvent(seed).body();
      Optional<byte[]> plain = Events.plain(body);
      if (plain.isPresent()) {
        accepted++;
        assertThat(decoded(body)).as("seed " + seed).isEqualTo(decoded(plain.get()));
      }
    }
    assertThat(accepted).isGreaterThan(10_000);
  }

  private Optional<ShardWrite<CounterPath>> decoded(byte[] body) {
    return Events.readOrDrop(() -> events.decode(event(body)));
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
        .isEqualTo(new ShardWrite<>(CounterPath.of("likes"), Optional.empty()));
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

  @Test
  void otherDatabase_isDropped() {
    CloudEvent event = event(Events.write(SHARD, 60).toByteArray());

    assertThatThrownBy(() -> ShardEvents.of(Layout.DEFAULT, "second").decode(event))
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

  /** A document event in any encoding that its schema allows, and in some that it forbids. */
  private static final class RandomEvent {
    private static final String[] NAMES = {
      "counters/likes/shards/3",
      "counters/other/shards/0",
      "rooms/r/counters/c/shards/1",
      "rollups/x"
    };

    private final Random random;

    RandomEvent(long seed) {
      this.random = new Random(seed);
    }

    byte[] body() {
      ByteString body = some(3, () -> message(1 + random.nextInt(3), some(6, this::documentField)));
      boolean whole = random.nextInt(10) > 0 || body.isEmpty();
      return (whole ? body : body.substring(0, random.nextInt(body.size()))).toByteArray();
    }

    private ByteString documentField() {
      return switch (random.nextInt(5)) {
        case 0, 1 -> message(1, ByteString.copyFromUtf8(name()));
        case 2 -> message(2, message(1, ByteString.copyFromUtf8("field")));
        default -> message(3 + random.nextInt(2), some(2, this::timePart));
      };
    }

    private String name() {
      return random.nextInt(20) == 0 ? "" : Events.DOCUMENTS + NAMES[random.nextInt(NAMES.length)];
    }

    private ByteString timePart() {
      return random.nextBoolean()
          ? number(1, random.nextInt(20) == 0 ? Long.MAX_VALUE : random.nextInt())
          : number(2, random.nextInt(1_100_000_000));
    }

    /** Up to {@code most} parts, sometimes with a wrong one among them. */
    private ByteString some(int most, Supplier<ByteString> part) {
      ByteString all = ByteString.EMPTY;
      for (int count = random.nextInt(most + 1); count >= 0; count--) {
        all = all.concat(random.nextInt(8) == 0 ? stray() : part.get());
      }
      return all;
    }

    private ByteString stray() {
      int field = 1 + random.nextInt(random.nextBoolean() ? 5 : 100);
      return switch (random.nextInt(5)) {
        case 0 -> number(field, random.nextLong());
        case 1 -> encoded(field, Field.newBuilder().addFixed64(random.nextLong()));
        case 2 -> encoded(field, Field.newBuilder().addFixed32(random.nextInt()));
        case 3 -> encoded(field, Field.newBuilder().addGroup(UnknownFieldSet.getDefaultInstance()));
        default -> message(field, ByteString.copyFromUtf8("stray"));
      };
    }

    private static ByteString number(int field, long value) {
      return encoded(field, Field.newBuilder().addVarint(value));
    }

    private static ByteString message(int field, ByteString content) {
      return encoded(field, Field.newBuilder().addLengthDelimited(content));
    }

    private static ByteString encoded(int field, Field.Builder value) {
      return UnknownFieldSet.newBuilder().addField(field, value.build()).build().toByteString();
    }
  }
}
