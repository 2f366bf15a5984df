package dev.tallyroll.functions;

import static dev.tallyroll.platform.Events.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.events.cloud.firestore.v1.DocumentMask;
import com.google.events.cloud.firestore.v1.MapValue;
import com.google.events.cloud.firestore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.WireFormat;
import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.platform.Events;
import dev.tallyroll.platform.UnusableEventException;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.ShardWrite;
import dev.tallyroll.runs.Timing;
import io.cloudevents.CloudEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardEventsTest {
  private static final String SHARD = "counters/likes/shards/3";

  static final Entry COUNTERS = entry("counters", Layout.DEFAULT);
  private static final CounterId LIKES = COUNTERS.counter(CounterPath.of("likes"));

  private final ShardEvents events = EventReaders.of(COUNTERS);

  private static Entry entry(String name, Layout layout) {
    Timing timing =
        new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(1), 15);
    return new Entry(name, layout, Map.of(), SumMode.AGGREGATE, /* hasEvents= */ true, timing);
  }

  @Test
  void protobuf_isRead() throws Exception {
    assertThat(events.decode(event(Events.write(SHARD, 60).toByteArray())))
        .contains(
            new ShardWrite(
                LIKES, "3", Optional.of(Instant.ofEpochSecond(60, 1_000)), Optional.empty()));
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
  void delete_hasOnlyTheTimeOfItsEvent() throws Exception {
    DocumentEventData delete =
        DocumentEventData.newBuilder().setOldValue(Events.document(SHARD, 60)).build();

    assertThat(events.decode(event(delete.toByteArray())))
        .contains(
            new ShardWrite(
                LIKES,
                "3",
                Optional.empty(),
                Optional.of(new ShardWrite.Delete("1", Instant.parse("2026-11-26T12:00:00Z")))));
  }

  @Test
  void impossibleTime_isNoTime() throws Exception {
    DocumentEventData write =
        DocumentEventData.newBuilder()
            .setValue(
                Events.document(SHARD, 60).toBuilder()
                    .setUpdateTime(Timestamp.newBuilder().setSeconds(Long.MAX_VALUE)))
            .build();

    assertThat(events.decode(event(write.toByteArray())).get(0).committed()).isEmpty();
  }

  private static Document rating(Value value) {
    return Events.document("posts/p/ratings/eve", 60).toBuilder()
        .putFields("text", Value.newBuilder().setStringValue("x".repeat(500_000)).build())
        .putFields(
            "review",
            Value.newBuilder().setMapValue(MapValue.newBuilder().putFields("stars", value)).build())
        .build();
  }

  private static Value stars(long number) {
    return Value.newBuilder().setIntegerValue(number).build();
  }

  private static boolean isDropped(
      String countField, Document before, Document after, String... mask) throws Exception {
    DocumentEventData.Builder data =
        DocumentEventData.newBuilder().setOldValue(before).setValue(after);
    if (mask.length > 0) {
      data.setUpdateMask(DocumentMask.newBuilder().addAllFieldPaths(List.of(mask)));
    }
    Layout ratings = new Layout("posts/{post}/ratings", "r", countField);
    return EventReaders.of(entry("ratings", ratings))
        .decode(event(data.build().toByteArray()))
        .isEmpty();
  }

  /** One counts documents, one sums their stars, and one is polled. */
  @Test
  void entriesOverTheSameDocuments_haveAWriteEach() throws Exception {
    Entry number = entry("number", new Layout("posts/{post}/ratings", "number_rollups", ""));
    Entry stars = entry("stars", new Layout("posts/{post}/ratings", "r", "review.stars"));
    Entry polled =
        new Entry("polled", stars.layout(), Map.of(), SumMode.AGGREGATE, false, stars.timing());
    ShardEvents events = EventReaders.of(number, stars, polled, COUNTERS);
    Document five = rating(stars(5));

    assertThat(entriesOf(events, DocumentEventData.newBuilder().setValue(five)))
        .containsExactly("number", "stars");
    assertThat(
            entriesOf(
                events,
                DocumentEventData.newBuilder().setOldValue(rating(stars(4))).setValue(five)))
        .containsExactly("stars");
    assertThat(entriesOf(events, DocumentEventData.newBuilder().setOldValue(five).setValue(five)))
        .isEmpty();
  }

  private static List<String> entriesOf(ShardEvents events, DocumentEventData.Builder data)
      throws Exception {
    return events.decode(event(data.build().toByteArray())).stream()
        .map(write -> write.counter().entry().name())
        .toList();
  }

  /** The text of a rating is edited: nothing is summed. */
  @Test
  void updateThatChangesNothingThatIsCounted_isDropped() throws Exception {
    Document four = rating(stars(4));
    Document edited =
        four.toBuilder()
            .putFields("text", Value.newBuilder().setStringValue("better").build())
            .build();

    assertThat(isDropped("review.stars", four, edited)).isTrue();
    assertThat(isDropped("review.stars", four, edited, "text", "review.text", "`a.b`")).isTrue();
    assertThat(isDropped("review.stars", four, rating(stars(5)))).isFalse();
    assertThat(isDropped("review.stars", four, rating(stars(5)), "text")).isFalse();
    assertThat(isDropped("review", four, rating(stars(5)))).isFalse();
    assertThat(isDropped("missing", four, rating(stars(5)))).isTrue();
    assertThat(isDropped("text.stars", four, rating(stars(5)))).isTrue();
    assertThat(isDropped("", four, rating(stars(5)))).isTrue();
  }

  /** The number may have been written by an increment, whose result is the same. */
  @ParameterizedTest
  @ValueSource(
      strings = {"review.stars", "review", "review.stars.x", "`review`.`stars`", "`review", "re`"})
  void maskThatNamesTheFieldOrCannotBeRead_dropsNothing(String path) throws Exception {
    assertThat(isDropped("review.stars", rating(stars(4)), rating(stars(4)), "text", path))
        .isFalse();
  }

  @Test
  void fieldThatComesOrGoes_isAChange() throws Exception {
    Document without = rating(stars(4)).toBuilder().removeFields("review").build();

    assertThat(isDropped("review.stars", without, rating(stars(0)))).isFalse();
    assertThat(isDropped("review.stars", rating(stars(0)), without)).isFalse();
    assertThat(isDropped("review.stars", without, without)).isTrue();
  }

  /** A map's key may stand twice in protobuf: the last one counts. */
  @Test
  void fieldThatStandsTwice_isTheLast() throws Exception {
    byte[] twice =
        ByteString.copyFrom(rating(stars(4)).toByteArray())
            .concat(rating(stars(5)).toByteString())
            .toByteArray();
    byte[] one = rating(stars(4)).toByteArray();
    ByteString data =
        DocumentEventData.newBuilder().setOldValue(Document.parseFrom(one)).build().toByteString();
    ByteString value =
        UnknownFieldSet.newBuilder()
            .addField(
                1,
                UnknownFieldSet.Field.newBuilder()
                    .addLengthDelimited(ByteString.copyFrom(twice))
                    .build())
            .build()
            .toByteString();
    Layout ratings = new Layout("posts/{post}/ratings", "r", "review.stars");

    assertThat(
            EventReaders.of(entry("ratings", ratings))
                .decode(event(data.concat(value).toByteArray())))
        .isNotEmpty();
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

  /** In a database that was Datastore's, documents have numbers for ids. */
  @ParameterizedTest
  @ValueSource(strings = {"counters/__id7__/shards/3", "counters/likes/shards/__id-7__"})
  void numericId_isAnId(String path) throws Exception {
    assertThat(events.decode(event(Events.write(path, 60).toByteArray()))).isNotEmpty();
  }

  @Test
  void otherReservedId_isNamedAsTheCause() {
    assertDropped(event(Events.write("counters/__x__/shards/3", 60).toByteArray()))
        .hasMessageContaining("with ids that Firestore takes")
        .hasMessageNotContaining("7,000");
  }

  /** The library refuses this counter, too: a sum of its shards names them in a request's head. */
  @Test
  void counterWithTooLongAPath_isDropped() {
    String rooms = ("rooms/" + "\u00e9".repeat(700) + "/").repeat(2);

    assertDropped(event(Events.write(rooms + SHARD, 60).toByteArray()))
        .hasMessageContaining("at most 7,000 characters when it is percent-encoded")
        .hasMessageContaining("found 'rooms/");
  }

  /** The id may be as long as a request's: any client's shard is summed. */
  @Test
  void shardWithALongId_isItsCounters() throws Exception {
    String shard = "counters/likes" + "\u00e9".repeat(700) + "/shards/" + "\u00e9".repeat(750);

    assertThat(
            events
                .decode(event(Events.write(shard, 60).toByteArray()))
                .get(0)
                .counter()
                .path()
                .id())
        .startsWith("likes");
  }

  @Test
  void otherDatabase_isDropped() {
    CloudEvent event = event(Events.write(SHARD, 60).toByteArray());

    assertThatThrownBy(
            () ->
                new ShardEvents(
                        List.of(COUNTERS), "second", EventReaders.UNHEARD, InstantSource.system())
                    .decode(event))
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
