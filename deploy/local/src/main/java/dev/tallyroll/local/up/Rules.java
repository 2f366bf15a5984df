package dev.tallyroll.local.up;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Puts security rules into the emulator, as a deployment would into a database. Stateless. */
final class Rules {
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

  private Rules() {}

  /**
   * Loads them; none leaves the emulator as it starts, where everybody may do everything.
   *
   * @throws LocalCloudException if the emulator's compiler finds anything wrong with them
   */
  static void load(UpOptions.Rules rules, LocalCloud cloud)
      throws IOException, InterruptedException {
    switch (rules) {
      case PLAIN -> load("firestore.rules", cloud);
      case STRICT -> load("firestore.strict.rules", cloud);
      case NONE -> {}
    }
  }

  private static void load(String name, LocalCloud cloud) throws IOException, InterruptedException {
    Path folder = Path.of(System.getProperty("tallyroll.home", "."), "deploy", "firestore");
    JsonObject file = new JsonObject();
    file.addProperty("name", name);
    file.addProperty("content", Files.readString(folder.resolve(name)));
    JsonArray files = new JsonArray();
    files.add(file);
    JsonObject ruleset = new JsonObject();
    ruleset.add("files", files);
    JsonObject body = new JsonObject();
    body.add("rules", ruleset);
    URI address =
        URI.create(
            "http://%s/emulator/v1/projects/%s:securityRules"
                .formatted(cloud.firestoreHost(), cloud.project()));
    HttpRequest request =
        HttpRequest.newBuilder(address)
            .timeout(ANSWER_WITHIN)
            .header("Content-Type", "application/json")
            .PUT(BodyPublishers.ofString(body.toString()))
            .build();
    var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    boolean loaded =
        answer.statusCode() == 200
            && !JsonParser.parseString(answer.body()).getAsJsonObject().has("issues");
    if (!loaded) {
      throw new LocalCloudException(
          "expected the emulator to accept the rules in %s; found: %s"
              .formatted(name, answer.body()));
    }
  }
}
