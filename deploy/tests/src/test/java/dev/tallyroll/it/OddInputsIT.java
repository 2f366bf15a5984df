package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Blob;
import com.google.protobuf.ByteString;
import dev.tallyroll.CounterPath;
import dev.tallyroll.local.DirectEvents;
import dev.tallyroll.local.Event;
import dev.tallyroll.local.FunctionServer;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Shards that no client of ours writes, odd names, and calls that Eventarc would not send. The
 * total is Firestore's sum of the shards, or stays as it was, and the counter goes on.
 */
@On(Site.SHARED)
@Tag("core")
final class OddInputsIT {
  private static final long PAST_DOUBLES = (1L << 53) + 1;
  private static final int NEARLY_A_MEBIBYTE = 1_040_000;
  private static final int LONGEST_ID = 1_500;

  /** Counters and shards are the 99th and the 100th collection. */
  private static final int DEEPEST = 98;

  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;

  private final TestCloud cloud;
  private final TestCounter counter;
  private final FunctionServer function;

  OddInputsIT(TestCloud cloud) {
    this.cloud = cloud;
    this.counter = cloud.counter();
    this.function = cloud.local().onShardWritten();
  }

  @Test
  void oddShards_countAsFirestoreSumsThem() throws Exception {
    var large = Blob.fromBytes(new byte[NEARLY_A_MEBIBYTE]);
    counter.increment(0, 5);
    counter.write("no count", Map.of("other", 7));
    counter.write("null", Collections.singletonMap("count", null));
    counter.put(1, "7");
    counter.write("boolean", Map.of("count", true));
    counter.write("list", Map.of("count", List.of(7)));
    counter.write("map", Map.of("count", Map.of("count", 7)));
    counter.write("large", Map.of("count", 2, "more", large));
    counter.shard(0).collection("shards").document("1").set(Map.of("count", 100)).get();
    counter.shard(0).collection("more").document("1").set(Map.of("count", 100)).get();
    assertThat(counter.awaitSettled(7L).shards()).as("those with a number").isEqualTo(2);

    counter.increment(1, 1); // Firestore's increment replaces a value that is no number.
    counter.awaitTotal(8L);
    counter.put(2, -0.0);
    counter.awaitTotal(8.0);
    counter.put(2, 1.0);
    counter.awaitTotal(9.0);
    counter.put(2, 0.5);
    counter.awaitSettled(8.5);
    assertThat(cloud.errorsAbout(counter)).isEmpty();
  }

  @Test
  void fullShard_swallowsIncrementsAndGivesBackDecrements() throws Exception {
    counter.put(0, Long.MAX_VALUE);
    counter.awaitSettled(Long.MAX_VALUE);

    counter.increment(0, 1);
    counter.increment(0, -1);

    counter.awaitSettled(Long.MAX_VALUE - 1);
  }

  @Test
  void integersPastDoubles_areExactUntilADoubleComes() throws Exception {
    counter.put(0, PAST_DOUBLES);
    counter.awaitSettled(PAST_DOUBLES);

    counter.put(1, 0.0);

    var rounded =
        await("a double")
            .until(
                () -> counter.fields().get("count"),
                count -> count instanceof Double && !count.equals(0.0));
    assertThat(requireNonNull((Double) rounded)).isBetween(0x1p53, 0x1p53 + 2);
  }

  @Test
  void anyShardId_counts() throws Exception {
    var ids =
        List.of("00", "-1", "+1", " 1", "1e3", "x".repeat(1_500), "\ud83d\ude00", "\n", "%2F");
    for (var id : ids) {
      counter.write(id, Map.of("count", 1));
    }

    assertThat(counter.awaitSettled((long) ids.size()).shards()).isEqualTo(ids.size());
  }

  static Object[] valuesThatSpoilTheSum() {
    return new Object[] {
      Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, Long.MAX_VALUE, -1e300
    };
  }

