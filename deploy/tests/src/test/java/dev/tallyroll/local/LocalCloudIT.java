package dev.tallyroll.local;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.gson.JsonParser;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The wires, with the official emulators and invoker, and functions that record their events. */
final class LocalCloudIT {
  private static final Recorder recorder = new Recorder();

  private static LocalCloud cloud;
  private static Firestore firestore;

  private final String counter = "counters/" + UUID.randomUUID();
  private final String shard = counter + "/shards/3";

  @BeforeAll
  static void start() {
    cloud = LocalCloud.start(Stubs.options(recorder).instances(2));
    firestore = cloud.openFirestore();
  }

  @AfterAll
  static void close_whileAFunctionWorks_leavesNoProcess() throws Exception {
    recorder.holdAnswers();
    var id = cloud.tick();
    recorder.await(1, received -> received.event().attribute("id").equals(id));
    var processes = cloud.pids().stream().map(ProcessHandle::of).flatMap(Optional::stream).toList();

    firestore.close();
    cloud.close();
    cloud.close();

    assertThat(processes).hasSize(4).noneMatch(ProcessHandle::isAlive);
    recorder.close();
  }

  @Test
  void increment_reachesFunctionAsInProduction() throws Exception {
    increment(shard, 7);

    var received = recorder.await(1, each -> each.isAbout(shard)).get(0);
    var event = received.event();
    var written = DocumentEventData.parseFrom(event.body()).getValue();
    assertThat(received.function()).isEqualTo("on-shard-written");
    assertThat(written.getName()).endsWith("/databases/(default)/documents/" + shard);
    assertThat(written.getFieldsOrThrow("count").getIntegerValue()).isEqualTo(7);
    assertThat(event.attribute("type")).isEqualTo("google.cloud.firestore.document.v1.written");
    assertThat(event.attribute("source"))
        .isEqualTo("//firestore.googleapis.com/projects/demo-tallyroll/databases/(default)");
    assertThat(event.headers()).containsEntry("content-type", "application/protobuf");
  }

  @Test
  void shardAtAnyDepth_isDeliveredOnce() throws Exception {
    var nested = "rooms/r1/" + shard;
    var deep = "houses/h1/" + nested;

    increment(counter, 1);
    increment(shard, 1);
    increment(nested, 1);
    increment(deep, 1);

    var events =
        recorder.await(3, received -> received.event().attribute("document").contains(counter));
    assertThat(events)
        .extracting(received -> received.event().attribute("document"))
        .containsExactlyInAnyOrder(shard, nested, deep);
  }

  @Test
  void message_arrivesAsCloudEvent() throws Exception {
    var id = cloud.publish(Map.of("kind", "wake", "worker", "0"));

    var received = recorder.await(1, event -> event.event().attribute("id").equals(id)).get(0);
    var event = received.event();
    var message =
        JsonParser.parseString(event.body().toStringUtf8())
            .getAsJsonObject()
            .getAsJsonObject("message");
    assertThat(received.function()).isEqualTo("roll-up");
    assertThat(event.attribute("type")).isEqualTo("google.cloud.pubsub.topic.v1.messagePublished");
    assertThat(event.attribute("source"))
        .isEqualTo("//pubsub.googleapis.com/projects/demo-tallyroll/topics/rollup");
    assertThat(message.getAsJsonObject("attributes").get("kind").getAsString()).isEqualTo("wake");
  }

  @Test
  void failedMessage_isNotRepeated() throws Exception {
    long failedBefore = cloud.failedMessages();
    recorder.failNext(1);

    var id = cloud.tick();

    await("the failure is counted").until(() -> cloud.failedMessages() > failedBefore);
    assertThat(recorder.matching(event -> event.event().attribute("id").equals(id))).hasSize(1);
  }

  @Test
  void killedInstances_getTheirEventsOnceOneIsBack() throws Exception {
    cloud.handlers().forEach(FunctionServer::kill);
    increment(shard, 1);
    await("deliveries fail").until(() -> cloud.deliveries().count(Occurrence.RETRIED) > 0);

    cloud.handlers().get(1).restart();

    recorder.await(1, received -> received.isAbout(shard));
    await("it is quiet").until(cloud::quiet);
  }

  private static void increment(String document, long by) throws Exception {
    get(firestore.document(document).set(Map.of("count", FieldValue.increment(by))));
  }
}
