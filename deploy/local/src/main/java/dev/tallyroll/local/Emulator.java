package dev.tallyroll.local;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.local.ChildProcess.Program;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One of the official emulators, of Firestore or of Pub/Sub, in a child JVM, and what its REST
 * interface is asked for. Thread-safe.
 */
public final class Emulator implements AutoCloseable {
  /** The emulator's name in the script that finds emulators. */
  static final String FIRESTORE = "firestore";

  static final String PUBSUB = "pubsub";

  /** The longest that Pub/Sub allows, so that no message comes twice while a run holds it. */
  private static final Duration ACK_DEADLINE = Duration.ofMinutes(10);

  private static final String WRITTEN = "google.cloud.firestore.document.v1.written";
  private static final int MOST_REPEATS = 5;
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

  private final HttpClient http = Loopback.client();

  /**
   * English, as its messages are matched; a bounded heap, as it would else take a quarter of the
   * machine; and as a function's, for what the second compiler does while one starts costs more
   * than it saves.
   */
  private static final String JVM_OPTIONS =
      "-Duser.language=en -Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  private final ChildProcess child;
  private final int port;

  /** Launches it; does not wait. */
  private Emulator(
      String name,
      Program program,
      int port,
      List<String> arguments,
      Map<String, String> launcher) {
    var environment = ChildProcess.inherited(launcher);
    environment.put(ChildProcess.JVM_OPTIONS, JVM_OPTIONS);
    this.child = ChildProcess.start(name, program, arguments, environment, line -> {});
    this.port = port;
  }

  /**
   * Launches Firestore's; does not wait.
   *
   * @param host the address that it listens on
   * @param launcher the launcher's environment
   * @param further arguments, such as {@link #eventsTo}
   */
  static Emulator firestore(
      Program program, String host, int port, Map<String, String> launcher, String... further) {
    var arguments = new ArrayList<>(List.of(further));
    arguments.addAll(0, List.of("start", "--host=" + host, "--port=" + port));
    return new Emulator("the Firestore emulator", program, port, arguments, launcher);
  }

  /** Has Firestore's send its events there: one at a time, waiting for the answer, once each. */
  static String eventsTo(int port) {
    return "--functions_emulator=" + Loopback.HOST + ":" + port;
  }

  /** Has Firestore's start with the data of an export, which its metadata file names. */
  static String importing(Path metadata) {
    return "--import-data=" + metadata;
  }

  /**
   * Launches Pub/Sub's; does not wait.
   *
   * @param launcher the launcher's environment
   */
  static Emulator pubSub(Program program, int port, Map<String, String> launcher) {
    var arguments = List.of("--host=" + Loopback.HOST, "--port=" + port);
    return new Emulator("the Pub/Sub emulator", program, port, arguments, launcher);
  }

  /**
   * Starts one of Firestore that sends its events to nobody, and waits until it serves.
   *
   * @param launcher the launcher's environment, which says where to find it
   * @param log where plain lines for a person go
   */
  public static Emulator start(Map<String, String> launcher, Consumer<String> log) {
    int port = Loopback.freePorts(1).get(0);
    var emulator = firestore(found(launcher, log), Loopback.HOST, port, launcher);
    try {
      emulator.awaitReady();
      return emulator;
    } catch (RuntimeException | Error e) {
      emulator.close();
      throw e;
    }
  }

  /** Where the classes of Firestore's are, Google's own path patterns among them. */
  public static List<Path> classPath(Map<String, String> launcher, Consumer<String> log) {
    return Arrays.stream(found(launcher, log).classPath().split(File.pathSeparator, -1))
        .map(Path::of)
        .toList();
  }

  private static Program found(Map<String, String> launcher, Consumer<String> log) {
    var programs = Checkout.fromSystemProperty().emulators(launcher, log, FIRESTORE);
    return Objects.requireNonNull(programs.get(FIRESTORE));
  }

