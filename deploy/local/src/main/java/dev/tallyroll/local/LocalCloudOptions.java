package dev.tallyroll.local;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What a {@link LocalCloud} is made of; {@link #builder} starts from what {@code up} runs.
 * Immutable.
 *
 * @param project the Google Cloud project to play
 * @param firestorePort where Firestore shall listen; 0 for a free port
 * @param pubSubPort where Pub/Sub shall listen; 0 for a free port
 * @param settings environment variables for both functions
 * @param functionClassPath the functions' jar or classes; without it, the one that the checkout has
 *     built
 * @param onShardWritten the class that takes the events
 * @param rollUp the class that takes the messages
 * @param invokerVersion of the official invoker, as the build has copied it
 * @param triggerPatterns which documents' writes are events; without any, those of all shards
 * @param scheduled whether a run and a sweep are asked for by the clock
 * @param clock that the schedule goes by
 * @param faults to inject into the delivery of events from the start
 * @param callFaults to inject into the functions' calls of Firestore; without, they are not on a
 *     wire that could be disturbed
 * @param events is shown each event as it comes from Firestore, before any fault; returns at once
 * @param environment of the launcher: where to find emulators, and what a child needs of it
 * @param log where plain lines for a person go
 */
public record LocalCloudOptions(
    String project,
    int firestorePort,
    int pubSubPort,
    Map<String, String> settings,
    Optional<String> functionClassPath,
    String onShardWritten,
    String rollUp,
    String invokerVersion,
    List<String> triggerPatterns,
    boolean scheduled,
    InstantSource clock,
    DeliveryFaults faults,
    Optional<CallFaults> callFaults,
    Consumer<Event> events,
    Map<String, String> environment,
    Consumer<String> log) {

  /** What Google's Java buildpack adds to a function that is deployed as a jar. */
  public static final String PRODUCTION_INVOKER = "1.4.1";

  /** The next generation, for functions that are built with it. */
  public static final String NEXT_INVOKER = "2.0.0";

  public LocalCloudOptions {
    settings = Map.copyOf(settings);
    triggerPatterns = List.copyOf(triggerPatterns);
    environment = Map.copyOf(environment);
  }

  /**
   * The functions of the checkout, as {@code up} runs them, with the settings in this process's
   * environment.
   */
  public static Builder builder() {
    return new Builder();
  }

  /** The shards of the counters that a path pattern matches. */
  public static String shardPattern(String counters, String shards) {
    return "%s/{counter}/%s/{shard}".formatted(counters, shards);
  }

  FunctionSettings functionSettings() {
    return FunctionSettings.withLocalDefaults(settings);
  }

  /** Collects options one by one. Used by one thread. */
  public static final class Builder {
    private String project = "demo-tallyroll";
    private int firestorePort;
    private int pubSubPort;
    private Map<String, String> settings = FunctionSettings.in(System.getenv());
    private Optional<String> functionClassPath = Optional.empty();
    private String onShardWritten = "dev.tallyroll.functions.OnShardWritten";
    private String rollUp = "dev.tallyroll.functions.RollUp";
    private String invokerVersion = PRODUCTION_INVOKER;
    private List<String> triggerPatterns = List.of();
    private boolean scheduled = true;
    private InstantSource clock = InstantSource.system();
    private DeliveryFaults faults = DeliveryFaults.NONE;
    private Optional<CallFaults> callFaults = Optional.empty();
    private Consumer<Event> events = event -> {};
    private Map<String, String> environment = System.getenv();
    private Consumer<String> log = System.err::println;

    private Builder() {}

    public Builder project(String id) {
      project = id;
      return this;
    }

    /** 0, the default, takes a free one. */
    public Builder firestorePort(int port) {
      firestorePort = port;
      return this;
    }

    /** 0, the default, takes a free one. */
    public Builder pubSubPort(int port) {
      pubSubPort = port;
      return this;
    }

    /** In place of those in this process's environment. */
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

    public Builder invokerVersion(String version) {
      invokerVersion = version;
      return this;
    }

    /** In place of the one that matches the shards of all counters. */
    public Builder triggerPatterns(String... patterns) {
      triggerPatterns = List.of(patterns);
      return this;
    }

    /** Messages then come from {@link LocalCloud#publish} and the functions only. */
    public Builder unscheduled() {
      scheduled = false;
      return this;
    }

    public Builder clock(InstantSource source) {
      clock = source;
      return this;
    }

    public Builder faults(DeliveryFaults wanted) {
      faults = wanted;
      return this;
    }

    /** The functions' calls then go through a {@link FaultyFirestore}. */
    public Builder callFaults(CallFaults wanted) {
      callFaults = Optional.of(wanted);
      return this;
    }

    /** Is called by one thread at a time, and must return at once. */
    public Builder events(Consumer<Event> shown) {
      events = shown;
      return this;
    }

    /** In place of this process's. */
    public Builder environment(Map<String, String> variables) {
      environment = variables;
      return this;
    }

    /** In place of standard error. */
    public Builder log(Consumer<String> lines) {
      log = lines;
      return this;
    }

    public LocalCloudOptions build() {
      return new LocalCloudOptions(
          project,
          firestorePort,
          pubSubPort,
          settings,
          functionClassPath,
          onShardWritten,
          rollUp,
          invokerVersion,
          triggerPatterns,
          scheduled,
          clock,
          faults,
          callFaults,
          events,
          environment,
          log);
    }
  }
}
