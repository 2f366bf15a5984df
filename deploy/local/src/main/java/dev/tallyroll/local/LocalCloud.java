package dev.tallyroll.local;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import dev.tallyroll.local.ChildProcess.PortTakenException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A cloud on this machine: the official emulators, both functions in the official invoker, and the
 * wires between them, from a write in Firestore to the function, and from the schedule to the
 * function. Everything listens on 127.0.0.1. It ends with {@link #close}, when this JVM shuts down,
 * and, as its processes are leashed, when this JVM is killed. Thread-safe.
 */
public final class LocalCloud implements AutoCloseable {
  private static final int START_ATTEMPTS = 3;

  private final LocalCloudOptions options;
  private final Stack stack;

  private LocalCloud(LocalCloudOptions options, Stack stack) {
    this.options = options;
    this.stack = stack;
  }

  /**
   * Starts everything and waits until it works, a few seconds. Leaves nothing behind when it fails.
   *
   * @throws LocalCloudException if it cannot; the message says what would help
   */
  public static LocalCloud start(LocalCloudOptions options) {
    warnOfForeignEmulators(options);
    requirePorts(options);
    for (int attempt = 1; attempt < START_ATTEMPTS; attempt++) {
      try {
        return new LocalCloud(options, Stack.start(options));
      } catch (PortTakenException e) {
        options.log.accept(e.getMessage() + "; starting again on other ports");
      }
    }
    return new LocalCloud(options, Stack.start(options));
  }

  /** Nothing is written to emulators that the launcher's shell points at. */
  static void warnOfForeignEmulators(LocalCloudOptions options) {
    var found =
        Stream.of("FIRESTORE_EMULATOR_HOST", "PUBSUB_EMULATOR_HOST")
            .filter(options.environment::containsKey)
            .map(name -> name + "=" + options.environment.get(name))
            .collect(Collectors.joining(" "));
    if (!found.isEmpty()) {
      options.log.accept(
          "ignoring " + found + " in the environment: the local cloud starts its own emulators");
    }
  }

  private static void requirePorts(LocalCloudOptions options) {
    int firestore = options.firestorePort;
    int pubSub = options.pubSubPort;
    if (firestore != LocalCloudOptions.FREE_PORT && firestore == pubSub) {
      throw new LocalCloudException(
          "expected different ports for the Firestore and the Pub/Sub emulator, found %d for both"
              .formatted(firestore));
    }
    requireFree(firestore, "the Firestore emulator");
    requireFree(pubSub, "the Pub/Sub emulator");
  }

  private static void requireFree(int port, String user) {
    if (port != LocalCloudOptions.FREE_PORT && !Loopback.isFree(port)) {
      throw new LocalCloudException(
          "expected port %d of 127.0.0.1 to be free for %s, found another program listening there"
              .formatted(port, user));
    }
  }

  public String project() {
    return options.project;
  }

  public String database() {
    return options.database();
  }

  /** Host and port, for {@code FIRESTORE_EMULATOR_HOST}. */
  public String firestoreHost() {
    return stack.firestore.address();
  }

  /** Host and port, for {@code PUBSUB_EMULATOR_HOST}. */
  public String pubSubHost() {
    return stack.pubSub.address();
  }

  /** What a program needs in its environment to work with this cloud. */
  public Map<String, String> addresses() {
    return Map.of(
        "FIRESTORE_EMULATOR_HOST", firestoreHost(),
        "PUBSUB_EMULATOR_HOST", pubSubHost(),
        "GOOGLE_CLOUD_PROJECT", project());
  }

  /** A new client of its database, with an administrator's rights; the caller closes it. */
  public Firestore openFirestore() {
    return openFirestore(firestoreHost());
  }

  /**
   * As {@link #openFirestore()}, over another wire.
   *
   * @param host host and port of what leads to the emulator
   */
  public Firestore openFirestore(String host) {
    return FirestoreOptions.newBuilder()
        .setProjectId(project())
        .setDatabaseId(database())
        .setEmulatorHost(host)
        .build()
        .getService();
  }

  /** The function that takes the events of shards: its first instance. */
  public FunctionServer onShardWritten() {
    return stack.handlers.get(0);
  }

  /** All instances of the function that takes the events of shards. */
  public List<FunctionServer> handlers() {
    return stack.handlers;
  }

  /** The function that takes the messages of the topic. */
  public FunctionServer rollUp() {
    return stack.roller;
  }

  /** The way from Firestore to the {@link #handlers}; delays and faults can be injected there. */
  public Deliveries deliveries() {
    return stack.deliveries;
  }

  /** The functions' wire to Firestore; faults can be injected there. */
  public FaultyFirestore calls() {
    return stack.calls;
  }

  /** Publishes a message to the functions' topic; returns its id. */
  public String publish(Map<String, String> attributes) {
    return stack.pubSub.publish(attributes);
  }

  /** Asks for a run, as the schedule does at every full minute. */
  public String tick() {
    return stack.publish("run");
  }

  /** Asks for a sweep, as the schedule does every hour. */
  public String sweep() {
    return stack.publish("sweep");
  }

  /**
   * Whether every event that has left Firestore was handled. The emulator sends its events one
   * after the other, so just after a write this may be true too early.
   */
  public boolean quiet() {
    return deliveries().pending() == 0;
  }

  /** How many messages {@link #rollUp} is working on. */
  public int runsUnderway() {
    return Math.toIntExact(stack.messages.pending());
  }

  /** How many messages were lost because {@link #rollUp} did not take them. */
  public long failedMessages() {
    return stack.messages.counts().givenUp();
  }

  /** What both functions did in Firestore since the start, over all their processes. */
  public Operations operations() {
    return Stream.concat(handlers().stream(), Stream.of(rollUp()))
        .map(FunctionServer::operations)
        .reduce(Operations.NONE, Operations::plus);
  }

  /** The processes that it consists of, besides this one. */
  public List<Long> pids() {
    return LongStream.concat(
            LongStream.of(stack.firestore.pid(), stack.pubSub.pid(), rollUp().pid()),
            handlers().stream().mapToLong(FunctionServer::pid))
        .boxed()
        .toList();
  }

  /** Ends all of it; at most once, whoever asks. */
  @Override
  public void close() {
    stack.closing.close();
  }
}
