package dev.tallyroll.local.up;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Enums;
import com.google.common.io.Resources;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tallyroll.local.LocalCloudException;
import dev.tallyroll.local.up.Controls.EventFault;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Serves the page on 127.0.0.1. It uses {@code GET /state} and {@code POST /control}. Thread-safe.
 *
 * <p>Pages of other sites must not use it. So it refuses a request that names another host
 * (somebody may make that name lead to 127.0.0.1), and a control that comes from another origin.
 */
final class PageServer implements AutoCloseable {
  /** Begins the request for a collection; the path of the user's document in it follows. */
  private static final String DOCUMENTS = "GET /documents/";

  private static final String HOST = "127.0.0.1";
  private static final int SYSTEM_BACKLOG = 0;
  private static final int THREADS = 8;
  private static final int LONGEST_CONTROL = 4_096;

  /** The imports of the Web SDK's modules, which lead to a server of Google's. */
  private static final Pattern SDK_IMPORT = Pattern.compile("(?<=from ')https:[^']+/");

  /** Lists are of the lite module: each query is a request of its own. */
  private static final Set<String> SDK_MODULES =
      Set.of("firebase-app.js", "firebase-firestore.js", "firebase-firestore-lite.js");

  private static final String SDK = "META-INF/resources/webjars/firebase/";
  private static final String SDK_PROPERTIES =
      "META-INF/maven/org.webjars.npm/firebase/pom.properties";
  private static final String JSON = "application/json";
  private static final Gson GSON = new GsonBuilder().serializeNulls().create();

