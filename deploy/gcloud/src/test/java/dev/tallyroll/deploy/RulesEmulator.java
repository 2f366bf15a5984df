package dev.tallyroll.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallyroll.deploy.RulesCases.Case;
import dev.tallyroll.local.Emulator;
import dev.tallyroll.local.LocalCloudException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** The official Firestore emulator, in which each project has rules of its own. Thread-safe. */
final class RulesEmulator implements AutoCloseable {

  private static final Duration MOST_FOR_CALL = Duration.ofSeconds(20);
  private static final int OK = 200;
  private static final int DENIED = 403;

  /** An error of another kind says nothing about the rules, but a 404 has passed them. */
  private static final Set<Integer> ANSWERS = Set.of(OK, DENIED, 404);

  /** In seconds. */
  private static final long IN_2100 = 4_102_444_800L;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Emulator emulator = Emulator.start(System.getenv(), line -> {});
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

  /** Is such a call of that user's allowed? Anything but yes and no is an error. */
  boolean allows(String project, Call call, String uid) {
    HttpResponse<String> response = send(project, call, uid);
    if (!ANSWERS.contains(response.statusCode())) {
      throw new IllegalStateException(call + ": " + response.body());
    }
    return response.statusCode() != DENIED;
  }

  /** The answer to an owner, whom no rule binds. */
  String answer(String project, Call call) {
    HttpResponse<String> response = send(project, call, Case.OWNER);
    if (response.statusCode() != OK) {
      throw new IllegalStateException(call + ": " + response.body());
    }
    return response.body();
  }

  String address() {
    return "http://" + emulator.address();
  }

  private HttpResponse<String> send(String project, Call call, String uid) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address(project, call))
            .timeout(MOST_FOR_CALL)
            .header("Content-Type", "application/json");
    if (!uid.equals(Case.SIGNED_OUT)) {
      request.header("Authorization", "Bearer " + token(project, uid));
    }
    if (!call.body().isEmpty()) {
      request.POST(HttpRequest.BodyPublishers.ofString(call.body()));
    }
    return http.sendAsync(request.build(), BodyHandlers.ofString(UTF_8)).join();
  }

  private URI address(String project, Call call) {
    String documents = Call.DOCUMENTS.replace("@P", project);
    return URI.create("http://" + emulator.address() + "/v1/" + documents + call.path());
  }

  /** Signed by nobody, but right in form, which is what the emulator asks; no rule binds owners. */
  private static String token(String project, String uid) {
    if (uid.equals(Case.OWNER)) {
      return uid;
    }
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
