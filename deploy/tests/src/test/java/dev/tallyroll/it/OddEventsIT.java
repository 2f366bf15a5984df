package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import dev.tallyroll.CounterPath;
import dev.tallyroll.local.DirectEvents;
import dev.tallyroll.local.Event;
import dev.tallyroll.local.FunctionServer;
import dev.tallyroll.local.Operations;
import java.io.IOException;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Calls, events and messages that neither Firestore nor the schedule would send. */
@On(Site.LONE)
@Order(1) // Tests on this site wait for each other.
final class OddEventsIT {
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final String SHARD = "counters/c/shards/0";

  /** 2.4 KB, and 7.1 KB in a request's head, more than the emulator takes with the rest of it. */
  private static final String LONG = ("\u6570".repeat(395) + "/x/").repeat(2) + SHARD;

  private static final Operations ONE_READ = new Operations(1, 0, 0, 0);
  private static final Operations ONE_READ_AND_SUM = new Operations(1, 1, 0, 0);

  private final TestCloud cloud;
  private final FunctionServer function;
  private final Counter counter;

  OddEventsIT(TestCloud cloud) {
    this.cloud = cloud;
    this.function = cloud.local().onShardWritten();
    this.counter = cloud.counter();
  }

  @BeforeEach
  void startFromRest() throws Exception {
    cloud.settleAll();
  }

  @Test
  void malformedEvents_areReportedOnceAndWriteNothing() throws Exception {
    var good = bodyAbout("(default)", SHARD);
    var random = new byte[200];
    new Random(42).nextBytes(random);
    var neitherBeforeNorAfter = ByteString.copyFrom(new byte[] {26, 0});
    var events =
        Map.of(
            "no body", DirectEvents.shardEvent(ByteString.EMPTY),
            "random bytes", DirectEvents.shardEvent(ByteString.copyFrom(random)),
            "truncated protobuf", DirectEvents.shardEvent(good.substring(0, good.size() - 3)),
            "text", DirectEvents.shardEvent(ByteString.copyFromUtf8("hello, world")),
            "neither before nor after", DirectEvents.shardEvent(neitherBeforeNorAfter),
            "no shard", DirectEvents.shardEvent(bodyAbout("(default)", "users/u1")),
            "no name", DirectEvents.shardEvent(bodyAbout("", "")),
            "path too long", DirectEvents.shardEvent(bodyAbout("(default)", LONG)),
            "other database", DirectEvents.shardEvent(bodyAbout("other", SHARD)),
            "other type", DirectEvents.shardEvent(good).with("ce-type", "com.example.unknown"));

    // An event about a missing counter costs a read and a sum, so the count shows it.
    var usable = DirectEvents.shardEvent(good);
    assertDroppedWithReports(
        events, function, () -> DirectEvents.send(usable, function), ONE_READ_AND_SUM);
  }

  @Test
  void malformedMessages_areReportedOnceAndWriteNothing() throws Exception {
    var messages =
        Map.of(
            "no body", DirectEvents.message(""),
            "no JSON", DirectEvents.message("{\"message\":"),
            "an array", DirectEvents.message("[1, 2]"),
            "no message", DirectEvents.message("{\"subscription\":\"s\"}"),
            "no attributes", DirectEvents.message("{\"message\":{\"data\":\"cnVu\"}}"),
            "unknown kind", message("{\"kind\":\"dance\"}"),
            "attribute of another type", message("{\"kind\":[\"run\"]}"),
            "worker below 0", message("{\"kind\":\"run\",\"worker\":\"-1\"}"),
            "entry of no list", message("{\"kind\":\"wake\",\"entry\":\"likes\"}"),
            "worker in words", message("{\"kind\":\"run\",\"worker\":\"first\"}"));

    assertDroppedWithReports(messages, cloud.local().rollUp(), cloud.local()::tick, ONE_READ);
  }

