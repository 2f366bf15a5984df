package dev.tallyroll.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.local.FirestoreEmulator;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The official Firestore emulator, in which each project has rules of its own. Thread-safe. */
final class RulesEmulator implements AutoCloseable {

  private static final Duration MOST_FOR_CALL = Duration.ofSeconds(20);
  private static final String OWNER = "owner";

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final FirestoreEmulator emulator = FirestoreEmulator.start(System.getenv(), line -> {});
  private final String host = "http://" + emulator.address();
  private final AtomicInteger projects = new AtomicInteger();

  /** A project with rules, and what their compiler warns of. */
  record Loaded(String project, List<String> issues) {}

  /**
   * Makes a project with these rules.
   *
   * @throws IllegalArgumentException if they do not compile: the project would have none
   */
  Loaded load(String rules) throws IOException, InterruptedException {
    String project = "rules-" + projects.incrementAndGet();
    JsonObject body = JsonParser.parseString("{'rules':{'files':[{}]}}").getAsJsonObject();
    JsonObject file =
        body.getAsJsonObject("rules").getAsJsonArray("files").get(0).getAsJsonObject();
    file.addProperty("name", "security.rules");
    file.addProperty("content", rules);
    HttpRequest request =
        request("/emulator/v1/projects/" + project + ":securityRules", OWNER)
            .PUT(HttpRequest.BodyPublishers.ofString(body.toString()))
            .build();
    HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString(UTF_8));
    if (response.statusCode() != 200) {
      throw new IllegalArgumentException(response.body() + "\n" + rules);
    }
    JsonObject answer = JsonParser.parseString(response.body()).getAsJsonObject();
    List<String> issues = new ArrayList<>();
    if (answer.has("issues")) {
      for (JsonElement issue : answer.getAsJsonArray("issues")) {
        issues.add(issue.getAsJsonObject().get("description").getAsString());
      }
    }
    return new Loaded(project, issues);
  }

  /** Sends a call as an administrator, whom no rule binds; it has to succeed. */
  void prepare(String project, Call call) throws IOException, InterruptedException {
    HttpResponse<String> response = send(project, call, OWNER);
    if (response.statusCode() != 200) {
      throw new IllegalStateException(call + ": " + response.body());
    }
  }

  /**
   * Sends a call as a client. False when the rules deny it; anything but yes and no is an error.
   */
  boolean allows(String project, Call call, String uid) throws IOException, InterruptedException {
    String token = uid.equals(RulesCase.SIGNED_OUT) ? "" : UnsignedToken.of(project, uid);
    HttpResponse<String> response = send(project, call, token);
    boolean denied = response.statusCode() == 403;
    // An error of another kind says nothing about the rules, but whoever got it has passed them.
    if (!denied && response.statusCode() != 200 && response.statusCode() != 404) {
      throw new IllegalStateException(call + ": " + response.body());
    }
    return !denied;
  }

  private HttpResponse<String> send(String project, Call call, String token)
      throws IOException, InterruptedException {
    String path = "/v1/" + Call.DOCUMENTS.replace("@P", project) + call.path();
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

  @Override
  public void close() {
    emulator.close();
  }
}
