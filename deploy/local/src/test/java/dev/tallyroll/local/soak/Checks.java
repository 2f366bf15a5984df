package dev.tallyroll.local.soak;

import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.Total;
import dev.tallyroll.local.soak.Client.Kind;
import dev.tallyroll.local.soak.History.Seen;
import dev.tallyroll.local.soak.PossibleTotals.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** What must be true of counters, while everything goes wrong and in the end. Stateless. */
final class Checks {
  /**
   * A delivery costs the handler a write, two when another came between, and the client of
   * Firestore sends some again; the roller adds less than one. More, and something goes round in a
   * circle.
   */
  private static final long MOST_COMMITS_PER_DELIVERY = 3;

  private Checks() {}

  /** What readers saw of a counter that they must not have, each in a sentence. */
  static List<String> readings(Client client) {
    var history = client.history();
    // What a deleted counter held is forgotten, and its roll-up may come back older (see the
    // design).
    if (client.kind() == Kind.FLEETING) {
      return List.of();
    }
    boolean rising = client.kind() != Kind.WAVERING;
    var possible = client.possible();
    return Stream.of(
            possible.broken(history.heard()),
            possible.broken(history.polled()),
            stepsBack(history.heard(), rising),
            stepsBack(history.polled(), rising))
        .flatMap(List::stream)
        .map(sentence -> client.path() + ": " + sentence)
        .toList();
  }

  /**
   * Where time went back in what one reader saw one after the other, each in a sentence.
   *
   * @param rising whether the counter was only ever added to, so that its total must not fall
   *     either
   */
  static List<String> stepsBack(List<Seen> seen, boolean rising) {
    var broken = new ArrayList<String>();
    for (int i = 1; i < seen.size(); i++) {
      var before = seen.get(i - 1);
      var after = seen.get(i);
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
    }
    return broken;
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

  /** How a counter stands now. */
  static Standing standing(Client client)
      throws ExecutionException, InterruptedException, TimeoutException {
    var rollup = Client.done(client.counter().total());
    long sum = whole(Client.done(client.counter().exactTotal()));
    return new Standing(
        rollup.equals(RolledUpTotal.NONE)
            ? OptionalLong.empty()
            : OptionalLong.of(whole(rollup.total())),
        rollup.isLive(),
        sum,
        client.shards(),
        client.possible().inTheEnd());
  }

  private static long whole(Total total) {
    if (total instanceof Total.Whole whole) {
      return whole.value();
    }
    throw new IllegalStateException("expected a total of integers, found " + total);
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
}
