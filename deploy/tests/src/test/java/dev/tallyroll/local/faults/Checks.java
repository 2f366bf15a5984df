package dev.tallyroll.local.faults;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The checks of counters, during faults and at the end. Stateless. */
final class Checks {
  /** The emulator shows a commit later than its stamp, but by less than the local SLACK. */
  private static final Duration LATE_VISIBILITY = Duration.ofSeconds(2);

  /** Clients and emulator share a clock, but round its times differently. */
  private static final Duration CLOCKS_DIFFER = Duration.ofMillis(50);

  private Checks() {}

  /**
   * A client's knowledge of its increment. Immutable.
   *
   * @param delta what it adds
   * @param begun the time when it was first sent; no earlier total has it
   * @param known a time at which it was surely committed; {@link Instant#MAX} if no reply came
   */
  record Change(long delta, Instant begun, Instant known) {}

  /** A roll-up that a reader got: its total, and the time at which this is exact. Immutable. */
  record Seen(long count, Instant asOf) {}

  /** The possible totals; both ends are included. Immutable. */
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
   * The possible totals at a time. As in Jepsen's counter checker, they lie between the sum of the
   * changes surely committed well before that time and the sum of the changes begun by then.
   */
  static Range possible(List<Change> changes, Instant asOf) {
    return range(changes, asOf.minus(LATE_VISIBILITY), asOf.plus(CLOCKS_DIFFER));
  }

  /** The possible totals at the end, with and without the increments of unknown outcome. */
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
   * A sentence for each contradiction in the totals that one reader has seen.
   *
   * @param seen the totals in the reader's order
   * @param rising whether all increments were positive, so that the total must not fall
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
   * @param rollup the total in its roll-up; empty without a roll-up
   * @param live whether the roll-up has a lease, and so may still change
   * @param sum the sum of its shards; empty without shards
   * @param expected the totals that its client allows
   */
  record Standing(OptionalLong rollup, boolean live, OptionalLong sum, Range expected) {
    /** A sentence about the fault; empty if there is none. */
    Optional<String> broken() {
      if (!expected.holds(sum.orElse(0))) {
        return Optional.of("expected the shards to hold %s, found %s".formatted(expected, sum));
      }
      return rollup.equals(sum)
          ? Optional.empty()
          : Optional.of("expected the roll-up to say %s, found %s".formatted(sum, rollup));
    }

    /** Whether the roll-up equals the sum of the shards, be this sum right or wrong. */
    boolean isSettled() {
      return !live && rollup.equals(sum);
    }
  }
}
