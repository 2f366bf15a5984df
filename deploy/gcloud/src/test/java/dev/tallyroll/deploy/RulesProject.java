package dev.tallyroll.deploy;

import static com.google.common.base.Preconditions.checkState;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.Lists;
import dev.tallyroll.deploy.RulesCases.Case;
import dev.tallyroll.local.Emulator;
import dev.tallyroll.local.LocalCloudException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A project of the official Firestore emulator, with rules of its own. In every call, @P stands for
 * it. Not thread-safe.
 */
final class RulesProject {
  /** One for all tests. It ends with this JVM. */
  private static final Emulator EMULATOR = Emulator.start(line -> {});

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final AtomicInteger PROJECTS = new AtomicInteger();
  private static final int MOST_WRITES = 500;

  /** In seconds. */
  private static final long IN_2100 = 4_102_444_800L;

  private final String name = "rules-" + PROJECTS.incrementAndGet();
  private final List<String> issues;

  /** The number in the ids of each case whose documents are there and unchanged. */
  private final Map<String, Integer> ready = new HashMap<>();

  private int runs;

  /**
   * Makes a project with these rules.
   *
   * @throws LocalCloudException if they do not compile
   */
  RulesProject(String rules) {
    issues = load(rules);
  }

  /** Replaces the rules; the data stay. Returns what the rules' compiler warns of. */
  List<String> load(String rules) {
    return EMULATOR.loadRules(name, Emulator.DEFAULT_DATABASE, rules).stream()
        .map(warning -> warning.replaceFirst("^L\\d+:\\d+ ", ""))
        .toList();
  }

  /** The warnings of the compiler about the first rules. */
  List<String> issues() {
    return issues;
  }

  /** The cases that another answer meets, each played when it is asked for. */
  Stream<Case> wrong(List<Case> cases) {
    make(cases.stream().filter(one -> !ready.containsKey(one.name())).toList());
    return cases.stream().filter(one -> !holds(one));
  }

  /** Plays a case: has the answer been the right one? */
  boolean holds(Case played) {
    if (!ready.containsKey(played.name())) {
      make(List.of(played));
    }
    int run = Objects.requireNonNull(ready.get(played.name()));
    boolean allowed =
        allows(
            new Call(fresh(played.call().path(), run), fresh(played.call().body(), run)),
            fresh(played.uid(), run));
    if (allowed && played.call().path().equals(":commit")) {
      ready.remove(played.name());
    }
    return allowed == played.allowed();
  }

  /** Makes the documents that cases find, with new ids: many in a commit, to save time. */
  private void make(List<Case> cases) {
    List<String> writes = new ArrayList<>();
    for (Case one : cases) {
      int run = runs++;
      checkState(ready.put(one.name(), run) == null, "expected one case of the name %s", one);
      one.given().forEach(write -> writes.add(fresh(write, run)));
    }
    for (List<String> some : Lists.partition(writes, MOST_WRITES)) {
      if (!allows(Call.commit(some), Case.OWNER)) {
        throw new IllegalStateException("expected owners to write, found a refusal: " + some);
      }
    }
  }

  private static String fresh(String text, int run) {
    return text.replace("@C", "c" + run).replace("@U", "u" + run).replace("@V", "v" + run);
  }

  /** Is such a call of that user's allowed? Anything but yes and no is an error. */
  boolean allows(Call call, String uid) {
    String address = "http://" + EMULATOR.address() + "/v1/" + Call.DOCUMENTS + call.path();
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address.replace("@P", name)));
    if (!uid.equals(Case.SIGNED_OUT)) {
      request.header("Authorization", "Bearer " + token(uid));
    }
    if (!call.body().isEmpty()) {
      request.POST(HttpRequest.BodyPublishers.ofString(call.body().replace("@P", name)));
    }
    try {
      HttpResponse<String> answer =
          HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
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

  /** Signed by nobody, but right in form, which is what the emulator asks; no rule binds owners. */
  private String token(String uid) {
    if (uid.equals(Case.OWNER)) {
      return uid;
    }
    String claims =
        """
        {"sub":"%2$s","user_id":"%2$s","aud":"%1$s","iss":"https://securetoken.google.com/%1$s",\
        "iat":1,"auth_time":1,"exp":%3$d,"firebase":{"sign_in_provider":"anonymous","identities":{}}}"""
            .formatted(name, uid, IN_2100);
    return base64("{\"alg\":\"none\",\"typ\":\"JWT\"}") + "." + base64(claims) + ".";
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
  }
}
