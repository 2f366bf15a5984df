package dev.tallyroll.local;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.common.collect.EvictingQueue;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Queues;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.sun.net.httpserver.Headers;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.local.ChildProcess.PortTakenException;
import dev.tallyroll.local.FunctionServer.Function;
import dev.tallyroll.local.HttpDeliveries.Backoff;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A cloud on this machine: the official emulators, both functions in the official invoker, and the
 * wires that lead events from Firestore, and messages from the schedule, to a function. The
 * emulators and the wires listen on 127.0.0.1, the functions on all addresses, as their invoker
 * does. The cloud ends with {@link #close}, when this JVM shuts down, and when this JVM is killed,
 * as its processes are leashed. Thread-safe.
 */
public final class LocalCloud implements AutoCloseable {
  /**
   * A warning of the rules' compiler that is an error for whoever comes there. Of variables in
   * functions, it warns without a reason.
   */
  private static final Pattern MISTAKE =
      Pattern.compile("^L\\d+:\\d+ (Invalid function name|Incorrect number of arguments)");

  private static final int START_ATTEMPTS = 3;

  /** The number of ports for Firestore, Pub/Sub and RollUp. */
  private static final int OTHER_PORTS = 3;

  private static final int COMPLAINTS_KEPT = 20;
  private static final int NO_CONTENT = 204;
  private static final int NO_BODY = -1;

  private final Queue<String> complaints =
      Queues.synchronizedQueue(EvictingQueue.create(COMPLAINTS_KEPT));
  private final LocalCloudOptions options;
  private final Deployment deployment;

  /** What {@link #close} ends, the last one first. */
  private final Deque<Runnable> parts;

  private final Thread hook = new Thread(this::shutDown, "close-local-cloud");
  private final String topic;
  private final Emulator firestore;
  private final FaultyFirestore calls;
  private final Emulator pubSub;
  private final List<FaultyFirestore.Port> wires = new ArrayList<>();
  private final List<FunctionServer> handlers;
  private final FunctionServer rollUp;
  private final HttpDeliveries deliveries;
  private final HttpDeliveries messages;

  /**
   * Starts a cloud and waits some seconds until it works. Leaves nothing behind if it fails.
   *
   * @throws LocalCloudException if the cloud cannot start; the message says what would help
   * @throws IllegalArgumentException if the functions would refuse a setting
   */
  public static LocalCloud start(LocalCloudOptions options) {
    requireFree(options.firestorePort, "the Firestore emulator");
    for (int attempt = 1; attempt < START_ATTEMPTS; attempt++) {
      try {
        return startOnce(options);
      } catch (PortTakenException e) {
        options.log.accept(e.getMessage() + "; starting again on other ports");
      }
    }
    return startOnce(options);
  }

  private static LocalCloud startOnce(LocalCloudOptions options) {
    var parts = new ConcurrentLinkedDeque<Runnable>();
    try {
      var cloud = new LocalCloud(options, parts);
      cloud.connect();
      return cloud;
    } catch (RuntimeException | Error e) {
      close(parts, options.log);
      throw e;
    }
  }

  /**
   * Refuses a port that is taken.
   *
   * @param port 0 for any free port, which is never refused
   * @param user the user of the port, for the message
   * @throws LocalCloudException if another program listens there
   */
  public static void requireFree(int port, String user) {
    if (port != LocalCloudOptions.FREE_PORT && !isFree(port)) {
      throw new LocalCloudException(
          "expected port %d of 127.0.0.1 to be free for %s, found another program listening there"
              .formatted(port, user));
    }
  }

  /** Whether nothing listens on a port of 127.0.0.1. */
  public static boolean isFree(int port) {
    return Loopback.isFree(port);
  }

  /**
   * Launches the children; waits for Firestore only, as functions read from it before they listen.
   * Each part is added to {@code parts} as soon as it exists.
   */
  private LocalCloud(LocalCloudOptions options, Deque<Runnable> parts) {
    this.options = options;
    this.parts = parts;
    // These find errors in the settings, the build or the machine before any child starts.
    deployment = options.deployment();
    topic = "projects/%s/topics/%s".formatted(options.project, deployment.topic());
    var checkout = Checkout.fromSystemProperty();
    var handler =
        checkout.function("on-shard-written", deployment.handler(), options.invokerVersion);
    var run = checkout.function("roll-up", deployment.roller(), options.invokerVersion);
    var programs =
        checkout.emulators(
            Emulator.JAVA, System.getenv(), options.log, Emulator.FIRESTORE, Emulator.PUBSUB);

    var ports = Loopback.freePorts(options.handlers() + OTHER_PORTS).iterator();
    int firestorePort =
        options.firestorePort == LocalCloudOptions.FREE_PORT ? ports.next() : options.firestorePort;
    int pubSubPort = ports.next();
    var handlerPorts = IntStream.range(0, options.handlers()).mapToObj(i -> ports.next()).toList();
    var http = Loopback.client();
    var addresses = handlerPorts.stream().map(port -> Loopback.uri(port, "/")).toList();
    deliveries =
        new HttpDeliveries(addresses, options.concurrency, http, Backoff.LOCAL, options.log);
    deliveries.delay(options.eventDelay);
    int hook = receive((headers, body) -> happened(Event.fromFirestore(headers, body)));
    firestore =
        options
            .attached
            .map(Emulator::attached)
            .orElseGet(
                () ->
                    Emulator.firestore(
                        Objects.requireNonNull(programs.get(Emulator.FIRESTORE)),
                        options.host,
                        firestorePort,
                        Stream.concat(
                                Stream.of(Emulator.eventsTo(hook)),
                                options.data.map(Emulator::importing).stream())
                            .toArray(String[]::new)));
    parts.add(firestore::close);
    calls = new FaultyFirestore(firestore.address());
    parts.add(calls::close);
    pubSub =
        options
            .pubSub
            .map(Emulator::attachedPubSub)
            .orElseGet(
                () ->
                    Emulator.pubSub(
                        Objects.requireNonNull(programs.get(Emulator.PUBSUB)), pubSubPort));
    parts.add(pubSub::close);
    firestore.awaitReady();
    if (options.attached.isPresent() && options.pubSub.isEmpty()) {
      requireNoRun();
    }
    options.rules.ifPresent(this::loadRules); // a mistake is told before the functions start
    handlers = handlerPorts.stream().map(port -> serve(handler, port)).toList();
    rollUp = serve(run, ports.next());
    messages =
        new HttpDeliveries(
            List.of(rollUp.address()), HttpDeliveries.CONCURRENCY, http, Backoff.NONE, options.log);
    parts.add(messages::close);
    parts.add(deliveries::close);
  }

  /**
   * Two that share a live list would take each other's work, and show one another's faults. With
   * the Pub/Sub of others, they are meant to.
   */
  private void requireNoRun() {
    String name = Objects.requireNonNull(options.settings().get("NAME"));
    Firestore client = openFirestore();
    try {
      Query alive =
          client.collection(Layout.liveList(name)).whereGreaterThan("until", Timestamp.now());
      for (QueryDocumentSnapshot run : alive.get().get()) {
        throw new LocalCloudException(
            "--attach: expected no functions with the name %s at work there, found a run until %s: end them, or set another NAME in a file for --settings"
                .formatted(name, run.get("until")));
      }
    } catch (ExecutionException unreadable) {
      throw new LocalCloudException("could not read the emulator's run documents", unreadable);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    } finally {
      client.shutdown();
    }
  }

  private void happened(Event event) {
    options.events.accept(event);
    deliveries.submit(event);
  }

  /**
   * Starts a server that passes on the requests of an emulator, and then answers at once, because
   * the emulator waits for the answer. Every request counts as pending.
   */
  private int receive(BiConsumer<Headers, byte[]> handOn) {
    var server =
        Loopback.serve(
            exchange -> {
              try (exchange) {
                handOn.accept(
                    exchange.getRequestHeaders(), exchange.getRequestBody().readAllBytes());
                exchange.sendResponseHeaders(NO_CONTENT, NO_BODY);
              }
            });
    parts.add(() -> server.stop(0));
    return server.getAddress().getPort();
  }

  private FunctionServer serve(Function function, int port) {
    var wire = calls.open();
    wires.add(wire);
    var environment = environment(options, wire.address(), pubSub.address());
    var server =
        new FunctionServer(
            function,
            environment,
            port,
            options.log.andThen(complaints::add),
            options.printed,
            wire::operations);
    parts.add(server::close);
    return server;
  }

  /**
   * The environment of a function. Settings cannot replace the addresses: the function would write
   * to another database.
   */
  static Map<String, String> environment(
      LocalCloudOptions options, String firestore, String pubSub) {
    var environment = ChildProcess.inherited(System.getenv());
    environment.put("FIRESTORE_ENABLE_TRACING", "OFF"); // as deploy sets it
    environment.putAll(options.settings());
    environment.putAll(addresses(options, firestore, pubSub));
    // The functions read a variable of their own, so that they connect as in production.
    environment.remove("FIRESTORE_EMULATOR_HOST");
    environment.put("TALLYROLL_FIRESTORE", firestore);
    return environment;
  }

  private static Map<String, String> addresses(
      LocalCloudOptions options, String firestore, String pubSub) {
    return ImmutableMap.of(
        "FIRESTORE_EMULATOR_HOST", firestore,
        "PUBSUB_EMULATOR_HOST", pubSub,
        "GOOGLE_CLOUD_PROJECT", options.project);
  }

  /** Waits until the functions listen, and are warm; then lets events and messages reach them. */
  private void connect() {
    pubSub.awaitReady();
    handlers.forEach(FunctionServer::awaitReady);
    rollUp.awaitReady();
    // Whoever had a child's port first has answered in its place; by now the child has noticed
    // that.
    firestore.requireAlive();
    pubSub.requireAlive();
    handlers.forEach(FunctionServer::requireAlive);
    var patterns = options.attached.isPresent() ? List.<String>of() : options.triggerPatterns();
    for (int i = 0; i < patterns.size(); i++) {
      String id = "on-shard-written-" + i;
      firestore.registerTrigger(
          project(), database(), id, deployment.triggerType(), patterns.get(i));
    }
    if (options.attached.isPresent() && options.handlers() > 0) {
      var client = openFirestore();
      parts.add(client::shutdown);
      for (String shards : deployment.shards()) {
        var listener =
            ShardListener.listen(client, shards, deployment.isShard(), this::happened, options.log);
        parts.add(listener::remove);
      }
    }
    int port = receive((headers, body) -> messages.submit(Event.fromPubSub(body, topic)));
    pubSub.subscribe(topic, Loopback.uri(port, "/"));
    if (options.pubSub.isPresent()) {
      parts.add(() -> pubSub.unsubscribe(topic));
    }
    if (!options.schedule.isZero()) {
      var timer =
          Executors.newSingleThreadScheduledExecutor(
              new ThreadFactoryBuilder().setNameFormat("schedule").setDaemon(true).build());
      parts.add(timer::shutdownNow);
      schedule(timer, options.schedule);
    }
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * The stand-in for Cloud Scheduler: publishes a message at every full period, with a sweep in the
   * last minute of each hour from now. Logs a message that cannot be published; the next one comes
   * as usual.
   */
  private void schedule(ScheduledExecutorService timer, Duration period) {
    long millis = period.toMillis();
    int minuteBefore = ZonedDateTime.now(ZoneOffset.UTC).minusMinutes(1).getMinute();
    var attributes = Map.of("kind", "run", "sweep", Integer.toString(minuteBefore));
    var unused =
        timer.scheduleAtFixedRate(
            () -> {
              try {
                publish(attributes);
              } catch (RuntimeException e) {
                options.log.accept("the schedule could not ask for a run: " + e.getMessage());
              }
            },
            millis - InstantSource.system().millis() % millis,
            millis,
            TimeUnit.MILLISECONDS);
  }

  public String project() {
    return options.project;
  }

  public String database() {
    return deployment.database();
  }

  /** Host and port, for {@code FIRESTORE_EMULATOR_HOST}. */
  public String firestoreHost() {
    return firestore.address();
  }

  /** Host and port, for {@code PUBSUB_EMULATOR_HOST}. */
  String pubSubHost() {
    return pubSub.address();
  }

  /** The environment variables with which a program uses this cloud, in this order. */
  public Map<String, String> addresses() {
    return addresses(options, firestore.address(), pubSub.address());
  }

  /** A new client of the database with an administrator's rights; the caller closes it. */
  public Firestore openFirestore() {
    return openFirestore(firestoreHost());
  }

  /**
   * As {@link #openFirestore()}, over another wire.
   *
   * @param host host and port of a wire to the emulator
   */
  public Firestore openFirestore(String host) {
    return FirestoreOptions.newBuilder()
        .setProjectId(project())
        .setDatabaseId(database())
        .setEmulatorHost(host)
        .build()
        .getService();
  }

  /**
   * Puts these security rules in force for clients, as a deployment would. Servers have all rights.
   * Until this call, clients have all rights, too. The default database gets the rules, too, so
   * that a client that does not name its database is refused there, and notices.
   *
   * @throws LocalCloudException if the emulator's compiler finds a mistake in the rules, or a call
   *     of a function that they do not have: it only warns of that, but then refuses whatever comes
   *     there. The old rules stay in force
   */
  public void loadRules(SecurityRules rules) {
    try {
      requireFunctions(
          firestore.loadRules(project() + "-rules", Emulator.DEFAULT_DATABASE, rules.text()));
      for (String database : Set.copyOf(List.of(database(), Emulator.DEFAULT_DATABASE))) {
        var unusedWarnings = firestore.loadRules(project(), database, rules.text());
      }
    } catch (LocalCloudException refused) {
      throw new LocalCloudException(rules.inFiles(String.valueOf(refused.getMessage())), refused);
    }
  }

  private static void requireFunctions(List<String> warnings) {
    var mistakes = warnings.stream().filter(MISTAKE.asPredicate()).toList();
    if (!mistakes.isEmpty()) {
      throw new LocalCloudException(
          "expected security rules that have all their functions, found\n"
              + String.join("\n", mistakes));
    }
  }

  /**
   * Whether clients may write this document without a sign-in. It tries to, and changes nothing.
   *
   * @param document one that is not there
   */
  public boolean isOpenToAll(String document) {
    return firestore.isOpenToAll(project(), database(), document);
  }

  /**
   * Does this before the cloud ends: at {@link #close}, or when this JVM gets SIGTERM. The cloud
   * still works then, and logs a failure.
   */
  public void beforeClose(Runnable last) {
    parts.add(last);
  }

  /**
   * Writes all data of the database to a folder, for {@link LocalCloudOptions#data}.
   *
   * @throws LocalCloudException if it cannot be written
   */
  public void export(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new LocalCloudException("expected a folder that can be made, found " + e, e);
    }
    firestore.export(project(), database(), folder.toAbsolutePath());
  }

  /**
   * The first instance of the function that takes the events of shards.
   *
   * @throws IndexOutOfBoundsException without a trigger
   */
  public FunctionServer onShardWritten() {
    return handlers.get(0);
  }

  /** The function that takes the messages of the topic. */
  public FunctionServer rollUp() {
    return rollUp;
  }

  /** The deliveries from Firestore to the function, which take delays and faults. */
  public HttpDeliveries deliveries() {
    return deliveries;
  }

  /** The functions' wire to Firestore, which takes faults. */
  public FaultyFirestore calls() {
    return calls;
  }

  /** Publishes a message to the functions' topic; returns its id. */
  public String publish(Map<String, String> attributes) {
    return pubSub.publish(topic, attributes);
  }

  /** Publishes a message for a run, as the schedule does at every full minute. */
  public String tick() {
    return publish(Map.of("kind", "run"));
  }

  /** Publishes a message for a sweep, as a scheduled run does every hour. */
  public String sweep() {
    return publish(Map.of("kind", "sweep"));
  }

  /**
   * Whether every event that has left Firestore was handled. The emulator sends one event after
   * another, so just after a write this may be true too early.
   */
  public boolean quiet() {
    return deliveries.pending() == 0;
  }

  /** How many messages {@link #rollUp} still works on, or waits for. */
  public int runsUnderway() {
    return Math.toIntExact(messages.pending());
  }

  /** The deliveries from the topic to {@link #rollUp}. */
  public HttpDeliveries messages() {
    return messages;
  }

  /** How many messages are lost because {@link #rollUp} failed on them. */
  public long failedMessages() {
    return messages.count(Occurrence.GIVEN_UP);
  }

  /** The last warnings and errors of the functions, the latest at the end. */
  public List<String> complaints() {
    synchronized (complaints) {
      return List.copyOf(complaints);
    }
  }

  /** The Firestore operations of both functions since the start, over all their processes. */
  public Operations operations() {
    return Stream.concat(handlers.stream(), Stream.of(rollUp))
        .map(FunctionServer::operations)
        .reduce(Operations.NONE, Operations::plus);
  }

  /** How many documents the functions have read in this collection at the root and below it. */
  public long readsIn(String collection) {
    return wires.stream().mapToLong(wire -> wire.readsIn(collection)).sum();
  }

  /** Ends the whole cloud, all of it, also if a part fails to end. Later calls do nothing. */
  @Override
  public void close() {
    close(parts, options.log);
    if (Thread.currentThread() != hook) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException shuttingDown) {
        // The hook finds nothing left to close.
      }
    }
  }

  private static synchronized void close(Deque<Runnable> parts, Consumer<String> log) {
    while (!parts.isEmpty()) {
      try {
        parts.removeLast().run();
      } catch (RuntimeException e) {
        log.accept("could not close a part of the local cloud: " + e.getMessage());
      }
    }
  }

  /** Closes when the JVM ends. Other threads then lose connections; their errors are hidden. */
  private void shutDown() {
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {});
    close();
  }
}
