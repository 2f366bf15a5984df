package dev.tallyroll.local.bill;

import static dev.tallyroll.local.Invocation.check;

import dev.tallyroll.fold.FoldSettings;
import dev.tallyroll.functions.Settings;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.SettingsFile;
import dev.tallyroll.runs.RunSettings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.TypeConversionException;

/**
 * The increments and reads to do, and the settings of the functions that do them. Immutable.
 *
 * @param rate increments a second of each counter
 * @param shards what is summed
 * @param listeners listeners of each counter, which listen all the time
 * @param views views of each counter in a second; a view reads one total once
 * @param polled whether the counters are in a collection that no trigger watches, though there may
 *     be a trigger for others
 * @param servers so many servers count all increments, and buffer them; 0 for clients that do not
 * @param settings variables as in {@code deploy/gcloud/settings.env}
 */
record Load(
    double rate,
    int counters,
    Shards shards,
    int listeners,
    double views,
    boolean polled,
    int servers,
    Map<String, String> settings) {

  /** The default, which a test compares with that of {@code deploy}. */
  static final String ROLLUP_CPU = ".333";

  /** The default of {@code ROLLUP_MEMORY}; that of OnShardWritten, always. */
  static final String MEMORY = "512Mi";

  /** Those that a function may have. */
  private static final String MEMORIES = "(256|512|1024|2048|4096|8192)Mi|[1248]Gi";

  /** Throws the error about a setting that the functions or {@code deploy} would refuse. */
  Load {
    settings = Map.copyOf(settings);
    check(
        !LocalCloudOptions.isFolding(settings) || shards.kind() == Shards.Kind.INCREMENTED,
        "--documents",
        "nothing beside FOLD",
        shards.number());
    choose(settings, "BILLING", "request", "instance");
    choose(settings, "REQUEST_LOGS", "errors", "all");
    for (String key : List.of("ROLLUP_CPU", "HANDLER_CPU")) {
      String cpu = settings.getOrDefault(key, ROLLUP_CPU);
      check(cpu.matches("0?[.][0-9]+|[1-8]"), key, "a share of a vCPU", cpu);
    }
    String memory = settings.getOrDefault("ROLLUP_MEMORY", MEMORY);
    check(memory.matches(MEMORIES), "ROLLUP_MEMORY", "a memory such as 512Mi", memory);
    try {
      var unused = runs(settings);
    } catch (IllegalArgumentException refused) {
      throw new TypeConversionException(refused.getMessage());
    }
  }

  private static void choose(Map<String, String> from, String name, String usual, String other) {
    String found = from.getOrDefault(name, usual);
    check(found.equals(usual) || found.equals(other), name, usual + " or " + other, found);
  }

  /** The same with settings as in {@code HOLD=PT10S}. */
  Load with(String... changes) {
    Map<String, String> changed = new HashMap<>(settings);
    for (String change : changes) {
      String[] parts = change.split("=", 2);
      changed.put(parts[0], parts[1]);
    }
    return new Load(rate, counters, shards, listeners, views, polled, servers, changed);
  }

  /** Whether the functions would take these settings beside the others. */
  boolean accepts(List<String> changes) {
    try {
      var unused = with(changes.toArray(String[]::new));
      return true;
    } catch (TypeConversionException refused) {
      return false;
    }
  }

  Load inPolledCounters() {
    return new Load(
        rate, counters, shards, listeners, views, /* polled= */ true, servers, settings);
  }

  /** The same, summed once a minute. */
  Load eachMinute() {
    return inPolledCounters().with("POLL=PT1M", "TICK=PT1M", "HOLD=PT0S");
  }

  Load bufferedBy(int number) {
    return new Load(rate, counters, shards, listeners, views, polled, number, settings);
  }

  Load listenedBy(int number) {
    return new Load(rate, counters, shards, number, views, polled, servers, settings);
  }

  /** The same in the place of Firebase's extension. */
  Load folded() {
    return with("FOLD=" + runs().timing().tick(), "FOLD_DOCUMENTS=pages/{page}");
  }

  Load withShards(Shards others) {
    return new Load(rate, counters, others, listeners, views, polled, servers, settings);
  }

  /** The same over documents of the app's own, so many below each counter. */
  Load overDocuments(int number) {
    return withShards(Shards.documents(number, shards.deletes()));
  }

  /** The same, if each change of a document is also an increment of one of so many shards. */
  Load countedBeside(int incremented) {
    return withShards(shards.beside(incremented));
  }

  Load at(double otherRate, int number) {
    return new Load(otherRate, number, shards, listeners, views, polled, servers, settings);
  }

  /** How the functions run, by their own rules. */
  RunSettings runs() {
    return runs(settings);
  }

  private static RunSettings runs(Map<String, String> settings) {
    return LocalCloudOptions.isFolding(settings)
        ? FoldSettings.from(settings::get).runs()
        : Settings.from(settings::get).runs();
  }

  /** Whether RollUp polls the counters: those of {@code POLLED} are all, if no trigger is set. */
  boolean polls() {
    return (polled || !hasTrigger()) && !folds();
  }

  boolean hasTrigger() {
    return folds() || !settings.getOrDefault("COUNTERS", SettingsFile.COUNTERS).isEmpty();
  }

  /** Whether the settings count documents of the app's own. */
  boolean countsDocuments() {
    return LocalCloudOptions.countsDocuments(settings);
  }

  /** The reads of a sum by the functions: SUM=documents reads each shard. */
  double readsOfASum() {
    return settings.getOrDefault("SUM", "").equals("documents")
        ? shards.number()
        : shards.readsOfASum();
  }

  boolean folds() {
    return LocalCloudOptions.isFolding(settings);
  }

  /** Whether OnShardWritten's instances are billed for their whole lives. */
  boolean byInstance() {
    return "instance".equals(settings.get("BILLING"));
  }

  /** Whether the platform's entries of requests are kept. */
  boolean requestLogs() {
    return "all".equals(settings.get("REQUEST_LOGS"));
  }

  /** Whether each total is one more write, which has all fields of a counter's own document. */
  boolean writesFields() {
    return Stream.of("TOTAL_FIELD", "NUMBER_FIELD", "AVERAGE_FIELD")
        .anyMatch(field -> !settings.getOrDefault(field, "").isEmpty());
  }

  /** OnShardWritten's share of a vCPU; below one, an instance handles one event at a time. */
  double handlerCpu() {
    return Double.parseDouble(settings.getOrDefault("HANDLER_CPU", "1"));
  }

  /** RollUp's memory. */
  int rollerMebibytes() {
    String memory = settings.getOrDefault("ROLLUP_MEMORY", MEMORY);
    int number = Integer.parseInt(memory.replaceAll("[MG]i", ""));
    return memory.endsWith("Gi") ? 1024 * number : number;
  }

  /** RollUp's share of a vCPU. */
  double rollerCpu() {
    return Double.parseDouble(settings.getOrDefault("ROLLUP_CPU", ROLLUP_CPU));
  }

  /**
   * Writes of shards a second of each counter. A server commits a second after the first increment
   * that it has added up, so with r increments a second each, 1 + 1/r seconds after its last
   * commit.
   */
  double commits() {
    return servers == 0 ? rate : servers / (1 + servers / rate);
  }

  /** The instances of OnShardWritten, which handle some 1,000 events a second each. */
  int instances() {
    return polls() ? 0 : (int) Math.max(1, Math.ceil(commits() * counters / 1_000));
  }
}
