package dev.tallyroll.local;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * Calls an emulator's REST interface; any answer but a good one is an error that quotes it.
 * Thread-safe.
 */
final class Rest {
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

  private final HttpClient http;
  private final int port;

  Rest(HttpClient http, int port) {
    this.http = http;
    this.port = port;
  }

  JsonObject post(String path, JsonElement body) {
    return call("POST", path, body);
  }

  JsonObject put(String path, JsonElement body) {
    return call("PUT", path, body);
  }

  private JsonObject call(String method, String path, JsonElement body) {
    URI address = Loopback.uri(port, path);
    var request =
        HttpRequest.newBuilder(address)
            .timeout(ANSWER_WITHIN)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body.toString()))
            .build();
    try {
      return parse(method, http.send(request, BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new LocalCloudException("%s %s was not answered".formatted(method, address), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalCloudException("interrupted during %s %s".formatted(method, address), e);
    }
  }

  private static JsonObject parse(String method, HttpResponse<String> answer) {
    if (answer.statusCode() / 100 != 2) {
      throw new LocalCloudException(
          "%s %s: expected a status of 2xx, found %d: %s"
              .formatted(method, answer.uri(), answer.statusCode(), answer.body()));
    }
    return JsonParser.parseString(answer.body()).getAsJsonObject();
  }
}
