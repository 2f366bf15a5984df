package dev.tallyroll.local.up;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code up} as its script starts it, in a JVM of its own. */
@Execution(ExecutionMode.CONCURRENT)
final class UpIT {
  private static final int WRITTEN_WITHIN_SECONDS = 60;

  private final List<UpProcess> started = new ArrayList<>();

  @AfterEach
  void endAll() {
    started.forEach(UpProcess::close);
  }

  @Test
  void ownCounters_areFoundAndAWrongTotalIsTold() throws Exception {
    var up = start("--json", "--traffic", "none");
    var addresses = up.next(line -> line.has("ready")).getAsJsonObject("ready");
    var firestore = connect(addresses);
    try {
      write(firestore, "counters/mine/shards/0", Map.of("count", FieldValue.increment(5)));
      var right = up.next(line -> says(line, "mine", "5", "YES"));
      assertThat(right.getAsJsonObject("functions").get("sums").getAsLong()).isPositive();

      // Its shards hold no sum now that could be stored: the last good total stays.
      write(firestore, "counters/mine/shards/1", Map.of("count", Double.NaN));
      up.next(line -> says(line, "mine", "5", "NOT_YET"));
      up.closeInput();

      var summary = up.next(line -> line.has("summary")).getAsJsonObject("summary");
      assertThat(summary.getAsJsonArray("wrong").toString())
          .contains("mine says 5, its shards hold NaN");
      assertThat(up.exitCode()).isEqualTo(1);
    } finally {
      firestore.shutdown();
    }
  }

  @Test
  void rules_keepClientsFromForging() throws Exception {
    var up = start("--json", "--quiet", "--traffic", "none", "--seconds", "5");
    var addresses = up.next(line -> line.has("ready")).getAsJsonObject("ready");

    assertThat(forge(addresses)).isEqualTo(403);
    assertThat(up.exitCode()).isZero();
  }

  @Test
  void interruptedDemo_endsWithItsTotals() throws Exception {
    var up = start("--counters=2", "--traffic=10", "--rules=none");
    up.line(line -> line.startsWith("ready: FIRESTORE_EMULATOR_HOST=127.0.0.1:"));
    up.line(line -> line.startsWith("export FIRESTORE_EMULATOR_HOST=127.0.0.1:"));
    up.line(line -> line.startsWith("likes "));

    up.closeInput();

    up.line(line -> line.matches("counters +2"));
    up.line(line -> line.matches("wrong +none"));
    up.line(line -> line.startsWith("lag "));
    assertThat(up.exitCode()).isZero();
    assertThat(up.complaints()).noneMatch(line -> line.startsWith("\tat "));
  }

  @Test
  void terminated_printsNoStackTrace() throws Exception {
    var up = start("--traffic=50");
    up.line(line -> line.startsWith("likes "));

    up.terminate();

    assertThat(up.exitCode()).isEqualTo(143);
    assertThat(up.complaints()).noneMatch(line -> line.contains("Exception"));
  }

  private UpProcess start(String... options) throws IOException {
    var up = new UpProcess(options);
    started.add(up);
    return up;
  }

  private static boolean says(JsonObject line, String counter, String total, String right) {
    if (!line.has("counters")) {
      return false;
    }
    for (var state : line.getAsJsonArray("counters")) {
      var fields = state.getAsJsonObject();
      if (fields.get("counter").getAsString().equals(counter)) {
        return fields.get("total") != null
            && fields.get("total").getAsString().equals(total)
            && fields.get("right").getAsString().equals(right);
      }
    }
    return false;
  }

  private static Firestore connect(JsonObject addresses) {
    return FirestoreOptions.newBuilder()
        .setProjectId(addresses.get("GOOGLE_CLOUD_PROJECT").getAsString())
        .setEmulatorHost(addresses.get("FIRESTORE_EMULATOR_HOST").getAsString())
        .build()
        .getService();
  }

  private static void write(Firestore firestore, String document, Map<String, Object> fields)
      throws Exception {
    firestore.document(document).set(fields).get(WRITTEN_WITHIN_SECONDS, TimeUnit.SECONDS);
  }

  /** Writes a roll-up as a client that is not signed in; returns the status. */
  private static int forge(JsonObject addresses) throws Exception {
    var document =
        URI.create(
            "http://%s/v1/projects/%s/databases/(default)/documents/rollups/mine"
                .formatted(
                    addresses.get("FIRESTORE_EMULATOR_HOST").getAsString(),
                    addresses.get("GOOGLE_CLOUD_PROJECT").getAsString()));
    var request =
        HttpRequest.newBuilder(document)
            .method(
                "PATCH",
                HttpRequest.BodyPublishers.ofString(
                    "{\"fields\":{\"count\":{\"integerValue\":\"9\"}}}"))
            .build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode();
  }
}
