package dev.tallyroll.local;

import com.google.common.net.HostAndPort;
import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.local.ChildProcess.Program;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
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
 * One of the official emulators, of Firestore or of Pub/Sub, in a child JVM, and our calls of its
 * REST interface. Thread-safe.
 */
public final class Emulator implements AutoCloseable {
  /** The emulator's name in the script that finds emulators. */
  static final String FIRESTORE = "firestore";

  static final String PUBSUB = "pubsub";

  /** The Java that a child runs on: the launcher's, whatever {@code JAVA_HOME} or the path has. */
  static final int JAVA = Runtime.version().feature();

  /** Pub/Sub's longest deadline, so that it repeats no message while a run holds it. */
  private static final Duration ACK_DEADLINE = Duration.ofMinutes(10);

  /** The type of events about any write of a document. */
  static final String WRITTEN = "google.cloud.firestore.document.v1.written";

  static final String CREATED = "google.cloud.firestore.document.v1.created";

  /** The database that needs no name. */
  public static final String DEFAULT_DATABASE = "(default)";

  private static final int MOST_REPEATS = 5;
  private static final int MALFORMED = 400;
  private static final int REFUSED = 403;
  private static final int NOT_FOUND = 404;

  /** The first compilation of rules takes long while others use the processors, too. */
  private static final Duration ANSWER_WITHIN = Duration.ofMinutes(5);

  private final HttpClient http = Loopback.client();

  /**
   * English, since we match its messages; a small heap, since the default is a quarter of the
   * machine's memory; and, as in the functions, no second compiler, which costs a start more than
   * it saves.
   */
  private static final String JVM_OPTIONS =
      "-Duser.language=en -Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  /** Empty if somebody else has started the emulator. */
  private final Optional<ChildProcess> child;

  private final String address;

  private Emulator(String address, Optional<ChildProcess> child) {
    this.address = address;
    this.child = child;
  }

  /** Launches an emulator; does not wait until it works. */
  private Emulator(String name, Program program, int port, List<String> arguments) {
    var environment = ChildProcess.inherited(System.getenv());
    environment.put(ChildProcess.JVM_OPTIONS, JVM_OPTIONS);
    this.child = Optional.of(ChildProcess.start(name, program, arguments, environment, line -> {}));
    this.address = Loopback.HOST + ":" + port;
  }

  /**
   * A Firestore emulator that somebody else has started, and will end.
   *
   * @throws LocalCloudException if nothing listens there
   */
  public static Emulator attached(HostAndPort address) {
    return attached("a Firestore emulator", address);
  }

  /** The same of Pub/Sub. */
  static Emulator attachedPubSub(HostAndPort address) {
    return attached("a Pub/Sub emulator", address);
  }

  private static Emulator attached(String expected, HostAndPort address) {
    try {
      new Socket(address.getHost(), address.getPort()).close();
      return new Emulator(address.toString(), Optional.empty());
    } catch (IOException e) {
      throw new LocalCloudException(
          "expected %s at %s, found %s".formatted(expected, address, e), e);
    }
  }

  /**
   * Launches Firestore's emulator; does not wait until it works.
   *
   * @param host the address that the emulator listens on
   * @param further arguments, such as {@link #eventsTo}
   */
  static Emulator firestore(Program program, String host, int port, String... further) {
    var arguments = new ArrayList<>(List.of(further));
    arguments.addAll(0, List.of("start", "--host=" + host, "--port=" + port));
    return new Emulator("the Firestore emulator", program, port, arguments);
  }

  /** Makes Firestore's emulator send each event there once, and wait for an answer to each. */
  static String eventsTo(int port) {
    return "--functions_emulator=" + Loopback.HOST + ":" + port;
  }

  /** Makes Firestore's emulator start with an export's data. The metadata file leads to these. */
  static String importing(Path metadata) {
    return "--import-data=" + metadata;
  }

  /** Launches Pub/Sub's emulator; does not wait until it works. */
  static Emulator pubSub(Program program, int port) {
    var arguments = List.of("--host=" + Loopback.HOST, "--port=" + port);
    return new Emulator("the Pub/Sub emulator", program, port, arguments);
  }

  /**
   * Starts a Firestore emulator that sends no events, and waits until it works.
   *
   * @param log takes plain lines for a person
   */
  public static Emulator start(Consumer<String> log) {
    int port = Loopback.freePorts(1).get(0);
    var emulator = firestore(found(log), Loopback.HOST, port);
    try {
      emulator.awaitReady();
      return emulator;
    } catch (RuntimeException | Error e) {
      emulator.close();
      throw e;
    }
  }

  /** The class path of Firestore's emulator, which has Google's own classes for path patterns. */
  public static List<Path> classPath(Consumer<String> log) {
    return Arrays.stream(found(log).classPath().split(File.pathSeparator, -1))
        .map(Path::of)
        .toList();
  }

  private static Program found(Consumer<String> log) {
    var programs = Checkout.fromSystemProperty().emulators(JAVA, System.getenv(), log, FIRESTORE);
    return Objects.requireNonNull(programs.get(FIRESTORE));
  }

  void awaitReady() {
    child.ifPresent(started -> started.awaitAnswer(http, uri("/")));
  }

  /** Fails if it was another program that answered {@link #awaitReady}. */
  void requireAlive() {
    child.ifPresent(started -> started.requireAlive(uri("/")));
  }

  /**
   * Makes an event of each later write of this type to a document of this path pattern. No call
   * removes a trigger.
   */
  void registerTrigger(String project, String database, String id, String type, String pattern) {
    var document = Map.of("value", pattern, "matchType", "PATH_PATTERN");
    call(
        "POST",
        "/emulator/v1/projects/%s/eventarcTrigger?eventarcTriggerId=%s".formatted(project, id),
        Map.of(
            "eventType", type,
            "database", database,
            "namespace", "(default)",
            "document", document));
  }

