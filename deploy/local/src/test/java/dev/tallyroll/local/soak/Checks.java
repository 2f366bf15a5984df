package dev.tallyroll.local.soak;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Checks that counters have to pass, during faults and in the end. Stateless. */
final class Checks {
  /** The emulator shows commits later than it stamps them, though less than the local SLACK. */
  private static final Duration LATE_VISIBILITY = Duration.ofSeconds(2);

  /** Clients and emulator have one clock, which they read in different grains. */
  private static final Duration CLOCKS_DIFFER = Duration.ofMillis(50);

  private Checks() {}

  /**
   * An increment as its client knows it. Immutable.
   *
   * @param delta what it adds
   * @param begun when it was first sent: it is in no total before that
   * @param known by when it surely was committed; {@link Instant#MAX} if that was never learnt
   */
  record Change(long delta, Instant begun, Instant known) {}

  /** A roll-up as a reader got it: its total, and what it is exact for. Immutable. */
  record Seen(long count, Instant asOf) {}

  /** The totals that are possible; both ends are included. Immutable. */
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
   * The possible totals at a time: between the sum of the changes that were surely committed well
   * before it and the sum of those that had been begun by then, as Jepsen's counter checker has it.
   */
  static Range possible(List<Change> changes, Instant asOf) {
    return range(changes, asOf.minus(LATE_VISIBILITY), asOf.plus(CLOCKS_DIFFER));
  }

  /** The possible totals in the end: an increment of unknown outcome is included or not. */
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
   * The contradictions in the totals that one reader has seen, each in a sentence.
   *
   * @param seen in its order
   * @param rising whether the counter was only ever added to, so that its total must not fall
   */
  static List<String> broken(List<Change> changes, List<Seen> seen, boolean rising) {
    var broken = new ArrayList<String>();
    for (int i = 0; i < seen.size(); i++) {
      var one = seen.get(i);
      var before = seen.get(Math.max(0, i - 1));
      var range = possible(changes, one.asOf());
      if (!range.holds(one.count())) {
        broken.add("expected %s as of %s, found %d".formatted(range, one.asOf(), one.count()));
      }
      boolean falls = rising && one.count() < before.count();
      boolean differs = one.asOf().equals(before.asOf()) && one.count() != before.count();
      if (one.asOf().isBefore(before.asOf()) || falls || differs) {
        broken.add("expected nothing like %s after %s".formatted(one, before));
      }
    }
    return broken;
  }

  /**
   * A counter at one moment. Immutable.
   *
   * @param rollup its total; empty if there is no roll-up
   * @param live whether the roll-up is still to change
   * @param sum of its shards; empty if there are none
   * @param expected what its client knows
   */
  record Standing(OptionalLong rollup, boolean live, OptionalLong sum, Range expected) {
    /** The fault, in a sentence; empty if there is none. */
    Optional<String> broken() {
      if (!expected.holds(sum.orElse(0))) {
        return Optional.of("expected the shards to hold %s, found %s".formatted(expected, sum));
      }
      return rollup.equals(sum)
          ? Optional.empty()
          : Optional.of("expected the roll-up to say %s, found %s".formatted(sum, rollup));
    }

    /** Whether the roll-up is what the shards are, whether or not these are what they should be. */
    boolean isSettled() {
      return !live && rollup.equals(sum);
    }

    /** The error of the roll-up. */
    long difference() {
      return Math.abs(Math.subtractExact(sum.orElse(0), rollup.orElse(0)));
    }
  }
}
