package dev.tallyroll.local;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.SetOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The deployed folder alone, without other results of the build, on both invokers. Each function
 * starts in its own process and handles events of the emulators.
 */
final class DeployedFolderIT {
  private static final int INCREMENTS = 20;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {LocalCloudOptions.PRODUCTION_INVOKER, LocalCloudOptions.NEXT_INVOKER})
  void bothFunctions_handleEvents(String invoker) throws Exception {
    var deployed = copyTo(folder.resolve("function"));
    var options =
        new LocalCloudOptions()
            .functions(
                deployed,
                "dev.tallyroll.functions.OnShardWritten",
                "dev.tallyroll.functions.RollUp")
            .invokerVersion(invoker)
            .settings(Map.of())
            .schedule(Duration.ofSeconds(10));

    try (var cloud = LocalCloud.start(options)) {
      var firestore = cloud.openFirestore();
      for (int i = 0; i < INCREMENTS; i++) {
        get(
            firestore
                .document("counters/likes/shards/0")
                .set(Map.of("count", FieldValue.increment(1)), SetOptions.merge()));
      }

      // OnShardWritten creates the roll-up with a lease. Only RollUp ends the lease.
      await("the total is written").until(() -> isCounted(firestore));
      await("the lease is settled").until(() -> !isLive(firestore));
      assertThat(cloud.deliveries().count(Occurrence.RETRIED)).isZero();
      assertThat(cloud.failedMessages()).isZero();
      firestore.shutdown();
    }
  }

  private static Path copyTo(Path target) throws IOException {
    var source = Checkout.fromSystemProperty().root().resolve("functions/target/function");
    try (var files = Files.walk(source)) {
      for (var file : files.toList()) {
        Files.copy(file, target.resolve(source.relativize(file)));
      }
    }
    return target.resolve("tallyroll.jar");
  }

  private static boolean isCounted(Firestore firestore) throws Exception {
    return Long.valueOf(INCREMENTS).equals(rollup(firestore).get("count"));
  }

  private static boolean isLive(Firestore firestore) throws Exception {
    return rollup(firestore).get("live_until") != null;
  }

  private static DocumentSnapshot rollup(Firestore firestore) throws Exception {
    return get(firestore.document("rollups/likes").get());
  }
}
