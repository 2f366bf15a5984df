package dev.tallyroll.deploy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A project with a database, whose calls of Firestore go to the official emulator.
 *
 * @param address of the emulator, with its scheme
 * @param rules takes the text of rules, which the emulator gets by another call
 */
record EmulatedCloud(String address, Consumer<String> rules) implements Cloud {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** A console in front of it, which shows nothing. */
  Console console() {
    return new Console(this, new FakeProject(), /* dryRun= */ false, /* quiet= */ true);
  }

  @Override
  public Answer gcloud(List<String> words) {
    Stream<JsonObject> answers =
        words.contains("services")
            ? Stream.of("firestore", "firebaserules")
                .map(api -> Json.of("config", Json.of("name", api + ".googleapis.com")))
            : Stream.of(Json.of("name", "projects/p/databases/(default)"));
    return new Answer(Json.array(answers.toList()), List.of());
  }

  @Override
  public JsonElement http(String method, String url, String body) {
    if (!url.startsWith(RulesText.API)) {
      return GoogleCloud.send(
          HTTP, request(url).header("Authorization", "Bearer owner"), method, body);
    }
    if (url.endsWith("/rulesets")) {
      rules.accept(Json.text(JsonParser.parseString(body), "source.files.0.content"));
    }
    return new JsonObject();
  }

  @Override
  public JsonElement asAnybody(String url, String body) {
    return GoogleCloud.send(HTTP, request(url), "POST", body);
  }

  private HttpRequest.Builder request(String url) {
    return HttpRequest.newBuilder(
        URI.create(url.replace("https://firestore.googleapis.com", address)));
  }
}
