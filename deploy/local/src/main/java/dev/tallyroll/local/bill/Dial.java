package dev.tallyroll.local.bill;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The cheapest settings with which a total is at most so many seconds behind its shards, apart from
 * the time of the calls.
 */
record Dial(Prices prices, int seconds) {
  static final List<Integer> STEPS = List.of(1, 10, 60);

  /** Calls, and the start of a scheduled run. */
  private static final double AND_CALLS = 1.2;

  /** The share of a vCPU that RollUp needs for so many counters: deploy/local/README.md. */
  private static final List<Map.Entry<Integer, String>> CPUS =
      List.of(Map.entry(10, ".083"), Map.entry(1_000, ".333"));

  /**
   * Settings, and what they cost.
   *
   * @param lines of the settings file, with the default ones left out
   */
  record Best(List<String> lines, Load load, double dollars) {}

  Best best(Load load) {
    return choices(load)
        .filter(choice -> Month.of(choice.load).lag() <= seconds * AND_CALLS)
        .min(Comparator.comparingDouble(Best::dollars))
        .orElseThrow();
  }

  /**
   * Other ways to get a total that is as fresh: a function of one's own sums the shards, the
   * extension folds them, or each client reads them all.
   */
  List<Offer> others(Load load) {
    return List.of(Offer.sumEach(seconds, load), Offer.extension(load), Offer.allShards(load));
  }

  /** Whether one of the {@link #others} does something: without listeners, nobody reads shards. */
  boolean isAlternative(int way, Load load) {
    return way < 2 || load.listeners() > 0;
  }

  private Stream<Best> choices(Load load) {
    List<List<String>> ticks = new ArrayList<>(List.of(List.of(), List.of("POLLED")));
    if (seconds >= 10) {
      ticks.add(List.of("TICK=PT10S"));
      ticks.add(List.of("TICK=PT10S", "POLLED"));
      ticks.add(List.of("HOLD=PT10S"));
      ticks.add(List.of("HOLD=PT10S", "POLLED"));
    }
    if (seconds >= 60) {
      ticks.add(List.of("TICK=PT1M"));
      ticks.add(List.of("COUNTERS=", "POLLED=counters", "POLL=minute", "POLLED"));
    }
    return ticks.stream()
        .flatMap(
            tick ->
                tick.contains("POLLED")
                    ? Stream.of(tick)
                    : Stream.of(
                        tick, with(tick, "BILLING=instance"), with(tick, "HANDLER_CPU=.333")))
        .map(tick -> cpu(tick, load.counters()))
        .map(tick -> best(tick, load));
  }

  private static List<String> cpu(List<String> settings, int counters) {
    return CPUS.stream()
        .filter(most -> counters <= most.getKey())
        .findFirst()
        .map(Map.Entry::getValue)
        .map(
            least ->
                least.equals(Load.ROLLUP_CPU) ? settings : with(settings, "ROLLUP_CPU=" + least))
        .orElse(with(settings, "ROLLUP_CPU=1"));
  }

  private static List<String> with(List<String> settings, String further) {
    return Stream.concat(settings.stream(), Stream.of(further)).toList();
  }

  private Best best(List<String> choice, Load load) {
    boolean polls = choice.contains("POLLED");
    List<String> lines = choice.stream().filter(line -> line.contains("=")).toList();
    Load with = load.with("TICK=PT1S", "HOLD=PT0S").with(lines.toArray(String[]::new));
    Load changed = polls ? with.inPolledCounters() : with;
    return new Best(lines, changed, Offer.tallyroll(changed).dollars(prices));
  }
}