  private final HttpServer server;
  private final Controls controls;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS, new ThreadFactoryBuilder().setNameFormat("page").setDaemon(true).build());
  private final Map<String, Answer> files = files();

  /**
   * Serves until it is closed.
   *
   * @param port 0 for a free one
   * @throws LocalCloudException if the port is taken
   */
  PageServer(int port, Controls controls) {
    this.controls = controls;
    try {
      var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      server = HttpServer.create(address, SYSTEM_BACKLOG);
    } catch (IOException e) {
      throw new LocalCloudException(
          "page: expected port %d of %s to be free; found: %s"
              .formatted(port, HOST, e.getMessage()),
          e);
    }
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  /** The address of the page. */
  URI address() {
    return URI.create("http://" + HOST + ":" + server.getAddress().getPort() + "/");
  }

  private record Answer(int status, String type, String body) {
    static Answer json(int status, Object value) {
      return new Answer(status, JSON, GSON.toJson(value));
    }

    static Answer refusal(int status, String reason) {
      return json(status, Map.of("error", reason));
    }
  }

  private static Map<String, Answer> files() {
    Map<String, Answer> files = new HashMap<>();
    files.put("/", file("text/html", resource("page/index.html")));
    files.put("/prices.json", file("application/json", resource("prices.json")));
    files.put("/style.css", file("text/css", resource("page/style.css")));
    for (String module : Set.of("page", "counters", "card", "chart", "costs", "firestore")) {
      String name = module + ".js";
      files.put("/" + name, file("text/javascript", resource("page/" + name)));
    }
    String version = resource(SDK_PROPERTIES).replaceAll("(?s).*version=(\\S+).*", "$1");
    for (String module : SDK_MODULES) {
      String code = resource(SDK + version + "/" + module);
      files.put(
          "/sdk/" + module, file("text/javascript", SDK_IMPORT.matcher(code).replaceAll("/sdk/")));
    }
    return Map.copyOf(files);
  }

  private static Answer file(String type, String text) {
    return new Answer(200, type + ";charset=utf-8", text);
  }

  private static String resource(String path) {
    try {
      return Resources.toString(Resources.getResource(path), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(path, e);
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Answer answer = answer(exchange);
      var headers = exchange.getResponseHeaders();
      headers.set("Content-Type", answer.type());
      headers.set("Cache-Control", "no-store");
      headers.set("X-Content-Type-Options", "nosniff");
      headers.set("Referrer-Policy", "no-referrer");
      headers.set("Content-Security-Policy", policy());
      byte[] body = answer.body().getBytes(UTF_8);
      exchange.sendResponseHeaders(answer.status(), body.length);
      exchange.getResponseBody().write(body);
    }
  }

  /** Allows our own files and the emulator, but no inline code and no other sites. */
  private String policy() {
    return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        + "connect-src 'self' http://%s; base-uri 'none'; form-action 'none'; "
            .formatted(controls.emulator())
        + "frame-ancestors 'none'";
  }

  private Answer answer(HttpExchange exchange) throws IOException {
    String host = String.valueOf(exchange.getRequestHeaders().getFirst("Host"));
    int port = server.getAddress().getPort();
    if (!Set.of(HOST + ":" + port, "localhost:" + port).contains(host)) {
      return Answer.refusal(403, "Host: expected %s:%d; found %s".formatted(HOST, port, host));
    }
    String request = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
    if (request.equals("POST /control")) {
      String origin = String.valueOf(exchange.getRequestHeaders().getFirst("Origin"));
      return origin.equals("http://" + host)
          ? control(exchange.getRequestBody())
          : Answer.refusal(403, "Origin: expected http://%s; found %s".formatted(host, origin));
    }
    if (request.startsWith(DOCUMENTS)) {
      return guarded(
          () -> Answer.json(200, controls.documents(request.substring(DOCUMENTS.length()))));
    }
    if (request.equals("GET /state")) {
      return guarded(() -> Answer.json(200, controls.state()));
    }
    Answer found = request.startsWith("GET ") ? files.get(request.substring(4)) : null;
    return found == null
        ? Answer.refusal(404, "expected the page, GET /state or POST /control; found " + request)
        : found;
  }

  private Answer control(InputStream body) throws IOException {
    byte[] bytes = body.readNBytes(LONGEST_CONTROL + 1);
    if (bytes.length > LONGEST_CONTROL) {
      return Answer.refusal(
          413, "control: expected at most %d bytes; found more".formatted(LONGEST_CONTROL));
    }
    return guarded(
        () -> {
          control(JsonParser.parseString(new String(bytes, UTF_8)));
          return Answer.json(200, Map.of());
        });
  }

  private static Answer guarded(Supplier<Answer> work) {
    try {
      return work.get();
    } catch (IllegalArgumentException | JsonParseException refused) {
      return Answer.refusal(400, String.valueOf(refused.getMessage()));
    } catch (RuntimeException failure) {
      return Answer.refusal(500, failure.toString());
    }
  }

  private void control(JsonElement body) {
    if (!(body instanceof JsonObject wanted)) {
      throw new IllegalArgumentException("control: expected a JSON object; found " + body);
    }
    String action = value(wanted, "action").getAsString();
    switch (action) {
      case "traffic" -> controls.setTraffic(value(wanted, "perSecond").getAsDouble());
      case "fault" ->
          controls.setFault(
              choice(EventFault.class, "fault", value(wanted, "fault").getAsString()),
              value(wanted, "happens").getAsBoolean());
      case "kill-rollup" -> controls.killRollUp();
      case "sweep" -> controls.sweep();
      case "create" ->
          controls.createCounter(
              value(wanted, "counter").getAsString(), value(wanted, "shards").getAsInt());
      default ->
          throw new IllegalArgumentException(
              "action: expected traffic, fault, kill-rollup, sweep or create; found " + action);
    }
  }

  private static <E extends Enum<E>> E choice(Class<E> type, String field, String found) {
    return Enums.getIfPresent(type, found)
        .toJavaUtil()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s: expected one of %s; found %s"
                        .formatted(field, Arrays.toString(type.getEnumConstants()), found)));
  }

  private static JsonPrimitive value(JsonObject wanted, String field) {
    if (wanted.get(field) instanceof JsonPrimitive value) {
      return value;
    }
    throw new IllegalArgumentException(
        "%s: expected a value; found %s".formatted(field, wanted.get(field)));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
