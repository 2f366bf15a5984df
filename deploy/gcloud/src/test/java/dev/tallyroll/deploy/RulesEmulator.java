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

/**
 * The official Firestore emulator with the rules under test. Not thread-safe: it holds one rule set
 * at a time.
 */
final class RulesEmulator implements AutoCloseable {

  private static final String PROJECT = "rules";
  private static final Duration MOST_FOR_CALL = Duration.ofSeconds(20);
  private static final String OWNER = "owner";

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final FirestoreEmulator emulator = FirestoreEmulator.start(System.getenv(), line -> {});
  private final String host = "http://" + emulator.address();

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
    emulator.close();
  }
}
