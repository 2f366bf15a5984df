package dev.tallyroll.local.bill;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Settings, or a way of counting, that may be cheaper.
 *
 * @param name what it is or means
 * @param lines of the settings file; a way of counting is a comment there
 */
record Saving(String name, List<String> lines, UnaryOperator<Load> to) {
  /** How OnShardWritten may be billed otherwise. */
  static final List<Saving> BILLINGS =
      Stream.of("BILLING=instance", "HANDLER_CPU=.333").map(Saving::settings).toList();

  static final Saving NONE = settings();

  /** Those that buffer increments. */
  static final int SERVERS = 5;

  private static final List<Integer> BURSTS = List.of(2, 5, 10, 15, 25, 50);
  private static final Duration HOLD = Duration.ofSeconds(10);

  private static final Duration LONGER = Duration.ofSeconds(10);

  /**
   * A counter must be live for it, which with the usual BURST it is only from 3 changes a second.
   */
  static final Saving SLOWER = settings("TICK=" + LONGER, "BURST=2");

  /** All counters once a minute, if they are polled. */
  private static final Saving MINUTE = settings("POLL=PT1M", "TICK=PT1M");

  /** Shards of a counter, if nothing is known of them. */
  static final int USUAL_SHARDS = 10;

  static Saving settings(String... lines) {
    return new Saving(String.join(" ", lines), List.of(lines), load -> load.with(lines));
  }

  private static Saving way(String name, UnaryOperator<Load> to) {
    return new Saving(name, List.of("# " + name), to);
  }

  /** This one, and then the other. */
  Saving and(Saving other) {
    return new Saving(
        name,
        Stream.concat(lines.stream(), other.lines.stream()).toList(),
        load -> other.to.apply(to.apply(load)));
  }

  /** All that can be made of none or one of each list. */
  static List<Saving> combined(List<List<Saving>> choices) {
    List<Saving> all = List.of(NONE);
    for (List<Saving> exclusive : choices) {
      all =
          all.stream()
              .flatMap(
                  before -> Stream.concat(Stream.of(before), exclusive.stream().map(before::and)))
              .toList();
    }
    return all;
  }

  /** The savings to try for a load. Each list has those that exclude each other. */
  static List<List<Saving>> advisable(Load load) {
    List<List<Saving>> choices = new ArrayList<>();
    choices.add(BILLINGS);
    choices.add(List.of(settings("REQUEST_LOGS=errors")));
    if (load.folds()) {
      return choices;
    }
    choices.add(BURSTS.stream().map(burst -> settings("BURST=" + burst)).toList());
    Saving held = holding(load.runs().timing().tick());
    choices.add(slows(load) ? List.of(held, SLOWER) : List.of(held));
    List<Saving> polled = new ArrayList<>();
    polled.add(way("polled counters: after a pause, up to a POLL behind", Load::inPolledCounters));
    if (load.shards().areDocuments() && load.accepts(MINUTE.lines)) {
      polled.add(
          new Saving(
              MINUTE.name + ", polled counters: up to a minute behind",
              Stream.concat(MINUTE.lines.stream(), Stream.of("# polled counters")).toList(),
              Load::eachMinute));
    }
    choices.add(polled);
    if (load.shards().areDocuments()) {
      choices.add(
          List.of(
              way("shards beside the documents, a write more each change", Saving::countedBeside)));
    } else if (load.servers() == 0) {
      choices.add(
          List.of(
              way(
                  "buffered increments, from five servers",
                  unbuffered -> unbuffered.bufferedBy(SERVERS))));
    }
    return choices;
  }

  /** Whether a longer tick makes fewer sums, and the other settings allow it. */
  private static boolean slows(Load load) {
    return load.shards().areDocuments()
        && load.runs().timing().tick().compareTo(LONGER) < 0
        && load.accepts(SLOWER.lines);
  }

  private static Load countedBeside(Load load) {
    return load.countedBeside(USUAL_SHARDS);
  }

  /** A HOLD cannot be shorter than the tick. */
  private static Saving holding(Duration tick) {
    Duration hold = tick.compareTo(HOLD) > 0 ? tick : HOLD;
    Saving change = settings("HOLD=" + hold);
    String meaning = ": totals within 1 %, and " + hold.toSeconds() + " s old at most";
    return new Saving(change.name + meaning, change.lines, change.to);
  }
}
