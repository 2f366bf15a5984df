package dev.tallyroll.local.soak;

import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.Total;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** What must be true of counters, while everything goes wrong and in the end. Stateless. */
final class Checks {
  /** The emulator shows commits later than it stamps them, though less than the local SLACK. */
  private static final Duration LATE_VISIBILITY = Duration.ofSeconds(2);

  /** Clients and emulator have one clock, which they read in different grains. */
  private static final Duration CLOCKS_DIFFER = Duration.ofMillis(50);

  /** The lag of what no reader ever saw covered. */
  static final Duration NEVER = Duration.ofSeconds(Long.MAX_VALUE);

  /**
   * A delivery costs the handler a write, two when another came between, and the client of
   * Firestore sends some again; the roller adds less than one. More, and something goes round in a
   * circle.
   */
  private static final long MOST_COMMITS_PER_DELIVERY = 3;

  private Checks() {}

  /**
   * An increment as its client knows it. Immutable.
   *
   * @param delta what it adds
   * @param begun when it was first sent: it is in no total before that
   * @param known by when it surely was committed; {@link Instant#MAX} if that was never learnt
   */
  record Change(long delta, Instant begun, Instant known) {}

  /**
   * A roll-up as a reader got it. Immutable.
   *
   * @param count its total
   * @param asOf what it is exact for
   * @param at when the reader got it
   */
  record Seen(long count, Instant asOf, Instant at) {}

  /** What a total may be; both ends are in it. Immutable. */
  record Range(long least, long most) {
    boolean holds(long total) {
      return least <= total && total <= most;
    }

    @Override
    public String toString() {
      return least == most ? "a total of " + least : "a total from " + least + " to " + most;
    }
  }

  /**
   * What a total of that time may say: between what was surely committed well before it and what
   * had been begun by then, as Jepsen's counter checker has it.
   */
  static Range possible(List<Change> changes, Instant asOf) {
    return range(changes, asOf.minus(LATE_VISIBILITY), asOf.plus(CLOCKS_DIFFER));
  }

  /** What it may say in the end: an increment of unknown outcome is in it or not. */
  static Range possibleInTheEnd(List<Change> changes) {
    return range(changes, Instant.MAX.minusNanos(1), Instant.MAX);
  }

  private static Range range(List<Change> changes, Instant sureIfBy, Instant possibleIfBy) {
    long least = 0;
    long most = 0;
    for (var change : changes) {
      boolean isSure = !change.known().isAfter(sureIfBy);
      boolean isPossible = !change.begun().isAfter(possibleIfBy);
      least += isSure || (isPossible && change.delta() < 0) ? change.delta() : 0;
      most += isSure || (isPossible && change.delta() > 0) ? change.delta() : 0;
    }
    return new Range(least, most);
  }

  /**
   * What one reader must not have seen, each in a sentence.
   *
   * @param seen in its order
   * @param rising whether the counter was only ever added to, so that its total must not fall
   */
  static List<String> broken(List<Change> changes, List<Seen> seen, boolean rising) {
    var broken = new ArrayList<String>();
    Seen before = null;
    for (var one : seen) {
      var range = possible(changes, one.asOf());
      if (!range.holds(one.count())) {
        broken.add("expected %s as of %s, found %d".formatted(range, one.asOf(), one.count()));
      }
      if (before != null) {
        brokenStep(before, one, rising).forEach(broken::add);
      }
      before = one;
    }
    return broken;
  }

  private static Stream<String> brokenStep(Seen before, Seen after, boolean rising) {
    var broken = Stream.<String>builder();
    if (after.asOf().isBefore(before.asOf())) {
      broken.add("expected as_of not before %s, found %s".formatted(before.asOf(), after.asOf()));
    }
    if (rising && after.count() < before.count()) {
      broken.add(
          "expected a total of at least %d as of %s, found %d"
              .formatted(before.count(), after.asOf(), after.count()));
    }
    if (after.asOf().equals(before.asOf()) && after.count() != before.count()) {
      broken.add(
          "expected one total as of %s, found %d and %d"
              .formatted(after.asOf(), before.count(), after.count()));
    }
    return broken.build();
  }

  /**
   * How long each increment that was committed in a stretch of time took until a reader had a total
   * that covers it.
   */
  static List<Duration> lags(List<Change> changes, List<Seen> seen, Instant from, Instant to) {
    return changes.stream()
        .map(Change::known)
        .filter(known -> !known.isBefore(from) && !known.isAfter(to))
        .map(known -> lag(known, seen))
        .toList();
  }

  private static Duration lag(Instant known, List<Seen> seen) {
    return seen.stream()
        .filter(one -> !one.asOf().isBefore(known))
        .findFirst()
        .map(one -> one.at().isBefore(known) ? Duration.ZERO : Duration.between(known, one.at()))
        .orElse(NEVER);
  }

  /**
   * What is wrong with the functions' work, each in a sentence.
   *
   * @param deliveries of events, with copies and repetitions
   * @param commits that the functions sent, whatever came of them
   * @param idleCommits those of them that came while nothing was to be done
   */
  static List<String> work(long deliveries, long commits, long idleCommits) {
    var broken = new ArrayList<String>();
    if (idleCommits != 0) {
      broken.add("expected no commit while idle, found " + idleCommits);
    }
    long most = MOST_COMMITS_PER_DELIVERY * deliveries;
    if (commits > most) {
      broken.add(
          "expected at most %d commits for %d deliveries, found %d"
              .formatted(most, deliveries, commits));
    }
    return broken;
  }

  /**
   * A counter at one moment. Immutable.
   *
   * @param rollup its total; empty if there is no roll-up
   * @param live whether the roll-up is still to change
   * @param sum of its shards
   * @param shards how many there are: a deleted counter has none
   * @param expected what its client knows
   */
  record Standing(OptionalLong rollup, boolean live, long sum, int shards, Range expected) {
    static Standing of(RolledUpTotal rollup, Total sum, int shards, Range expected) {
      var total =
          rollup.equals(RolledUpTotal.NONE)
              ? OptionalLong.empty()
              : OptionalLong.of(whole(rollup.total()));
      return new Standing(total, rollup.isLive(), whole(sum), shards, expected);
    }

    /** What is wrong, in a sentence; empty if nothing is. */
    Optional<String> broken() {
      if (!expected.holds(sum)) {
        return Optional.of("expected the shards to hold %s, found %d".formatted(expected, sum));
      }
      String right = shards == 0 ? "nothing" : Long.toString(sum);
      String shown = rollup.isPresent() ? Long.toString(rollup.getAsLong()) : "nothing";
      return right.equals(shown)
          ? Optional.empty()
          : Optional.of("expected the roll-up to say %s, found %s".formatted(right, shown));
    }

    /** Whether the roll-up is what the shards are, whether or not these are what they should be. */
    boolean isSettled() {
      return !live
          && (shards == 0 ? rollup.isEmpty() : rollup.isPresent() && rollup.getAsLong() == sum);
    }

    /** By how much the roll-up is off. */
    long difference() {
      return Math.subtractExact(sum, rollup.orElse(0));
    }
  }

  private static long whole(Total total) {
    if (total instanceof Total.Whole whole) {
      return whole.value();
    }
    throw new IllegalStateException("expected a total of integers, found " + total);
  }
}