  /**
   * Puts these security rules in force for clients of the project's database.
   *
   * @return the warnings of the rules' compiler, each with its line and column, as in its errors
   * @throws LocalCloudException if the rules do not compile; the database then keeps its old rules
   */
  public List<String> loadRules(String project, String database, String rules) {
    var files = List.of(Map.of("name", "firestore.rules", "content", rules));
    // The address without a database is that of older emulators.
    var named = database.equals(DEFAULT_DATABASE) ? "" : "/databases/" + database;
    var answer =
        send(
            "PUT",
            "/emulator/v1/projects/%s%s:securityRules".formatted(project, named),
            Map.of("rules", Map.of("files", files)));
    if (answer.statusCode() == MALFORMED) {
      var error = JsonParser.parseString(answer.body()).getAsJsonObject().getAsJsonObject("error");
      throw new LocalCloudException(
          "expected security rules that compile, found\n"
              + error.get("message").getAsString().replaceFirst("^Error compiling rules:\n", ""));
    }
    var issues =
        Optional.ofNullable(accepted(answer).getAsJsonArray("issues")).orElseGet(JsonArray::new);
    return issues.asList().stream().map(issue -> described(issue.getAsJsonObject())).toList();
  }

  private static String described(JsonObject issue) {
    var place = issue.getAsJsonObject("sourcePosition");
    return "L%s:%s %s"
        .formatted(place.get("line"), place.get("column"), issue.get("description").getAsString());
  }

  /**
   * Whether a client that is not signed in may write this document. It tries to: with a write of no
   * field that asks for the document, so that nothing changes.
   *
   * @param document one that is not there
   */
  boolean isOpenToAll(String project, String database, String document) {
    var documents = "projects/%s/databases/%s/documents".formatted(project, database);
    var write =
        Map.of(
            "update", Map.of("name", documents + "/" + document),
            "updateMask", Map.of(),
            "currentDocument", Map.of("exists", true));
    var answer = send("POST", "/v1/" + documents + ":commit", Map.of("writes", List.of(write)));
    return switch (answer.statusCode()) {
      case REFUSED -> false;
      case NOT_FOUND -> true; // the rules have let it pass
      default -> throw unexpected(answer);
    };
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
   * Creates the topic, and sends each of its messages to the address.
   *
   * @param topic its full name
   */
  void subscribe(String topic, URI address) {
    call("PUT", "/v1/" + topic, Map.of());
    call(
        "PUT",
        subscription(topic),
        Map.of(
            "topic", topic,
            "ackDeadlineSeconds", ACK_DEADLINE.toSeconds(),
            "pushConfig", Map.of("pushEndpoint", address.toString())));
  }

  /** Removes the topic, and its messages that are under way. */
  void unsubscribe(String topic) {
    call("DELETE", subscription(topic), Map.of());
    call("DELETE", "/v1/" + topic, Map.of());
  }

  private static String subscription(String topic) {
    return "/v1/" + topic.replace("/topics/", "/subscriptions/");
  }

  /** Publishes a message without a body; returns its id. */
  String publish(String topic, Map<String, String> attributes) {
    var body = Map.of("messages", List.of(Map.of("attributes", attributes)));
    var answer = call("POST", "/v1/" + topic + ":publish", body);
    return answer.getAsJsonArray("messageIds").get(0).getAsString();
  }

  /** Makes a call. If its status is not 2xx, throws an error that quotes the answer. */
  private JsonObject call(String method, String path, Map<String, ?> body) {
    return accepted(send(method, path, body));
  }

  private static JsonObject accepted(HttpResponse<String> answer) {
    if (answer.statusCode() / 100 != 2) {
      throw unexpected(answer);
    }
    return JsonParser.parseString(answer.body()).getAsJsonObject();
  }

  private static LocalCloudException unexpected(HttpResponse<String> answer) {
    var request = answer.request();
    return new LocalCloudException(
        "%s %s: expected another status, found %d: %s"
            .formatted(request.method(), request.uri(), answer.statusCode(), answer.body()));
  }

  /**
   * Makes a call. An emulator that has just started on a busy machine may answer 500 without a
   * text, or hang up; the call is then repeated. None of ours does harm twice.
   */
  private HttpResponse<String> send(String method, String path, Map<String, ?> body) {
    var address = uri(path);
    var request =
        HttpRequest.newBuilder(address)
            .timeout(ANSWER_WITHIN)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(new Gson().toJson(body)))
            .build();
    try {
      for (int repeats = 0; ; repeats++) {
        boolean isLast = repeats == MOST_REPEATS;
        try {
          var answer = http.send(request, BodyHandlers.ofString());
          if (answer.statusCode() / 100 != 5 || isLast) {
            return answer;
          }
        } catch (IOException e) {
          if (isLast || e instanceof HttpTimeoutException) {
            throw new LocalCloudException(
                "%s %s was not answered: %s".formatted(method, address, e), e);
          }
        }
        TimeUnit.SECONDS.sleep(1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalCloudException("interrupted during %s %s".formatted(method, address), e);
    }
  }

  /** Host and port, for {@code FIRESTORE_EMULATOR_HOST} or {@code PUBSUB_EMULATOR_HOST}. */
  public String address() {
    return address;
  }

  private URI uri(String path) {
    return URI.create("http://" + address + path);
  }

  /** Ends it, unless somebody else has started it. */
  @Override
  public void close() {
    child.ifPresent(ChildProcess::close);
  }
}
