package dev.tallyroll.local.bill;

import static dev.tallyroll.local.Invocation.check;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.tallyroll.SumMode;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.settings.FoldSettings;
import dev.tallyroll.settings.PlatformSettings;
import dev.tallyroll.settings.Settings;
import dev.tallyroll.settings.TotalsFile;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.TypeConversionException;

/**
 * The increments and reads to do, and the settings of the functions that do them. Immutable.
 *
 * @param rate increments a second of each counter
 * @param firsts counters a day that get their first increment, and no other
 * @param shards what is summed
 * @param listeners listeners of each counter, which listen all the time
 * @param views views of each counter in a second; a view reads one total once
 * @param entries in so many entries' totals each change counts; they have one {@code of}
 * @param unmatched further writes a second of all documents, which count in none
 * @param servers so many servers count all increments, and buffer them; 0 for clients that do not
 * @param settings variables as the functions have them; with a file of one entry, or none
 */
record Load(
    double rate,
    int counters,
    int firsts,
    Shards shards,
    int listeners,
    double views,
    int entries,
    double unmatched,
    int servers,
    Map<String, String> settings) {

  /** The periods of polls to compare, beside events and the settings' own. */
  static final List<Duration> PERIODS =
      List.of(Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ofMinutes(1));

  private static final int DAYS = 30;
  private static final String TOTALS = "TOTALS";

  /** Throws the error about a setting that the functions or {@code deploy} would refuse. */
  Load {
    settings = Map.copyOf(settings);
    boolean folds = LocalCloudOptions.isFolding(settings);
    check(!folds || !shards.areDocuments(), "--documents", "nothing beside FOLD", shards.number());
    check(!folds || firsts == 0, "--new", "nothing beside FOLD", firsts);
    try {
      var unused = runs(settings);
      var unusedPlatform = PlatformSettings.from(settings::get);
    } catch (IllegalArgumentException refused) {
      throw new TypeConversionException(refused.getMessage());
    }
  }

  /** By events; and without, by each period, the entry's own included: what its keys allow. */
  List<Load> ways() {
    if (folds()) {
      return List.of(this);
    }
    return Stream.concat(
            allowed(Map.of("events", new JsonPrimitive(true)), Map.of()).stream(),
            Stream.concat(PERIODS.stream(), poll().stream())
                .distinct()
                .sorted()
                .flatMap(period -> polled(period).stream()))
        .toList();
  }

  /**
   * The same without events, summed each so often, with the least share of a vCPU that is enough
   * unless the settings say another; empty if the entry's other keys refuse that.
   */
  Optional<Load> polled(Duration period) {
    return allowed(
        Map.of("events", new JsonPrimitive(false), "every", new JsonPrimitive(period.toString())),
        settings.containsKey("ROLLUP_CPU") ? Map.of() : Map.of("ROLLUP_CPU", leastCpu()));
  }

  private Optional<Load> allowed(Map<String, JsonPrimitive> keys, Map<String, String> changes) {
    Map<String, String> changed = new HashMap<>(settings);
    changed.putAll(changes);
    JsonObject file =
        JsonParser.parseString(settings.getOrDefault(TOTALS, TotalsFile.DEFAULT)).getAsJsonObject();
    keys.forEach((key, value) -> file.getAsJsonObject(entry().name()).add(key, value));
    changed.put(TOTALS, file.toString());
    try {
      return Optional.of(
          new Load(
              rate, counters, firsts, shards, listeners, views, entries, unmatched, servers,
              changed));
    } catch (TypeConversionException refused) {
      return Optional.empty();
    }
  }

  /** How often RollUp sums each counter; empty if events tell what has changed. */
  Optional<Duration> poll() {
    return folds() || entry().hasEvents() ? Optional.empty() : Optional.of(timing().tick());
  }

  /** The only entry of the file of totals. Nobody calls this with FOLD, which has no entry. */
  private Entry entry() {
    return Settings.from(settings::get).entries().get(0);
  }

  /** How often it is summed, or folded, and when. */
  Timing timing() {
    return folds() ? FoldSettings.from(settings::get).timing() : entry().timing();
  }

  /** Whether sums are dear, so that each total is summed once a minute. */
  boolean isLarge() {
    return !folds() && shards.number() > timing().most();
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

  /** The totals of all entries that change all the time. */
  int totals() {
    return counters * entries;
  }

  /**
   * The writes of the clients or of the app in a month. Each makes one event, if the entry has
   * events.
   *
   * @param counted how many times a write counts in a total
   */
  double written(double counted) {
    return counted / entries + unmatched * Month.SECONDS;
  }

  /** The new totals of a month. */
  double firstsAMonth() {
    return (double) firsts * entries * DAYS;
  }

  /** All totals in the middle of the month, new ones included. */
  double all() {
    return totals() + firstsAMonth() / 2;
  }

  /** The reads of a sum by the functions: without an index, they read each shard. */
  double readsOfASum() {
    return !folds() && entry().sum() == SumMode.DOCUMENTS ? shards.number() : shards.readsOfASum();
  }

  boolean folds() {
    return LocalCloudOptions.isFolding(settings);
  }

  /** Whether each total is one more write, which has all fields of a counter's own document. */
  boolean writesFields() {
    return !folds() && !entry().fields().isEmpty();
  }

  PlatformSettings platform() {
    return PlatformSettings.from(settings::get);
  }

  double handlerCpus() {
    return Double.parseDouble(platform().handlerCpu());
  }

  boolean byInstance() {
    return platform().billing() == PlatformSettings.Billing.INSTANCE;
  }

  /**
   * The least share of a vCPU with which RollUp sums all counters in time: measured, in the README.
   */
  String leastCpu() {
    return all() <= 10 ? ".083" : all() <= 1_000 ? PlatformSettings.ROLLUP_CPU.otherwise() : "1";
  }

  /**
   * Writes of shards a second of each counter. A server commits a second after the first increment
   * that it has added up, so with r increments a second each, 1 + 1/r seconds after its last
   * commit.
   */
  double commits() {
    return servers == 0 ? rate : servers / (1 + servers / rate);
  }

  private double events() {
    return commits() * counters + unmatched;
  }

  /** The instances of OnShardWritten, which handle some 1,000 events a second each. */
  int instances() {
    return poll().isPresent() ? 0 : (int) Math.max(1, Math.ceil(events() / 1_000));
  }
}
