package dev.tallyroll.local;

import com.google.gson.JsonArray;
import dev.tallyroll.local.ChildProcess.Program;
import java.io.File;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The official Firestore emulator in a child JVM, alone or with its events sent somewhere.
 * Thread-safe.
 */
public final class FirestoreEmulator implements AutoCloseable {
  /** What the script that finds emulators calls it. */
  static final String NAME = "firestore";

  private static final String WRITTEN = "google.cloud.firestore.document.v1.written";

  private final HttpClient http = Loopback.client();
  private final ChildProcess child;
  private final int port;

  private FirestoreEmulator(ChildProcess child, int port) {
    this.child = child;
    this.port = port;
  }

  /**
   * Starts one that sends its events to nobody, and waits until it serves.
   *
   * @param environment of the launcher: where to find emulators
   * @param log where plain lines for a person go
   */
  public static FirestoreEmulator start(Map<String, String> environment, Consumer<String> log) {
    int port = Loopback.freePorts(1).get(0);
    var emulator = launch(found(environment, log), port, List.of(), environment);
    try {
      emulator.awaitReady();
      return emulator;
    } catch (RuntimeException | Error e) {
      emulator.close();
      throw e;
    }
  }

  /** Where an emulator's classes are, Google's own path patterns among them. */
  public static List<Path> classPath(Map<String, String> environment, Consumer<String> log) {
    return Arrays.stream(found(environment, log).classPath().split(File.pathSeparator, -1))
        .map(Path::of)
        .toList();
  }

  private static Program found(Map<String, String> environment, Consumer<String> log) {
    var programs = Checkout.fromSystemProperty().emulators(environment, log, NAME);
    return Objects.requireNonNull(programs.get(NAME));
  }

  /**
   * Starts it; does not wait.
   *
   * @param hookPort where it shall send its events: one at a time, waiting for the answer, never
   *     repeating one
   * @param environment of the launcher
   */
  static FirestoreEmulator launch(
      Program program, int port, int hookPort, Map<String, String> environment) {
    var hook = List.of("--functions_emulator=" + Loopback.HOST + ":" + hookPort);
    return launch(program, port, hook, environment);
  }

  private static FirestoreEmulator launch(
      Program program, int port, List<String> further, Map<String, String> environment) {
    var arguments = new ArrayList<>(List.of("start", "--host=" + Loopback.HOST, "--port=" + port));
    arguments.addAll(further);
    var child =
        ChildProcess.start(
            "the Firestore emulator", program, arguments, environment(environment), line -> {});
    return new FirestoreEmulator(child, port);
  }

  /**
   * An emulator's: English, as its messages are matched; the heap is bounded, as it would else take
   * a quarter of the machine.
   */
  static Map<String, String> environment(Map<String, String> launcher) {
    var environment = ChildProcess.inherited(launcher);
    environment.put(ChildProcess.JVM_OPTIONS, "-Duser.language=en -Xmx1g");
    return environment;
  }

  void awaitReady() {
    child.awaitAnswer(http, Loopback.uri(port, "/"));
  }

  /**
   * From now on every write to a document of that path pattern is an event. No call takes a trigger
   * back.
   */
  void registerTrigger(String project, String database, String id, String pattern) {
    var path =
        "/emulator/v1/projects/%s/eventarcTrigger?eventarcTriggerId=%s"
            .formatted(project, URLEncoder.encode(id, StandardCharsets.UTF_8));
    Loopback.call(
        http,
        "POST",
        Loopback.uri(port, path),
        Map.of(
            "eventType",
            WRITTEN,
            "database",
            database,
            "namespace",
            "(default)",
            "document",
            Map.of("value", pattern, "matchType", "PATH_PATTERN")));
  }

  /**
   * Holds clients of that project to these security rules.
   *
   * @return what their compiler warns of
   * @throws LocalCloudException if they do not compile: the project keeps what it has
   */
  public List<String> loadRules(String project, String rules) {
    var answer =
        Loopback.call(
            http,
            "PUT",
            Loopback.uri(port, "/emulator/v1/projects/%s:securityRules".formatted(project)),
            Map.of(
                "rules",
                Map.of("files", List.of(Map.of("name", "firestore.rules", "content", rules)))));
    var issues = Optional.ofNullable(answer.getAsJsonArray("issues")).orElseGet(JsonArray::new);
    return issues.asList().stream()
        .map(issue -> issue.getAsJsonObject().get("description").getAsString())
        .toList();
  }

  /** Host and port, for {@code FIRESTORE_EMULATOR_HOST}. */
  public String address() {
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
