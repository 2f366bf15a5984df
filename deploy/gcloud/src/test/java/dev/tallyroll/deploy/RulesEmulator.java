package dev.tallyroll.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallyroll.local.FirestoreEmulator;
import dev.tallyroll.local.LocalCloudException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The official Firestore emulator, in which each project has rules of its own. Thread-safe. */
final class RulesEmulator implements AutoCloseable {

  private static final Duration MOST_FOR_CALL = Duration.ofSeconds(20);
  private static final String OWNER = "owner";

  /** In seconds. */
  private static final long IN_2100 = 4_102_444_800L;

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
   * @throws LocalCloudException if they do not compile: the project would have none
   */
  Loaded load(String rules) {
    String project = "rules-" + projects.incrementAndGet();
    return new Loaded(project, emulator.loadRules(project, rules));
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
    String token = uid.equals(RulesCase.SIGNED_OUT) ? "" : token(project, uid);
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
    String address = host + "/v1/" + Call.DOCUMENTS.replace("@P", project) + call.path();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(address))
            .timeout(MOST_FOR_CALL)
            .header("Content-Type", "application/json");
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    if (!call.body().isEmpty()) {
      request.POST(HttpRequest.BodyPublishers.ofString(call.body()));
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8));
  }

  /** A sign-in token as the emulator takes it: right in form, signed by nobody. */
  private static String token(String project, String uid) {
    String claims =
        """
        {"sub":"%2$s","user_id":"%2$s","aud":"%1$s","iss":"https://securetoken.google.com/%1$s",\
        "iat":1,"auth_time":1,"exp":%3$d,"firebase":{"sign_in_provider":"anonymous","identities":{}}}"""
            .formatted(project, uid, IN_2100);
    return base64("{\"alg\":\"none\",\"typ\":\"JWT\"}") + "." + base64(claims) + ".";
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
  }

  @Override
  public void close() {
    emulator.close();
  }
}
