package dev.tallyroll.local;

import com.google.gson.JsonObject;
import dev.tallyroll.local.JvmCommand.Program;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * The official Firestore emulator in a child JVM, with its events sent to a {@link TriggerHook}.
 * Thread-safe.
 */
final class FirestoreEmulator implements AutoCloseable {
  private static final String NAME = "the Firestore emulator";
  private static final String WRITTEN = "google.cloud.firestore.document.v1.written";

  private final ChildProcess child;
  private final int port;
  private final HttpClient http;

  private FirestoreEmulator(ChildProcess child, int port, HttpClient http) {
    this.child = child;
    this.port = port;
    this.http = http;
  }

  /** Starts it; does not wait. */
  static FirestoreEmulator launch(
      Program program, int port, int hookPort, Map<String, String> environment) {
    var arguments =
        List.of(
            "start",
            "--host=" + Loopback.HOST,
            "--port=" + port,
            "--functions_emulator=" + Loopback.HOST + ":" + hookPort);
    var command = new JvmCommand(NAME, program, Emulators.JVM_OPTIONS, arguments, environment);
    return new FirestoreEmulator(ChildProcess.start(command, line -> {}), port, Loopback.client());
  }

  FirestoreEmulator awaitReady() {
    new Readiness(http).await(child, NAME, Loopback.uri(port, "/"));
    return this;
  }

  /**
   * From now on every write to a document of that path pattern is an event. No call takes a trigger
   * back.
   */
  void registerTrigger(String project, String database, String id, String pattern) {
    var document = new JsonObject();
    document.addProperty("value", pattern);
    document.addProperty("matchType", "PATH_PATTERN");
    var trigger = new JsonObject();
    trigger.addProperty("eventType", WRITTEN);
    trigger.addProperty("database", database);
    trigger.addProperty("namespace", "(default)");
    trigger.add("document", document);
    var path =
        "/emulator/v1/projects/%s/eventarcTrigger?eventarcTriggerId=%s"
            .formatted(project, URLEncoder.encode(id, StandardCharsets.UTF_8));
    new Rest(http, port).post(path, trigger);
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
