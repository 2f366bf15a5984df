package dev.tallyroll.local.soak;

import dev.tallyroll.local.soak.Bounds.Range;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A counter in the end, when all is quiet. Immutable.
 *
 * @param rollup its total; empty if there is no roll-up
 * @param shards the sum of its shards, and how many there are
 * @param expected what its clients know
 */
record Finals(OptionalLong rollup, Shards shards, Range expected) {
  /** The shards of a counter; a deleted one has none. */
  record Shards(long sum, long number) {}

  /** What is wrong, in a sentence; empty if nothing is. */
  Optional<String> broken() {
    if (!expected.holds(shards.sum())) {
      return Optional.of(
          "expected the shards to hold %s, found %d".formatted(expected, shards.sum()));
    }
    return isSettled()
        ? Optional.empty()
        : Optional.of("expected the roll-up to say %s, found %s".formatted(right(), shown()));
  }

  /** Whether the roll-up is what the shards are, whether or not these are what they should be. */
  boolean isSettled() {
    return shards.number() == 0
        ? rollup.isEmpty()
        : rollup.isPresent() && rollup.getAsLong() == shards.sum();
  }

  /** By how much the roll-up is off. */
  long difference() {
    return Math.subtractExact(shards.sum(), rollup.orElse(0));
  }

  private String right() {
    return shards.number() == 0 ? "nothing" : Long.toString(shards.sum());
  }

  private String shown() {
    return rollup.isPresent() ? Long.toString(rollup.getAsLong()) : "nothing";
  }
}
