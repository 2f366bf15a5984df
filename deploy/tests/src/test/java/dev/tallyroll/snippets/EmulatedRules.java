package dev.tallyroll.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import dev.tallyroll.Home;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Security rules of one project in an emulator, beside those of others. */
public final class EmulatedRules {
  private EmulatedRules() {}

  /** Prints the rules for settings, as users do. */
  public static String print(String settings) throws Exception {
    Path file = Files.createTempFile("rules", ".env");
    Files.writeString(file, settings);
    try {
      return Home.run(Home.ROOT, Map.of(), "deploy/gcloud/rules", "--settings", file.toString());
    } finally {
      Files.delete(file);
    }
  }

  /** Puts an app's own matches below the last of these rules. */
  public static String with(String rules, String matches) {
    int end = rules.lastIndexOf("  }\n}");
    return rules.substring(0, end) + matches + rules.substring(end);
  }

  /** The matches of printed rules, without the lines around them. */
  public static String matches(String rules) {
    String start = "documents {\n";
    return rules.substring(rules.indexOf(start) + start.length(), rules.lastIndexOf("  }\n}"));
  }

  /** Publishes rules. */
  public static void publish(String emulator, String project, String rules) throws Exception {
    var file = Map.of("name", "own.rules", "content", rules);
    var body = new Gson().toJson(Map.of("rules", Map.of("files", List.of(file))));
    var address = "http://%s/emulator/v1/projects/%s:securityRules".formatted(emulator, project);
    var request = HttpRequest.newBuilder(URI.create(address)).PUT(BodyPublishers.ofString(body));
    var answer = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }
}
