package dev.tallyroll.local;

import com.google.gson.JsonObject;
import dev.tallyroll.local.ChildProcess.Program;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The official Pub/Sub emulator in a child JVM, with one topic. Thread-safe. */
final class PubSubEmulator implements AutoCloseable {
  /** What the script that finds emulators calls it. */
  static final String NAME = "pubsub";

  /** The longest that Pub/Sub allows, so that no message comes twice while a run holds it. */
  private static final Duration ACK_DEADLINE = Duration.ofMinutes(10);

  private final HttpClient http = Loopback.client();
  private final ChildProcess child;
  private final int port;
  private final String topic;

  private PubSubEmulator(ChildProcess child, int port, String topic) {
    this.child = child;
    this.port = port;
    this.topic = topic;
  }

  /**
   * Starts it; does not wait.
   *
   * @param topic its full name
   * @param environment of the launcher
   */
  static PubSubEmulator launch(
      Program program, int port, String topic, Map<String, String> environment) {
    var child =
        ChildProcess.start(
            "the Pub/Sub emulator",
            program,
            List.of("--host=" + Loopback.HOST, "--port=" + port),
            FirestoreEmulator.environment(environment),
            line -> {});
    return new PubSubEmulator(child, port, topic);
  }

  void awaitReady() {
    child.awaitAnswer(http, Loopback.uri(port, "/"));
  }

  /** Creates the topic; from now on every message of it is sent to the address. */
  void subscribe(URI address) {
    call("PUT", topic, Map.of());
    call(
        "PUT",
        topic.replace("/topics/", "/subscriptions/"),
        Map.of(
            "topic",
            topic,
            "ackDeadlineSeconds",
            ACK_DEADLINE.toSeconds(),
            "pushConfig",
            Map.of("pushEndpoint", address.toString())));
  }

  /** Publishes a message without a body; returns its id. */
  String publish(Map<String, String> attributes) {
    var body = Map.of("messages", List.of(Map.of("attributes", attributes)));
    return call("POST", topic + ":publish", body).getAsJsonArray("messageIds").get(0).getAsString();
  }

  private JsonObject call(String method, String resource, Map<String, ?> body) {
    return Loopback.call(http, method, Loopback.uri(port, "/v1/" + resource), body);
  }

  /** Host and port, for {@code PUBSUB_EMULATOR_HOST}. */
  String address() {
    return Loopback.HOST + ":" + port;
  }

  long pid() {
    return child.pid();
  }

  @Override
  public void close() {
    child.close();
  }
}
