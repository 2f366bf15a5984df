package dev.tallyroll.local;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.tallyroll.local.Deliveries.Backoff;
import dev.tallyroll.local.FunctionServer.Function;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** The running parts of a {@link LocalCloud}, wired together. Thread-safe, as each part is. */
final class Stack {
  /** Of Firestore, of Pub/Sub and of the roller. */
  private static final int OTHER_PORTS = 3;

  private static final int NO_CONTENT = 204;
  private static final int NO_BODY = -1;

  final FirestoreEmulator firestore;
  final FaultyFirestore calls;
  final PubSubEmulator pubSub;
  final List<FunctionServer> handlers;
  final FunctionServer roller;
  final Deliveries deliveries;
  final Deliveries messages;
  final Closing closing;
  private final LocalCloudOptions options;

  /** Leaves nothing behind when it fails. */
  static Stack start(LocalCloudOptions options) {
    var closing = new Closing(options.log);
    try {
      var stack = new Stack(options, closing);
      stack.connect();
      return stack;
    } catch (RuntimeException | Error e) {
      closing.close();
      throw e;
    }
  }

  /**
   * Launches the children; waits for Firestore only, as functions read from it before they listen.
   * A part is closed with the others from the moment it exists.
   */
  private Stack(LocalCloudOptions options, Closing closing) {
    this.options = options;
    this.closing = closing;
    // What the build or the machine lacks shows before anything runs.
    var checkout = Checkout.fromSystemProperty();
    var invoker = checkout.invokerJar(options.invokerVersion);
    var classPath = options.functionClassPath.orElseGet(() -> checkout.functionJar().toString());
    var jvmOptions = checkout.functionJvmOptions();
    var programs =
        checkout.emulators(
            options.environment, options.log, FirestoreEmulator.NAME, PubSubEmulator.NAME);

    var ports = Loopback.freePorts(options.instances + OTHER_PORTS).iterator();
    int firestorePort = given(options.firestorePort, ports);
    int pubSubPort = given(options.pubSubPort, ports);
    var handlerPorts = IntStream.range(0, options.instances).mapToObj(i -> ports.next()).toList();
    var http = Loopback.client();
    calls = FaultyFirestore.start(Loopback.HOST + ":" + firestorePort, options.callFaults);
    closing.add(calls::close);
    deliveries = deliveries(handlerPorts, http);
    firestore =
        FirestoreEmulator.launch(
            Objects.requireNonNull(programs.get(FirestoreEmulator.NAME)),
            firestorePort,
            receive(this::takeEvent),
            options.environment);
    closing.add(firestore::close);
    pubSub =
        PubSubEmulator.launch(
            Objects.requireNonNull(programs.get(PubSubEmulator.NAME)),
            pubSubPort,
            options.topic(),
            options.environment);
    closing.add(pubSub::close);
    firestore.awaitReady();
    var handler =
        new Function("on-shard-written", invoker, classPath, options.onShardWritten, jvmOptions);
    var run = new Function("roll-up", invoker, classPath, options.rollUp, jvmOptions);
    handlers = handlerPorts.stream().map(port -> serve(handler, port)).toList();
    roller = serve(run, ports.next());
    messages = new Deliveries(List.of(roller.address()), http, Backoff.NONE, options.log);
    closing.add(messages::close);
    closing.add(deliveries::close);
  }

  private static int given(int wanted, Iterator<Integer> free) {
    int port = free.next();
    return wanted == LocalCloudOptions.FREE_PORT ? port : wanted;
  }

  private Deliveries deliveries(List<Integer> ports, HttpClient http) {
    var handlers = ports.stream().map(port -> Loopback.uri(port, "/")).toList();
    var made = new Deliveries(handlers, http, Backoff.LOCAL, options.log);
    made.inject(options.faults);
    made.delay(options.eventDelay);
    return made;
  }

  /**
   * Starts a server that hands what an emulator sends it on; answers at once, whatever becomes of
   * it, as the emulators wait for the answer. What is on its way always counts as pending.
   */
  private int receive(HttpHandler handOn) {
    var server =
        Loopback.serve(
            exchange -> {
              try (exchange) {
                handOn.handle(exchange);
                exchange.sendResponseHeaders(NO_CONTENT, NO_BODY);
              }
            });
    closing.add(() -> server.stop(0));
    return server.getAddress().getPort();
  }

  private void takeEvent(HttpExchange exchange) throws IOException {
    var body = exchange.getRequestBody().readAllBytes();
    var event = Event.fromFirestore(exchange.getRequestHeaders(), body);
    options.events.accept(event);
    deliveries.submit(event);
  }

  private void takeMessage(HttpExchange exchange) throws IOException {
    var body = exchange.getRequestBody().readAllBytes();
    messages.submit(Event.fromPubSub(body, options.topic()));
  }

  private FunctionServer serve(Function function, int port) {
    var wire = calls.open();
    var environment = environment(options, wire.address(), pubSub.address());
    var server = FunctionServer.launch(function, environment, port, options.log, wire::operations);
    closing.add(server::close);
    return server;
  }

  /**
   * What a function finds in its environment. The settings may not replace the addresses, as it
   * would then write to somebody else's database.
   */
  static Map<String, String> environment(
      LocalCloudOptions options, String firestore, String pubSub) {
    var environment = ChildProcess.inherited(options.environment);
    environment.putAll(options.settings);
    environment.put("FIRESTORE_EMULATOR_HOST", firestore);
    environment.put("PUBSUB_EMULATOR_HOST", pubSub);
    environment.put("GOOGLE_CLOUD_PROJECT", options.project);
    return environment;
  }

  /** A function listens once it is warm, and is waited for before the first event can come. */
  private void connect() {
    pubSub.awaitReady();
    handlers.forEach(FunctionServer::awaitReady);
    roller.awaitReady();
    registerTriggers();
    pubSub.subscribe(Loopback.uri(receive(this::takeMessage), "/"));
    if (options.scheduled) {
      var timer = Executors.newSingleThreadScheduledExecutor(Stack::daemon);
      closing.add(timer::shutdownNow);
      schedule(timer, Duration.ofMinutes(1), "run");
      schedule(timer, Duration.ofHours(1), "sweep");
    }
  }

  /**
   * The stand-in for Cloud Scheduler: publishes at every full period. What cannot be published is
   * logged; the next one is due all the same.
   */
  private void schedule(ScheduledExecutorService timer, Duration period, String kind) {
    long millis = period.toMillis();
    var unused =
        timer.scheduleAtFixedRate(
            () -> {
              try {
                publish(kind);
              } catch (RuntimeException e) {
                options.log.accept(
                    "the schedule could not ask for a %s: %s".formatted(kind, e.getMessage()));
              }
            },
            millis - InstantSource.system().millis() % millis,
            millis,
            TimeUnit.MILLISECONDS);
  }

  private static Thread daemon(Runnable task) {
    var thread = new Thread(task, "schedule");
    thread.setDaemon(true);
    return thread;
  }

  private void registerTriggers() {
    var patterns = options.triggerPatterns;
    for (int i = 0; i < patterns.size(); i++) {
      firestore.registerTrigger(
          options.project, options.database(), "on-shard-written-" + i, patterns.get(i));
    }
  }

  /** Publishes a message of that kind; returns its id. */
  String publish(String kind) {
    return pubSub.publish(Map.of("kind", kind));
  }
}
