package dev.tallyroll.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The real platform: a gcloud that is signed in, and HTTPS with its token. Not thread-safe. */
final class GoogleCloud implements Cloud {
  private static final Duration MOST_FOR_CALL = Duration.ofSeconds(60);

  /** gcloud logs JSON, an object a line, and asks no questions: our commands ask them. */
  private static final Map<String, String> ENVIRONMENT =
      Map.of("CLOUDSDK_CORE_DISABLE_PROMPTS", "1", "CLOUDSDK_CORE_SHOW_STRUCTURED_LOGS", "always");

  private static final Pattern UNREACHABLE =
      Pattern.compile("^The following regions were fully or partially unreachable for query: (.*)");

  private final HttpClient http = HttpClient.newHttpClient();
  private final String project;
  private String token = "";

  GoogleCloud(String project) {
    this.project = project;
  }

  @Override
  public Answer gcloud(List<String> words) {
    List<String> command = new ArrayList<>(words);
    command.add(0, "gcloud");
    try {
      Path said = Files.createTempFile("gcloud", ".log");
      try {
        return run(command, said);
      } finally {
        Files.delete(said);
      }
    } catch (IOException | JsonParseException e) {
      throw new CloudException(CloudException.UNKNOWN, "gcloud gave no answer: " + e.getMessage());
    }
  }

  private static Answer run(List<String> command, Path said) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(said.toFile());
    builder.environment().putAll(ENVIRONMENT);
    Process process = builder.start();
    process.getOutputStream().close();
    String answer = new String(process.getInputStream().readAllBytes(), UTF_8);
    int code = process.onExit().join().exitValue();
    String log = Files.readString(said);
    if (code != 0) {
      List<String> errors = messages(log, "ERROR");
      throw errors.isEmpty()
          ? new CloudException(CloudException.UNKNOWN, log.strip())
          : CloudException.of(errors.get(errors.size() - 1));
    }
    boolean isJson = command.stream().anyMatch(word -> word.startsWith("--format=json"));
    return new Answer(isJson ? json(answer) : Json.of("text", answer.strip()), unreachable(log));
  }

  /** The messages that gcloud logged at a level; lines that are not JSON show its progress. */
  private static List<String> messages(String log, String level) {
    return log.lines()
        .flatMap(line -> record(line).stream())
        .filter(record -> Json.text(record, "verbosity").equals(level))
        .map(record -> Json.text(record, "message"))
        .toList();
  }

  private static Optional<JsonElement> record(String line) {
    try {
      return line.startsWith("{") ? Optional.of(JsonParser.parseString(line)) : Optional.empty();
    } catch (JsonParseException progress) {
      return Optional.empty();
    }
  }

  private static List<String> unreachable(String log) {
    return messages(log, "WARNING").stream()
        .flatMap(message -> message.lines().limit(1))
        .map(UNREACHABLE::matcher)
        .filter(Matcher::matches)
        .flatMap(matcher -> Arrays.stream(matcher.group(1).split(", *", -1)))
        .map(Json::id)
        .toList();
  }

  private static JsonElement json(String text) {
    return text.isBlank() ? new JsonArray() : JsonParser.parseString(text);
  }

  /** The token is never an argument of a program. It lasts an hour, which a deploy may outlast. */
  @Override
  public JsonElement http(String method, String url, String body) {
    try {
      return send(http, request(url), method, body);
    } catch (CloudException e) {
      if (!e.is(CloudException.UNAUTHENTICATED)) {
        throw e;
      }
      token = "";
      return send(http, request(url), method, body);
    }
  }

  @Override
  public JsonElement asAnybody(String url, String body) {
    return send(http, HttpRequest.newBuilder(URI.create(url)), "POST", body);
  }

  private HttpRequest.Builder request(String url) {
    if (token.isEmpty()) {
      token = Json.text(gcloud(List.of("auth", "print-access-token")).json(), "text");
    }
    return HttpRequest.newBuilder(URI.create(url))
        .header("Authorization", "Bearer " + token)
        .header("x-goog-user-project", project);
  }

  /**
   * Sends a request; an error has the status that its JSON tells.
   *
   * @throws CloudException if the answer is an error, is no JSON or does not come
   */
  static JsonElement send(
      HttpClient http, HttpRequest.Builder request, String method, String body) {
    request
        .timeout(MOST_FOR_CALL)
        .header("Content-Type", "application/json")
        .method(method, HttpRequest.BodyPublishers.ofString(body));
    try {
      HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString(UTF_8));
      JsonElement json = json(answer.body());
      if (answer.statusCode() / 100 == 2) {
        return json;
      }
      JsonElement error = json.isJsonArray() ? Json.objects(json, "").get(0) : json;
      String status = Json.text(error, "error.status");
      throw new CloudException(
          status.isEmpty() ? CloudException.UNKNOWN : status,
          answer.statusCode() + " " + status + ": " + Json.text(error, "error.message"));
    } catch (IOException | JsonParseException | IndexOutOfBoundsException e) {
      throw new CloudException(CloudException.UNAVAILABLE, "no answer: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CloudException(CloudException.UNAVAILABLE, "interrupted");
    }
  }
}