  private static Event message(String attributes) {
    return DirectEvents.message("{\"message\":{\"attributes\":" + attributes + "}}");
  }

  /** Sends a usable event before and after them, to show that operations are counted. */
  private void assertDroppedWithReports(
      Map<String, Event> malformed, FunctionServer function, Callable<?> usable, Operations least)
      throws Exception {
    cloud.awaitDone(function, usable, least);
    var before = function.operations();

    for (var event : malformed.entrySet()) {
      var name = event.getKey();
      assertThat(DirectEvents.send(event.getValue(), function)).as(name).isEqualTo(OK);
      var id = event.getValue().attribute("id");
      var reports =
          await("a report of " + name)
              .until(() -> TestCloud.errors(function, "event_id", id), found -> !found.isEmpty());
      assertThat(reports).as(name).hasSize(1);
    }

    cloud.awaitDone(function, usable, least);
    var done = function.operations().minus(before);
    assertThat(done).isEqualTo(new Operations(done.reads(), done.sums(), 0, 0));
  }

  /** The emulator sends no event about such a document: its id would end a line of the head. */
  @Test
  void counterWhoseIdHasANewline_isRolledUpByItsEvent() throws Exception {
    var odd = cloud.counter(CounterPath.of("a\nb " + UUID.randomUUID()));
    odd.create(1);
    odd.increment(0, 5);

    send(
        DirectEvents.shardEvent(
            DirectEvents.document("(default)", odd.shard(0).getPath(), Instant.now())));

    odd.awaitSettled(5L);
  }

  @Test
  void eventInStructuredMode_isHandled() throws Exception {
    counter.increment(0, 5);
    counter.awaitSettled(5L);
    cloud.awaitIdle();
    counter.rollup().delete().get();

    send(structured(bodyAbout(Instant.now())));

    counter.awaitSettled(5L);
  }

  @Test
  void callsThatAreNoEvents_areRefusedAndTheFunctionGoesOn() throws Exception {
    var good = DirectEvents.shardEvent(bodyAbout(Instant.now()));
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

  @Test
  void eventOfAWriteThatIsInTheTotal_writesNothing() throws Exception {
    counter.increment(0, 5);
    var settled = counter.awaitSettled(5L);

    send(DirectEvents.shardEvent(bodyAbout(Instant.now().minusSeconds(60))));

    assertThat(counter.shown()).contains(settled);
  }

  @Test
  void eventOfADeletedCounter_bringsNothingBack() throws Exception {
    counter.increment(0, 5);
    counter.awaitSettled(5L);
    counter.delete();
    counter.awaitNoRollup();
    cloud.awaitIdle();

    var event = DirectEvents.shardEvent(bodyAbout(Instant.now()));
    cloud.awaitDone(function, () -> send(event), ONE_READ_AND_SUM);

    assertThat(counter.shown()).isEmpty();
  }

  private int send(Event event) throws Exception {
    int status = DirectEvents.send(event, function);
    assertThat(status).isEqualTo(OK);
    return status;
  }

  private static ByteString bodyAbout(String database, String path) {
    return DirectEvents.document(database, path, Instant.now());
  }

  private ByteString bodyAbout(Instant committed) {
    return DirectEvents.document("(default)", counter.shard(0).getPath(), committed);
  }

  /** The event as one JSON object, which CloudEvents allow but Eventarc does not send. */
  private static Event structured(ByteString body) {
    var event = new JsonObject();
    event.addProperty("specversion", "1.0");
    event.addProperty("id", UUID.randomUUID().toString());
    event.addProperty("type", "google.cloud.firestore.document.v1.written");
    event.addProperty("source", "//tallyroll.test/structured");
    event.addProperty("datacontenttype", "application/protobuf");
    event.addProperty("data_base64", Base64.getEncoder().encodeToString(body.toByteArray()));
    return new Event(
        Map.of("content-type", "application/cloudevents+json"),
        ByteString.copyFromUtf8(event.toString()));
  }
}
