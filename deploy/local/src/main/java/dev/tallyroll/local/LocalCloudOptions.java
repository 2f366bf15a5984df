package dev.tallyroll.local;

import com.google.common.net.HostAndPort;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.settings.OperatorSettings;
import dev.tallyroll.settings.Settings;
import dev.tallyroll.settings.SettingsFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The parts of a {@link LocalCloud}. By default it has the functions of the checkout, as {@code up}
 * runs them, with the settings in this process's environment. Used by one thread, and not changed
 * after a cloud was started with it.
 */
public final class LocalCloudOptions {
  /** The version that Google's Java buildpack adds to a function that is deployed as a jar. */
  public static final String PRODUCTION_INVOKER = "1.4.1";

  /** The next generation, for functions that are built with that version. */
  public static final String NEXT_INVOKER = "2.0.0";

  static final int FREE_PORT = 0;

  /**
   * SLACK is longer than any commit is in flight on the emulator: unlike production, the emulator
   * breaks the promise about read times.
   */
  private static final Map<String, String> LOCAL_SETTINGS = Map.of("SLACK", "PT2S");

  String project = "demo-tallyroll";
  int firestorePort = FREE_PORT;
  String host = Loopback.HOST;
  Optional<Path> data = Optional.empty();
  Optional<HostAndPort> attached = Optional.empty();
  Optional<HostAndPort> pubSub = Optional.empty();

  /** In another cloud's emulator, so that clouds of one project get their own messages only. */
  private final String topic = "rollup-" + UUID.randomUUID();

  Optional<SecurityRules> rules = Optional.empty();
  String invokerVersion = PRODUCTION_INVOKER;
  int instances = 1;
  int concurrency = HttpDeliveries.CONCURRENCY;
  Duration schedule = Duration.ofMinutes(1);
  Duration eventDelay = Duration.ZERO;
  Consumer<Event> events = event -> {};
  Consumer<String> printed = line -> {};

  Consumer<String> log = System.err::println;
  private Map<String, String> settings = settingsIn(SettingsFile.shell());
  private List<String> triggerPatterns = List.of();

  /** The variables of an environment that are settings of the functions. */
  public static Map<String, String> settingsIn(Map<String, String> environment) {
    var found = new TreeMap<String, String>();
    Settings.from(
        name -> {
          Optional.ofNullable(environment.get(name)).ifPresent(value -> found.put(name, value));
          return null;
        });
    return found;
  }

  Map<String, String> settings() {
    var all = new TreeMap<>(LOCAL_SETTINGS);
    all.putAll(settings);
    all.putIfAbsent("NAME", isFolding(all) ? "fold" : Layout.DEPLOYMENT);
    if (pubSub.isPresent()) {
      all.put("ROLLUP_TOPIC", topic);
    }
    return all;
  }

  /** Whether these settings are of the functions that fold. */
  public static boolean isFolding(Map<String, String> settings) {
    return OperatorSettings.isFolding(settings::get);
  }

  /** Reads the settings, and gives the deployment that they describe. */
  Deployment deployment() {
    return Deployment.of(settings());
  }

  /** How many processes take events; none if no trigger makes any. */
  int handlers() {
    return deployment().hasTrigger() ? instances : 0;
  }

  List<String> triggerPatterns() {
    if (handlers() == 0) {
      return List.of();
    }
    return triggerPatterns.isEmpty() ? deployment().triggerPatterns() : triggerPatterns;
  }

  /** The id of the Google Cloud project that the cloud stands for. */
  public LocalCloudOptions project(String id) {
    project = id;
    return this;
  }

  /** The port of Firestore. 0, the default, takes a free one. */
  public LocalCloudOptions firestorePort(int port) {
    firestorePort = port;
    return this;
  }

  /** The address that Firestore listens on: 127.0.0.1, or 0.0.0.0 to serve other machines, too. */
  public LocalCloudOptions host(String address) {
    host = address;
    return this;
  }

  /** The metadata file of an export that Firestore starts with; empty for no data. */
  public LocalCloudOptions data(Optional<Path> metadata) {
    data = metadata;
    return this;
  }

  /** A Firestore emulator that already runs; empty to start one. A listener makes its events. */
  public LocalCloudOptions attached(Optional<HostAndPort> emulator) {
    attached = emulator;
    return this;
  }

  /** The emulators of another cloud, which must end later, for another project. */
  public LocalCloudOptions beside(LocalCloud other) {
    attached = Optional.of(HostAndPort.fromString(other.firestoreHost()));
    pubSub = Optional.of(HostAndPort.fromString(other.pubSubHost()));
    return this;
  }

  /** The security rules at the start; empty for those that are there: a new emulator has none. */
  public LocalCloudOptions rules(Optional<SecurityRules> loaded) {
    rules = loaded;
    return this;
  }

  /** The text of the app's file of totals, in place of that of the settings. */
  public LocalCloudOptions totals(String text) {
    var all = new TreeMap<>(settings);
    all.put("TOTALS", text);
    settings = all;
    return this;
  }

  /** Environment variables for both functions, in place of those of this process. */
  public LocalCloudOptions settings(Map<String, String> all) {
    settings = all;
    return this;
  }

  /** The version of the official invoker, whose jar the build has copied. */
  public LocalCloudOptions invokerVersion(String version) {
    invokerVersion = version;
    return this;
  }

  /** How many processes take events; the default is one. Each event goes to a random process. */
  public LocalCloudOptions instances(int handlers) {
    instances = handlers;
    return this;
  }

  /** How many events a process takes at a time; the default is 80. */
  public LocalCloudOptions concurrency(int events) {
    concurrency = events;
    return this;
  }

  /** Patterns of the documents whose writes are events, in place of the shards of all counters. */
  public LocalCloudOptions triggerPatterns(String... patterns) {
    triggerPatterns = List.of(patterns);
    return this;
  }

  /**
   * The time between the schedule's messages, in place of a minute. With zero, messages come only
   * from {@link LocalCloud#publish} and from the functions.
   */
  public LocalCloudOptions schedule(Duration period) {
    schedule = period;
    return this;
  }

  /** Sets the delay of {@link HttpDeliveries#delay} at the start. */
  public LocalCloudOptions eventDelay(Duration everyEvent) {
    eventDelay = everyEvent;
    return this;
  }

  /**
   * Takes each event that comes from Firestore, before any fault. One thread at a time calls it. It
   * must return at once.
   */
  public LocalCloudOptions events(Consumer<Event> shown) {
    events = shown;
    return this;
  }

  /** Takes each line that a function prints. Several threads call it. It must return at once. */
  public LocalCloudOptions printed(Consumer<String> shown) {
    printed = shown;
    return this;
  }

  /** Takes plain lines for a person, in place of standard error. */
  public LocalCloudOptions log(Consumer<String> lines) {
    log = lines;
    return this;
  }
}