  @ParameterizedTest
  @MethodSource("valuesThatSpoilTheSum")
  void unusableSum_leavesLastGoodTotalUntilMended(Object bad) throws Exception {
    counter.increment(0, 5);
    var good = counter.awaitSettled(5L);

    counter.put(1, bad);

    await("a report").until(() -> !cloud.errorsAbout(counter).isEmpty());
    assertThat(counter.shown()).contains(good);
    counter.put(1, 2);
    counter.awaitTotal(7L);
  }

  @Test
  void everyName_isACounterOfItsOwn() throws Exception {
    var unique = UUID.randomUUID().toString();
    var room = "rooms/" + unique;
    var paths =
        new ArrayList<>(
            List.of(
                new CounterPath(room, "b_c"),
                new CounterPath(room + "_b", "c"),
                new CounterPath(room + "%2Fb", "c"),
                new CounterPath(room + "/tables/t1/seats/s1", "c"),
                new CounterPath("d/x/".repeat(DEEPEST - 1) + "d/" + unique, "c"),
                new CounterPath("counters/" + unique, "c"),
                CounterPath.of(unique + "x".repeat(LONGEST_ID - unique.length()))));
    // No id has a line break, because the emulator sends no event for it.
    for (var kind :
        List.of(
            "k",
            "K",
            " k",
            "\u212a",
            "\u00e9",
            "e\u0301",
            "%2Fb",
            "a%2Fb",
            "100%",
            "größe €",
            "😀",
            "a.b",
            "\"quoted\"",
            "tab\t",
            "nul\0")) {
      paths.add(CounterPath.of(unique + kind));
    }
    for (int i = 0; i < paths.size(); i++) {
      cloud.counter(paths.get(i)).increment(0, i + 1);
    }

    for (int i = 0; i < paths.size(); i++) {
      cloud.counter(paths.get(i)).awaitSettled(i + 1L);
    }
    assertThat(cloud.counter(CounterPath.of(unique)).shown())
        .as("has a counter below it")
        .isEmpty();
  }

  @Test
  void eventInStructuredMode_isHandled() throws Exception {
    counter.increment(0, 5);
    counter.awaitSettled(5L);
    counter.rollup().delete().get();

    assertThat(DirectEvents.send(structured(body()), function)).isEqualTo(OK);

    counter.awaitSettled(5L);
  }

  @Test
  void callsThatAreNoEvents_areRefusedAndTheFunctionGoesOn() throws Exception {
    var good = DirectEvents.shardEvent(body());
    var bare = new Event(Map.of("content-type", "application/protobuf"), good.body());

    assertThat(DirectEvents.send(bare, function)).isGreaterThanOrEqualTo(BAD_REQUEST);
    assertThat(isRefused(good.with("ce-subject", "x".repeat(100_000)))).isTrue();

    counter.increment(0, 1);
    counter.awaitSettled(1L);
  }

  /**
   * The server answers before it has read all of such a head, and closes: the answer may be lost.
   */
  private boolean isRefused(Event event) throws Exception {
    try {
      return DirectEvents.send(event, function) >= BAD_REQUEST;
    } catch (IOException closed) {
      return true;
    }
  }

  private ByteString body() {
    return DirectEvents.document("(default)", counter.shard(0).getPath(), Instant.now());
  }

  /** The event as one JSON object, which CloudEvents allow but Eventarc does not send. */
  private static Event structured(ByteString body) {
    var json =
        """
        {"specversion": "1.0", "id": "%s", "source": "//tallyroll.test/structured",
         "type": "google.cloud.firestore.document.v1.written",
         "datacontenttype": "application/protobuf", "data_base64": "%s"}"""
            .formatted(UUID.randomUUID(), Base64.getEncoder().encodeToString(body.toByteArray()));
    return new Event(
        Map.of("content-type", "application/cloudevents+json"), ByteString.copyFromUtf8(json));
  }
}
