package dev.tallyroll.local.bill;

import java.util.ArrayList;
import java.util.Comparator;
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

  /** The share of a vCPU that RollUp needs for so many counters: deploy/local/README.md. */
  private static final List<Map.Entry<Integer, String>> CPUS =
      List.of(Map.entry(10, ".083"), Map.entry(1_000, ".333"));

  private static final Saving POLLED = new Saving("", List.of(), Load::inPolledCounters);

  /**
   * Settings, and what they cost.
   *
   * @param lines of the settings file, with the default ones left out
   */
  record Best(List<String> lines, Load load, double dollars) {}

  Best best(Load load) {
    Load plain = load.with("TICK=PT1S", "HOLD=PT0S");
    Saving cpu = cpu(load.counters());
    return Saving.combined(choices()).stream()
        .map(change -> best(change.and(cpu), plain))
        .filter(best -> Month.of(best.load).lag() <= seconds * AND_CALLS)
        .min(Comparator.comparingDouble(Best::dollars))
        .orElseThrow();
  }

  private Best best(Saving change, Load load) {
    Load changed = change.to().apply(load);
    return new Best(change.lines(), changed, Offer.tallyroll(changed).dollars(prices));
  }

  private List<List<Saving>> choices() {
    List<Saving> ticks = new ArrayList<>();
    ticks.add(alone("POLL=PT1S"));
    if (seconds >= 10) {
      ticks.add(Saving.settings("TICK=PT10S"));
      ticks.add(Saving.settings("HOLD=PT10S"));
      ticks.add(alone("POLL=PT10S", "TICK=PT10S"));
    }
    if (seconds >= 60) {
      ticks.add(alone("POLL=PT1M", "TICK=PT1M"));
      ticks.add(Saving.settings("TICK=PT1M"));
    }
    return List.of(ticks, List.of(POLLED), Saving.BILLINGS);
  }

  /** Without a trigger. */
  private static Saving alone(String... lines) {
    return Saving.settings("COUNTERS=", "POLLED=counters").and(Saving.settings(lines)).and(POLLED);
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
