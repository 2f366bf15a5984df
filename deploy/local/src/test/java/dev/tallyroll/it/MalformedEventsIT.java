package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;

import com.google.protobuf.ByteString;
import dev.tallyroll.local.Event;
import dev.tallyroll.local.FunctionServer;
import dev.tallyroll.local.Operations;
import dev.tallyroll.local.TestEvents;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;

/** Events and messages that no retry can make usable: dropped, reported once, nothing written. */
@On(Site.LONE)
final class MalformedEventsIT {
  private static final int OK = 200;
  private static final String SHARD = "counters/c/shards/0";

  private static final Operations ONE_READ = new Operations(1, 0, 0, 0);
  private static final Operations ONE_READ_AND_SUM = new Operations(1, 1, 0, 0);

  private final Lab lab;

  MalformedEventsIT(Lab lab) {
    this.lab = lab;
  }

  private static List<Named<Event>> malformedEvents() {
    var good = TestEvents.document("(default)", SHARD, Instant.now());
    return List.of(
        named("no body", TestEvents.shardEvent(ByteString.EMPTY)),
        named("random bytes", TestEvents.shardEvent(randomBytes())),
        named("truncated protobuf", TestEvents.shardEvent(good.substring(0, good.size() - 3))),
        named("text", TestEvents.shardEvent(ByteString.copyFromUtf8("hello, world"))),
        named(
            "neither before nor after",
            TestEvents.shardEvent(ByteString.copyFrom(new byte[] {26, 0}))),
        named(
            "no shard",
            TestEvents.shardEvent(TestEvents.document("(default)", "users/u1", Instant.now()))),
        named("no name", TestEvents.shardEvent(TestEvents.document("", "", Instant.now()))),
        named(
            "other database",
            TestEvents.shardEvent(TestEvents.document("other", SHARD, Instant.now()))),
        named("other type", TestEvents.shardEvent(good).with("ce-type", "com.example.unknown")));
  }

  private static List<Named<Event>> malformedMessages() {
    return List.of(
        named("no body", TestEvents.message("")),
        named("no JSON", TestEvents.message("{\"message\":")),
        named("an array", TestEvents.message("[1, 2]")),
        named("no message", TestEvents.message("{\"subscription\":\"s\"}")),
        named("no attributes", TestEvents.message("{\"message\":{\"data\":\"cnVu\"}}")),
        named("unknown kind", message("{\"kind\":\"dance\"}")),
        named("attribute of another type", message("{\"kind\":[\"run\"]}")),
        named("worker below 0", message("{\"kind\":\"run\",\"worker\":\"-1\"}")),
        named("worker that is none", message("{\"kind\":\"wake\",\"worker\":\"1\"}")),
        named("worker in words", message("{\"kind\":\"run\",\"worker\":\"first\"}")));
  }

  @Test
  void malformedEvents_areReportedOnceAndWriteNothing() throws Exception {
    var function = lab.cloud().onShardWritten();
    lab.settleAll();
    postUneventful(function);
    var before = function.operations();

    for (var event : malformedEvents()) {
      assertIsDroppedWithReport(function, event);
    }

    postUneventful(function);
    assertNothingWritten(function.operations().minus(before));
  }

  @Test
  void malformedMessages_areReportedOnceAndWriteNothing() throws Exception {
    var function = lab.cloud().rollUp();
    lab.settleAll();
    lab.awaitLogged(function, lab.cloud()::tick, ONE_READ);
    var before = function.operations();

    for (var message : malformedMessages()) {
      assertIsDroppedWithReport(function, message);
    }

    lab.awaitLogged(function, lab.cloud()::tick, ONE_READ);
    assertNothingWritten(function.operations().minus(before));
  }

  @Test
  void unknownMessage_isAcknowledged() throws Exception {
    long failed = lab.cloud().failedMessages();

    var id = lab.cloud().publish(Map.of("kind", "dance"));

    await("a report").until(() -> !errors(lab.cloud().rollUp(), id).isEmpty());
    await("an answer").until(() -> lab.cloud().runsUnderway() == 0);
    assertThat(lab.cloud().failedMessages()).isEqualTo(failed);
  }

  /** An event about a counter that is not there costs a read and a sum, and shows in the count. */
  private void postUneventful(FunctionServer function) throws Exception {
    var body = TestEvents.document("(default)", SHARD, Instant.now());
    lab.awaitLogged(
        function,
        () -> assertThat(TestEvents.send(TestEvents.shardEvent(body), function)).isEqualTo(OK),
        ONE_READ_AND_SUM);
  }

  private static void assertNothingWritten(Operations done) {
    assertThat(done).isEqualTo(new Operations(done.reads(), done.sums(), 0, 0));
  }

  private static void assertIsDroppedWithReport(FunctionServer function, Named<Event> event)
      throws Exception {
    int status = TestEvents.send(event.getPayload(), function);

    assertThat(status).as(event.getName()).isEqualTo(OK);
    var id = event.getPayload().attribute("id");
    await("a report of " + event.getName()).until(() -> !errors(function, id).isEmpty());
    assertThat(errors(function, id)).as(event.getName()).hasSize(1);
  }

  private static ByteString randomBytes() {
    var bytes = new byte[200];
    new Random(42).nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }

  private static Event message(String attributes) {
    return TestEvents.message("{\"message\":{\"attributes\":" + attributes + "}}");
  }

  private static List<?> errors(FunctionServer function, String eventId) {
    return Lab.errors(function, "event_id", eventId);
  }
}
