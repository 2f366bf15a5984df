package dev.tallyroll.local.soak;

import dev.tallyroll.local.soak.History.Change;
import dev.tallyroll.local.soak.History.Seen;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What a total may say: between what was surely committed well before its time and what had been
 * begun by then, as Jepsen's counter checker has it. Immutable.
 */
final class PossibleTotals {
  /** The emulator shows commits later than it stamps them, though less than the local SLACK. */
  static final Duration LATE_VISIBILITY = Duration.ofSeconds(2);

  /** Clients and emulator have one clock, which they read in different grains. */
  private static final Duration CLOCKS_DIFFER = Duration.ofMillis(50);

  private final NavigableMap<Instant, Long> risesBegun;
  private final NavigableMap<Instant, Long> risesKnown;
  private final NavigableMap<Instant, Long> fallsBegun;
  private final NavigableMap<Instant, Long> fallsKnown;

  PossibleTotals(List<Change> changes) {
    var rises = changes.stream().filter(change -> change.delta() > 0).toList();
    var falls = changes.stream().filter(change -> change.delta() < 0).toList();
    risesBegun = sums(rises, Change::begun);
    risesKnown = sums(rises, Change::known);
    fallsBegun = sums(falls, Change::begun);
    fallsKnown = sums(falls, Change::known);
  }

  /** The sum of all changes up to each moment at which there was one. */
  private static NavigableMap<Instant, Long> sums(
      List<Change> changes, Function<Change, Instant> when) {
    var sums = new TreeMap<Instant, Long>();
    long sum = 0;
    for (var change : changes.stream().sorted(Comparator.comparing(when)).toList()) {
      sum += change.delta();
      sums.put(when.apply(change), sum);
    }
    return sums;
  }

  /** What a total of that time may be at least and at most. */
  Range at(Instant asOf) {
    var sure = asOf.minus(LATE_VISIBILITY);
    var possible = asOf.plus(CLOCKS_DIFFER);
    return new Range(
        upTo(risesKnown, sure) + upTo(fallsBegun, possible),
        upTo(risesBegun, possible) + upTo(fallsKnown, sure));
  }

  /** What the total may be in the end: an increment of unknown outcome is in it or not. */
  Range inTheEnd() {
    return new Range(
        upTo(risesKnown, END) + last(fallsBegun), last(risesBegun) + upTo(fallsKnown, END));
  }

  private static final Instant END = Instant.MAX.minusNanos(1);

  private static long upTo(NavigableMap<Instant, Long> sums, Instant moment) {
    var entry = sums.floorEntry(moment);
    return entry == null ? 0 : entry.getValue();
  }

  private static long last(NavigableMap<Instant, Long> sums) {
    return sums.isEmpty() ? 0 : sums.lastEntry().getValue();
  }

  /** The totals that are out of bounds, each in a sentence. */
  List<String> broken(List<Seen> seen) {
    return seen.stream().flatMap(this::broken).toList();
  }

  private Stream<String> broken(Seen seen) {
    var range = at(seen.asOf());
    return range.holds(seen.count())
        ? Stream.empty()
        : Stream.of("expected %s as of %s, found %d".formatted(range, seen.asOf(), seen.count()));
  }

  /** Both ends are in it. */
  record Range(long least, long most) {
    boolean holds(long total) {
      return least <= total && total <= most;
    }

    @Override
    public String toString() {
      return least == most ? "a total of " + least : "a total from " + least + " to " + most;
    }
  }
}
