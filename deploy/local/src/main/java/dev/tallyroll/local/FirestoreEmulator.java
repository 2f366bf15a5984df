package dev.tallyroll.local;

import com.google.gson.JsonObject;
import dev.tallyroll.local.JvmCommand.Program;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The official Firestore emulator in a child JVM, alone or with its events sent to a {@link
 * TriggerHook}. Thread-safe.
 */
public final class FirestoreEmulator implements AutoCloseable {
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

  /**
   * Starts one that sends its events to nobody, and waits until it serves.
   *
   * @param environment of the launcher: where to find emulators
   * @param log where plain lines for a person go
   */
  public static FirestoreEmulator start(Map<String, String> environment, Consumer<String> log) {
    var program = EmulatorFinder.ofUser(environment, log).findFirestore();
    var kept = ChildEnvironment.ofEmulator(environment);
    var emulator = launch(program, Ports.free(1).get(0), List.of(), kept);
    try {
      return emulator.awaitReady();
    } catch (RuntimeException | Error e) {
      emulator.close();
      throw e;
    }
  }

  /** Where an emulator's classes are, Google's own path patterns among them. */
  public static List<Path> classPath(Map<String, String> environment, Consumer<String> log) {
    return EmulatorFinder.ofUser(environment, log).findFirestore().classPath();
  }

  /** Starts it; does not wait. */
  static FirestoreEmulator launch(
      Program program, int port, int hookPort, Map<String, String> environment) {
    var hook = List.of("--functions_emulator=" + Loopback.HOST + ":" + hookPort);
    return launch(program, port, hook, environment);
  }

  private static FirestoreEmulator launch(
      Program program, int port, List<String> further, Map<String, String> environment) {
    var arguments = new ArrayList<>(List.of("start", "--host=" + Loopback.HOST, "--port=" + port));
    arguments.addAll(further);
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

  /** Host and port, for {@code FIRESTORE_EMULATOR_HOST}. */
  public String address() {
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