  void awaitReady() {
    child.awaitAnswer(http, Loopback.uri(port, "/"));
  }

  /**
   * From now on every write to a document of that path pattern is an event. No call takes a trigger
   * back.
   */
  void registerTrigger(String project, String database, String id, String pattern) {
    var document = Map.of("value", pattern, "matchType", "PATH_PATTERN");
    call(
        "POST",
        "/emulator/v1/projects/%s/eventarcTrigger?eventarcTriggerId=%s".formatted(project, id),
        Map.of(
            "eventType", WRITTEN,
            "database", database,
            "namespace", "(default)",
            "document", document));
  }

  /**
   * Holds clients of that project to these security rules.
   *
   * @return what their compiler warns of
   * @throws LocalCloudException if they do not compile: the project keeps what it has
   */
  public List<String> loadRules(String project, String rules) {
    var files = List.of(Map.of("name", "firestore.rules", "content", rules));
    var answer =
        call(
            "PUT",
            "/emulator/v1/projects/%s:securityRules".formatted(project),
            Map.of("rules", Map.of("files", files)));
    var issues = Optional.ofNullable(answer.getAsJsonArray("issues")).orElseGet(JsonArray::new);
    return issues.asList().stream()
        .map(issue -> issue.getAsJsonObject().get("description").getAsString())
        .toList();
  }

  /**
   * Writes a database's data to a new folder.
   *
   * @throws LocalCloudException if it cannot be written
   */
  void export(String project, String database, Path folder) {
    call(
        "POST",
        "/emulator/v1/projects/%s:export".formatted(project),
        Map.of(
            "database", "projects/%s/databases/%s".formatted(project, database),
            "export_directory", folder.toString(),
            "export_name", "firestore_export"));
  }

  /**
   * Creates the topic; from now on every message of it is sent to the address.
   *
   * @param topic its full name
   */
  void subscribe(String topic, URI address) {
    call("PUT", "/v1/" + topic, Map.of());
    call(
        "PUT",
        "/v1/" + topic.replace("/topics/", "/subscriptions/"),
        Map.of(
            "topic", topic,
            "ackDeadlineSeconds", ACK_DEADLINE.toSeconds(),
            "pushConfig", Map.of("pushEndpoint", address.toString())));
  }

  /** Publishes a message without a body; returns its id. */
  String publish(String topic, Map<String, String> attributes) {
    var body = Map.of("messages", List.of(Map.of("attributes", attributes)));
    var answer = call("POST", "/v1/" + topic + ":publish", body);
    return answer.getAsJsonArray("messageIds").get(0).getAsString();
  }

  /**
   * Any answer but a good one is an error that quotes it. An emulator that has just started on a
   * busy machine answers 500 at first, with no text: it is asked again.
   */
  private JsonObject call(String method, String path, Map<String, ?> body) {
    var address = Loopback.uri(port, path);
    var request =
        HttpRequest.newBuilder(address)
            .timeout(ANSWER_WITHIN)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(new Gson().toJson(body)))
            .build();
    try {
      var answer = http.send(request, BodyHandlers.ofString());
      for (int again = 0; answer.statusCode() / 100 == 5 && again < MOST_REPEATS; again++) {
        TimeUnit.SECONDS.sleep(1);
        answer = http.send(request, BodyHandlers.ofString());
      }
      if (answer.statusCode() / 100 != 2) {
        throw new LocalCloudException(
            "%s %s: expected a status of 2xx, found %d: %s"
                .formatted(method, address, answer.statusCode(), answer.body()));
      }
      return JsonParser.parseString(answer.body()).getAsJsonObject();
    } catch (IOException e) {
      throw new LocalCloudException("%s %s was not answered".formatted(method, address), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalCloudException("interrupted during %s %s".formatted(method, address), e);
    }
  }

  /** Host and port, for {@code FIRESTORE_EMULATOR_HOST} or {@code PUBSUB_EMULATOR_HOST}. */
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
