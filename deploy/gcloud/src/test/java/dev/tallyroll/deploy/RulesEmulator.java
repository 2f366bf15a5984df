package dev.tallyroll.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The official Firestore emulator as a child process, with the rules under test. Without the
 * emulator the test is aborted. Not thread-safe: it holds one rule set at a time.
 */
final class RulesEmulator implements AutoCloseable {

  private static final String PROJECT = "rules";
  private static final Duration MOST_FOR_START = Duration.ofSeconds(60);
  private static final Duration MOST_FOR_CALL = Duration.ofSeconds(20);
  private static final String OWNER = "owner";

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Process process;
  private final String host;

  private RulesEmulator(Process process, String host) {
    this.process = process;
    this.host = host;
  }

  static RulesEmulator start() throws IOException, InterruptedException {
    Path jar = jar();
    int port = freePort();
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-XX:TieredStopAtLevel=1", // It runs for seconds only.
            "-cp",
            jar.toString(),
            "com.google.cloud.datastore.emulator.firestore.CloudFirestore",
            "start",
            "--host=127.0.0.1",
            "--port=" + port);
    builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
    RulesEmulator emulator = new RulesEmulator(builder.start(), "http://127.0.0.1:" + port);
    emulator.awaitStart();
    return emulator;
  }

  private static Path jar() {
    assumeTrue(Shell.has("gcloud"), "gcloud is not installed, so there is no Firestore emulator");
    String root =
        Shell.run(Map.of(), List.of("gcloud", "info", "--format=value(installation.sdk_root)"))
            .text()
            .strip();
    Path jar = Path.of(root, "platform/cloud-firestore-emulator/cloud-firestore-emulator.jar");
    assumeTrue(Files.exists(jar), "gcloud has no component cloud-firestore-emulator");
    return jar;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void awaitStart() throws InterruptedException {
    long end = System.nanoTime() + MOST_FOR_START.toNanos();
    while (System.nanoTime() < end && process.isAlive()) {
      try {
        http.send(HttpRequest.newBuilder(URI.create(host)).build(), discarding());
        return;
      } catch (IOException e) {
        Thread.sleep(100); // Not listening yet; the loop is bounded by MOST_FOR_START.
      }
    }
    close();
    throw new IllegalStateException("expected an emulator at " + host + " in " + MOST_FOR_START);
  }

  private static HttpResponse.BodyHandler<Void> discarding() {
    return HttpResponse.BodyHandlers.discarding();
  }

  /** Puts the rules in place, and returns what the compiler finds wrong with them. */
  List<String> load(String rules) throws IOException, InterruptedException {
    JsonObject body = JsonParser.parseString("{'rules':{'files':[{}]}}").getAsJsonObject();
    JsonObject file =
        body.getAsJsonObject("rules").getAsJsonArray("files").get(0).getAsJsonObject();
    file.addProperty("name", "security.rules");
    file.addProperty("content", rules);
    HttpRequest request =
        request("/emulator/v1/projects/" + PROJECT + ":securityRules", OWNER)
            .PUT(HttpRequest.BodyPublishers.ofString(body.toString()))
            .build();
    HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString(UTF_8));
    if (response.statusCode() != 200) {
      return List.of(response.body());
    }
    JsonObject answer = JsonParser.parseString(response.body()).getAsJsonObject();
    List<String> issues = new ArrayList<>();
    if (answer.has("issues")) {
      for (JsonElement issue : answer.getAsJsonArray("issues")) {
        issues.add(issue.getAsJsonObject().get("description").getAsString());
      }
    }
    return issues;
  }

  /** Sends a call as an administrator, whom no rule binds; it has to succeed. */
  void prepare(Call call) throws IOException, InterruptedException {
    HttpResponse<String> response = send(call, OWNER);
    if (response.statusCode() != 200) {
      throw new IllegalStateException(call + ": " + response.body());
    }
  }

  /**
   * Sends a call as a client. False when the rules deny it; anything but yes and no is an error.
   */
  boolean allows(Call call, String uid) throws IOException, InterruptedException {
    HttpResponse<String> response = send(call, uid.isEmpty() ? "" : token(uid));
    boolean denied = response.statusCode() == 403;
    // An error of another kind says nothing about the rules, but whoever got it has passed them.
    if (!denied && response.statusCode() != 200 && response.statusCode() != 404) {
      throw new IllegalStateException(call + ": " + response.body());
    }
    return !denied;
  }

  private HttpResponse<String> send(Call call, String token)
      throws IOException, InterruptedException {
    String path = "/v1/" + Call.DOCUMENTS + call.path();
    HttpRequest.Builder request = request(path, token);
    if (call.body().isEmpty()) {
      request.GET();
    } else {
      request.POST(HttpRequest.BodyPublishers.ofString(call.body()));
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8));
  }

  private HttpRequest.Builder request(String path, String token) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(host + path))
            .timeout(MOST_FOR_CALL)
            .header("Content-Type", "application/json");
    return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
  }

  private static String token(String uid) {
    return UnsignedToken.of(PROJECT, uid);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
