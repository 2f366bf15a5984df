package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The wires, on the official emulators and invoker, with functions that record what they are given.
 */
final class LocalCloudIT {
  private static Recorder recorder;
  private static LocalCloud cloud;
  private static Firestore firestore;

  @BeforeAll
  static void start() {
    recorder = new Recorder();
    long t = System.nanoTime();
    cloud = LocalCloud.start(Stubs.options(recorder).build());
    System.out.println("START TOOK ms " + (System.nanoTime() - t) / 1000000);
    firestore = cloud.openFirestore();
  }

  @AfterAll
  static void stop() throws Exception {
    firestore.close();
    long t = System.nanoTime();
    cloud.close();
    System.out.println("STOP TOOK ms " + (System.nanoTime() - t) / 1000000);
    recorder.close();
  }

  @Test
  void increment_reachesFunctionAsProtobuf() throws Exception {
    var shard = "counters/" + UUID.randomUUID() + "/shards/3";

    firestore
        .document(shard)
        .set(Map.of("count", FieldValue.increment(7)))
        .get(30, TimeUnit.SECONDS);

    var event = recorder.await(1, received -> received.isAbout(shard)).get(0);
    var data = DocumentEventData.parseFrom(event.event().body());
    assertThat(event.function()).isEqualTo("on-shard-written");
    assertThat(data.getValue().getFieldsOrThrow("count").getIntegerValue()).isEqualTo(7);
  }
}
