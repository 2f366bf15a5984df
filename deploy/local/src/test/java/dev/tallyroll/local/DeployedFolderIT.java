package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The folder that is deployed, away from everything else that the build made, on both invokers:
 * each function starts in a process of its own and handles what the emulators send.
 */
final class DeployedFolderIT {
  private static final int CALL_SECONDS = 30;

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
            .unscheduled();

    try (var cloud = LocalCloud.start(options)) {
      var firestore = cloud.openFirestore();
      increment(firestore);

      // OnShardWritten writes the total with a lease; only RollUp, which it wakes, takes that away.
      await("the total is written").atMost(ONE_MINUTE).until(() -> isCounted(firestore));
      await("the lease is settled").atMost(ONE_MINUTE).until(() -> !isLive(firestore));
      assertThat(cloud.deliveries().counts().retries()).isZero();
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

  private static void increment(Firestore firestore) throws Exception {
    firestore
        .document("counters/likes/shards/0")
        .set(Map.of("count", FieldValue.increment(1)))
        .get(CALL_SECONDS, TimeUnit.SECONDS);
  }

  private static boolean isCounted(Firestore firestore) {
    return Long.valueOf(1).equals(rollup(firestore).get("count"));
  }

  private static boolean isLive(Firestore firestore) {
    return rollup(firestore).get("live_until") != null;
  }

  private static DocumentSnapshot rollup(Firestore firestore) {
    try {
      return firestore.document("rollups/likes").get().get(CALL_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the roll-up could not be read", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the roll-up was read", e);
    }
  }
}
