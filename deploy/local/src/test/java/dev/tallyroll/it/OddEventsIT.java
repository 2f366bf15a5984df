package dev.tallyroll.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import dev.tallyroll.local.Event;
import dev.tallyroll.local.FunctionServer;
import dev.tallyroll.local.Operations;
import dev.tallyroll.local.TestEvents;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls that no event of Firestore looks like, and events about what is not there any more. */
@On(Site.LONE)
final class OddEventsIT {
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final String WRITTEN = "google.cloud.firestore.document.v1.written";
  private static final Operations ONE_READ_AND_SUM = new Operations(1, 1, 0, 0);

  private final Lab lab;
  private final FunctionServer function;

  OddEventsIT(Lab lab) {
    this.lab = lab;
    this.function = lab.cloud().onShardWritten();
  }

  @BeforeEach
  void startFromRest() throws Exception {
    lab.settleAll();
  }

  @Test
  void eventInStructuredMode_isHandled() throws Exception {
    var counter = lab.counter();
    counter.increment(0, 5);
    counter.awaitSettled(5L);
    lab.awaitIdle();
    counter.deleteRollup();

    int status = TestEvents.send(structured(bodyAbout(counter, Instant.now())), function);

    assertThat(status).isEqualTo(OK);
    counter.awaitSettled(5L);
  }

  @Test
  void callsThatAreNoEvents_areRefusedAndTheFunctionGoesOn() throws Exception {
    var counter = lab.counter();
    var good = TestEvents.shardEvent(bodyAbout(counter, Instant.now()));
    var bare = new Event(Map.of("content-type", "application/protobuf"), good.body());

    assertThat(TestEvents.send(bare, function)).isGreaterThanOrEqualTo(BAD_REQUEST);
    assertThat(TestEvents.send(good.with("ce-subject", "x".repeat(100_000)), function))
        .isGreaterThanOrEqualTo(BAD_REQUEST);

    counter.increment(0, 1);
    counter.awaitSettled(1L);
  }

  @Test
  void eventOfAWriteThatIsInTheTotal_writesNothing() throws Exception {
    var counter = lab.counter();
    counter.increment(0, 5);
    var settled = counter.awaitSettled(5L);

    var event = TestEvents.shardEvent(bodyAbout(counter, Instant.now().minusSeconds(60)));
    int status = TestEvents.send(event, function);

    assertThat(status).isEqualTo(OK);
    assertThat(counter.shown()).contains(settled);
  }

  @Test
  void eventOfADeletedCounter_bringsNothingBack() throws Exception {
    var counter = lab.counter();
    counter.increment(0, 5);
    counter.awaitSettled(5L);
    counter.delete();
    counter.awaitNoRollup();
    lab.awaitIdle();

    var event = TestEvents.shardEvent(bodyAbout(counter, Instant.now()));
    lab.awaitLogged(
        function,
        () -> assertThat(TestEvents.send(event, function)).isEqualTo(OK),
        ONE_READ_AND_SUM);

    assertThat(counter.shown()).isEmpty();
  }

  private static ByteString bodyAbout(Counter counter, Instant committed) {
    return TestEvents.document("(default)", counter.shard(0).getPath(), committed);
  }

  /** The event as one JSON object, as CloudEvents allow and Eventarc does not send. */
  private static Event structured(ByteString body) {
    var event = new JsonObject();
    event.addProperty("specversion", "1.0");
    event.addProperty("id", UUID.randomUUID().toString());
    event.addProperty("type", WRITTEN);
    event.addProperty("source", "//tallyroll.test/structured");
    event.addProperty("datacontenttype", "application/protobuf");
    event.addProperty("data_base64", Base64.getEncoder().encodeToString(body.toByteArray()));
    return new Event(
        Map.of("content-type", "application/cloudevents+json"),
        ByteString.copyFromUtf8(event.toString()));
  }
}
