package dev.tallyroll.local.bill;

import dev.tallyroll.local.SettingsFile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The cheapest settings with which a total is at most so many seconds behind its shards, apart from
 * the time of the calls.
 */
record Dial(Prices prices, int seconds) {
  static final List<Integer> STEPS = List.of(1, 10, 60);

  /** Calls, and the start of a scheduled run. */
  private static final double AND_CALLS = 1.2;

  /** Up to how many counters a share of a vCPU is enough for RollUp: deploy/local/README.md. */
  private static final List<Map.Entry<Integer, String>> CPUS =
      List.of(Map.entry(10, ".083"), Map.entry(1_000, ".333"));

  private static final Saving POLLED = new Saving("", List.of(), Load::inPolledCounters);

  /**
   * Settings, and what they cost.
   *
   * @param lines of the settings file, with the default ones left out
   */
  record Best(List<String> lines, Load load, double dollars) {}

  /** Whatever the load's own settings say of the trigger, those with one and without are tried. */
  Best best(Load load) {
    Load plain = load.with("TICK=PT1S", "HOLD=PT0S");
    String place = load.settings().getOrDefault("COUNTERS", SettingsFile.COUNTERS);
    Saving trigger = Saving.NONE;
    if (!load.hasTrigger()) {
      place = load.settings().getOrDefault("POLLED", "");
      trigger = Saving.settings("COUNTERS=" + place, "POLLED=");
    }
    Saving first = trigger;
    Saving cpu = cpu(load.counters());
    return Saving.combined(choices(place)).stream()
        .map(change -> best(first.and(change).and(cpu), plain))
        .filter(best -> Month.of(best.load).lag() <= seconds * AND_CALLS)
        .min(Comparator.comparingDouble(Best::dollars))
        .orElseThrow();
  }

  private Best best(Saving change, Load load) {
    Load changed = change.to().apply(load);
    Map<String, String> last = new LinkedHashMap<>();
    change.lines().forEach(line -> last.put(line.split("=", 2)[0], line));
    return new Best(List.copyOf(last.values()), changed, Offer.tallyroll(changed).dollars(prices));
  }

  /**
   * @param place of the counters
   */
  private List<List<Saving>> choices(String place) {
    List<Saving> ticks = new ArrayList<>();
    ticks.addAll(alone(place, "POLL=PT1S"));
    if (seconds >= 10) {
      ticks.add(Saving.settings("TICK=PT10S"));
      ticks.add(Saving.settings("HOLD=PT10S"));
      ticks.addAll(alone(place, "POLL=PT10S", "TICK=PT10S"));
    }
    if (seconds >= 60) {
      ticks.addAll(alone(place, "POLL=PT1M", "TICK=PT1M"));
      ticks.add(Saving.settings("TICK=PT1M"));
    }
    return List.of(ticks, List.of(POLLED), Saving.BILLINGS);
  }

  /** Without a trigger, if all counters are in one collection. */
  private static List<Saving> alone(String place, String... lines) {
    return place.contains("{")
        ? List.of()
        : List.of(
            Saving.settings("COUNTERS=", "POLLED=" + place)
                .and(Saving.settings(lines))
                .and(POLLED));
  }

  private static Saving cpu(int counters) {
    String least =
        CPUS.stream()
            .filter(most -> counters <= most.getKey())
            .findFirst()
            .map(Map.Entry::getValue)
            .orElse("1");
    return least.equals(Load.ROLLUP_CPU) ? Saving.NONE : Saving.settings("ROLLUP_CPU=" + least);
  }

  /**
   * Other ways to get a total that is as fresh: a function of one's own sums the shards, the
   * extension folds them, or one's own function adds up documents; or each client reads them all.
   */
  List<Offer> others(Load load) {
    return List.of(
        Offer.sumEach(seconds, load),
        load.shards().areDocuments() ? Offer.addEach(load) : Offer.extension(load),
        Offer.allShards(load));
  }

  /** Whether one of the {@link #others} does something: without listeners, nobody reads shards. */
  boolean isAlternative(int way, Load load) {
    return way < 2 || load.listeners() > 0;
  }
}
