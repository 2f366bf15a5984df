package dev.tallyroll.local;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.tallyroll.local.JvmCommand.Program;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The official Pub/Sub emulator in a child JVM. Thread-safe. */
final class PubSubEmulator implements AutoCloseable {
  private static final String NAME = "the Pub/Sub emulator";

  /** The longest that Pub/Sub allows, so that no message comes twice while a run holds it. */
  private static final Duration ACK_DEADLINE = Duration.ofMinutes(10);

  private final ChildProcess child;
  private final int port;
  private final HttpClient http;

  private PubSubEmulator(ChildProcess child, int port, HttpClient http) {
    this.child = child;
    this.port = port;
    this.http = http;
  }

  /** Starts it; does not wait. */
  static PubSubEmulator launch(Program program, int port, Map<String, String> environment) {
    var arguments = List.of("--host=" + Loopback.HOST, "--port=" + port);
    var command = new JvmCommand(NAME, program, Emulators.JVM_OPTIONS, arguments, environment);
    return new PubSubEmulator(ChildProcess.start(command, line -> {}), port, Loopback.client());
  }

  PubSubEmulator awaitReady() {
    new Readiness(http).await(child, NAME, Loopback.uri(port, "/"));
    return this;
  }

  void createTopic(Topic topic) {
    rest().put("/v1/" + topic.name(), new JsonObject());
  }

  /** From now on every message of the topic is sent to the address. */
  void subscribe(Topic topic, String subscription, URI address) {
    var push = new JsonObject();
    push.addProperty("pushEndpoint", address.toString());
    var body = new JsonObject();
    body.addProperty("topic", topic.name());
    body.addProperty("ackDeadlineSeconds", ACK_DEADLINE.toSeconds());
    body.add("pushConfig", push);
    rest().put("/v1/projects/%s/subscriptions/%s".formatted(topic.project(), subscription), body);
  }

  /** Publishes a message without a body; returns its id. */
  String publish(Topic topic, Map<String, String> attributes) {
    var pairs = new JsonObject();
    attributes.forEach(pairs::addProperty);
    var message = new JsonObject();
    message.add("attributes", pairs);
    var messages = new JsonArray();
    messages.add(message);
    var body = new JsonObject();
    body.add("messages", messages);
    var answer = rest().post("/v1/" + topic.name() + ":publish", body);
    return answer.getAsJsonArray("messageIds").get(0).getAsString();
  }

  private Rest rest() {
    return new Rest(http, port);
  }

  String address() {
    return Loopback.HOST + ":" + port;
  }

  ChildProcess child() {
    return child;
  }

  @Override
  public void close() {
    child.close();
  }
}
