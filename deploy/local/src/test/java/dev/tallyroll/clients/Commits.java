package dev.tallyroll.clients;

import dev.tallyroll.local.LocalCloud;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

/** Firestore's commits by REST, where any client's bytes can be sent. Thread-safe. */
final class Commits {
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final LocalCloud cloud;

  Commits(LocalCloud cloud) {
    this.cloud = cloud;
  }

  /** As a document is named on the wire. */
  String name(String document) {
    return "projects/%s/databases/%s/documents/%s"
        .formatted(cloud.project(), cloud.database(), document);
  }

  /** Sends the writes as one commit; returns the status of the answer. */
  int send(List<String> writes) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create("http://" + cloud.firestoreHost() + "/v1/" + path()))
            .timeout(ANSWER_WITHIN)
            .header("Content-Type", "application/json")
            .header("Authorization", "Bearer owner")
            .POST(BodyPublishers.ofString("{\"writes\": [" + String.join(",", writes) + "]}"))
            .build();
    return HTTP.send(request, BodyHandlers.discarding()).statusCode();
  }

  private String path() {
    return "projects/%s/databases/%s/documents:commit".formatted(cloud.project(), cloud.database());
  }
}
