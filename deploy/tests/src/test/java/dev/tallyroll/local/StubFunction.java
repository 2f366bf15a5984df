package dev.tallyroll.local;

import com.google.cloud.functions.CloudEventsFunction;
import io.cloudevents.CloudEvent;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Objects;

/**
 * Passes every event to the test's {@link Recorder}, and fails if that tells it to. Needs only the
 * invoker.
 */
public final class StubFunction implements CloudEventsFunction {
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);
  private final HttpClient http = HttpClient.newHttpClient();

  @Override
  public void accept(CloudEvent event) throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create(System.getenv("RECORDER") + System.getenv("K_SERVICE")))
            .timeout(ANSWER_WITHIN)
            .POST(BodyPublishers.ofByteArray(Objects.requireNonNull(event.getData()).toBytes()))
            .header("ce-id", event.getId())
            .header("ce-type", event.getType())
            .header("ce-source", event.getSource().toString())
            .header("ce-document", String.valueOf(event.getExtension("document")))
            .header("content-type", String.valueOf(event.getDataContentType()))
            .build();
    int status = http.send(request, BodyHandlers.discarding()).statusCode();
    if (status != Recorder.OK) {
      throw new IllegalStateException("the test wants this event to fail");
    }
  }
}
