package dev.tallyroll.local;

import dev.tallyroll.functions.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** What a {@link LocalCloud} is made of; its {@link Builder} explains it. Immutable. */
public final class LocalCloudOptions {
  /** What Google's Java buildpack adds to a function that is deployed as a jar. */
  public static final String PRODUCTION_INVOKER = "1.4.1";

  /** The next generation, for functions that are built with it. */
  public static final String NEXT_INVOKER = "2.0.0";

  static final int FREE_PORT = 0;

  /**
   * Above the time that a commit can be in flight on the emulator, which breaks production's
   * read-time promise.
   */
  private static final Map<String, String> LOCAL_SETTINGS = Map.of("SLACK", "PT2S");

  /** Each is a JVM of its own. */
  private static final int MOST_INSTANCES = 100;

  final String project;
  final int firestorePort;
  final int pubSubPort;
  final Map<String, String> settings;
  final Optional<String> functionClassPath;
  final String onShardWritten;
  final String rollUp;
  final String invokerVersion;
  final int instances;
  final List<String> triggerPatterns;
  final boolean scheduled;
  final Duration eventDelay;
  final DeliveryFaults faults;
  final CallFaults callFaults;
  final Consumer<Event> events;
  final Map<String, String> environment;
  final Consumer<String> log;

  private LocalCloudOptions(Builder builder) {
    project = builder.project;
    firestorePort = builder.firestorePort;
    pubSubPort = builder.pubSubPort;
    settings = withLocalDefaults(builder.settings);
    functionClassPath = builder.functionClassPath;
    onShardWritten = builder.onShardWritten;
    rollUp = builder.rollUp;
    invokerVersion = builder.invokerVersion;
    instances = builder.instances;
    triggerPatterns =
        builder.triggerPatterns.isEmpty()
            ? List.of(shardPattern(functions().layout().counters(), functions().layout().shards()))
            : List.copyOf(builder.triggerPatterns);
    scheduled = builder.scheduled;
    eventDelay = builder.eventDelay;
    faults = builder.faults;
    callFaults = builder.callFaults;
    events = builder.events;
    environment = Map.copyOf(builder.environment);
    log = builder.log;
  }

  /**
   * The functions of the checkout, as {@code up} runs them, with the settings in this process's
   * environment.
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Matches shards of counters at the root, since {@code **} matches nothing too, and of nested
   * ones.
   */
  public static String shardPattern(String counters, String shards) {
    return "{parent=**}/%s/{counter}/%s/{shard}".formatted(counters, shards);
  }

  private static Map<String, String> withLocalDefaults(Map<String, String> given) {
    var all = new TreeMap<>(LOCAL_SETTINGS);
    all.putAll(given);
    return Map.copyOf(all);
  }

  /** As the functions will understand their settings. */
  private Settings functions() {
    return Settings.from(settings::get);
  }

  String database() {
    return functions().database();
  }

  /** The topic's full name. */
  String topic() {
    return "projects/%s/topics/%s".formatted(project, functions().topic());
  }

  /** Those variables of an environment that the functions read as their settings. */
  static Map<String, String> settingsIn(Map<String, String> environment) {
    var found = new TreeMap<String, String>();
    Settings.from(
        name -> {
          Optional.ofNullable(environment.get(name)).ifPresent(value -> found.put(name, value));
          return null;
        });
    return found;
  }

  /** Collects options one by one. Used by one thread. */
  public static final class Builder {
    private String project = "demo-tallyroll";
    private int firestorePort;
    private int pubSubPort;
    private Map<String, String> settings = settingsIn(System.getenv());
    private Optional<String> functionClassPath = Optional.empty();
    private String onShardWritten = "dev.tallyroll.functions.OnShardWritten";
    private String rollUp = "dev.tallyroll.functions.RollUp";
    private String invokerVersion = PRODUCTION_INVOKER;
    private int instances = 1;
    private List<String> triggerPatterns = List.of();
    private boolean scheduled = true;
    private Duration eventDelay = Duration.ZERO;
    private DeliveryFaults faults = DeliveryFaults.NONE;
    private CallFaults callFaults = CallFaults.NONE;
    private Consumer<Event> events = event -> {};
    private Map<String, String> environment = System.getenv();
    private Consumer<String> log = System.err::println;

    private Builder() {}

    /** The Google Cloud project to play. */
    public Builder project(String id) {
      project = id;
      return this;
    }

    /** Where Firestore shall listen; 0, the default, takes a free one. */
    public Builder firestorePort(int port) {
      firestorePort = port;
      return this;
    }

    /** Where Pub/Sub shall listen; 0, the default, takes a free one. */
    public Builder pubSubPort(int port) {
      pubSubPort = port;
      return this;
    }

    /** Environment variables for both functions, in place of those in this process's. */
    public Builder settings(Map<String, String> all) {
      settings = all;
      return this;
    }

    /** Other functions than the checkout's. */
    public Builder functions(Path classPath, String onShardWrittenClass, String rollUpClass) {
      functionClassPath = Optional.of(classPath.toString());
      onShardWritten = onShardWrittenClass;
      rollUp = rollUpClass;
      return this;
    }

    /** Of the official invoker, as the build has copied it. */
    public Builder invokerVersion(String version) {
      invokerVersion = version;
      return this;
    }

    /**
     * How many processes take events, each of them a random one; without, one.
     *
     * @throws IllegalArgumentException unless it is from 1 to 100
     */
    public Builder instances(int handlers) {
      if (handlers < 1 || handlers > MOST_INSTANCES) {
        throw new IllegalArgumentException(
            "expected 1 to %d instances, found %d".formatted(MOST_INSTANCES, handlers));
      }
      instances = handlers;
      return this;
    }

    /** Which documents' writes are events, in place of the shards of all counters. */
    public Builder triggerPatterns(String... patterns) {
      triggerPatterns = List.of(patterns);
      return this;
    }

    /** Messages then come from {@link LocalCloud#publish} and the functions only. */
    public Builder unscheduled() {
      scheduled = false;
      return this;
    }

    /** As {@link Deliveries#delay}, from the start. */
    public Builder eventDelay(Duration everyEvent) {
      eventDelay = everyEvent;
      return this;
    }

    /** As {@link Deliveries#inject}, from the start. */
    public Builder faults(DeliveryFaults wanted) {
      faults = wanted;
      return this;
    }

    /** As {@link FaultyFirestore#inject}, from the start. */
    public Builder callFaults(CallFaults wanted) {
      callFaults = wanted;
      return this;
    }

    /**
     * Is shown each event as it comes from Firestore, before any fault; by one thread at a time,
     * and must return at once.
     */
    public Builder events(Consumer<Event> shown) {
      events = shown;
      return this;
    }

    /**
     * Of the launcher, in place of this process's: where to find emulators, and what a child needs.
     */
    public Builder environment(Map<String, String> variables) {
      environment = variables;
      return this;
    }

    /** Where plain lines for a person go, in place of standard error. */
    public Builder log(Consumer<String> lines) {
      log = lines;
      return this;
    }

    /**
     * The options as they are now.
     *
     * @throws IllegalArgumentException if the functions would refuse a setting
     */
    public LocalCloudOptions build() {
      return new LocalCloudOptions(this);
    }
  }
}
