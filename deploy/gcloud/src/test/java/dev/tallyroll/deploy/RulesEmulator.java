package dev.tallyroll.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallyroll.deploy.RulesCases.Case;
import dev.tallyroll.local.Emulator;
import dev.tallyroll.local.LocalCloudException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The official Firestore emulator, in which each project has rules of its own. Thread-safe. */
final class RulesEmulator {
  /** The one of all tests. It ends with this JVM. */
  static final RulesEmulator SHARED = new RulesEmulator();

  /** In seconds. */
  private static final long IN_2100 = 4_102_444_800L;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Emulator emulator = Emulator.start(System.getenv(), line -> {});
  private final AtomicInteger projects = new AtomicInteger();

  private RulesEmulator() {}

  /** A project with rules, and what their compiler warns of. */
  record Loaded(String project, List<String> issues) {}

  /**
   * Makes a project with these rules.
   *
   * @throws LocalCloudException if they do not compile: the project would have none
   */
  Loaded load(String rules) {
    return load("rules-" + projects.incrementAndGet(), rules);
  }

  /** As {@link #load(String)}, for a project with this name. */
  Loaded load(String project, String rules) {
    return new Loaded(project, emulator.loadRules(project, rules));
  }

  /** Is such a call of that user's allowed? Anything but yes and no is an error. */
  boolean allows(String project, Call call, String uid) {
    HttpRequest.Builder request = HttpRequest.newBuilder(address(project, call));
    if (!uid.equals(Case.SIGNED_OUT)) {
      request.header("Authorization", "Bearer " + token(project, uid));
    }
    request.method(
        call.body().isEmpty() ? "GET" : "POST", HttpRequest.BodyPublishers.ofString(call.body()));
    try {
      HttpResponse<String> answer =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return switch (answer.statusCode()) {
        case 200, 404 -> true;
        case 403 -> false;
        // An error of another kind says nothing about the rules.
        default -> throw new IllegalStateException(call + ": " + answer.body());
      };
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(call.toString(), e);
    }
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
}
