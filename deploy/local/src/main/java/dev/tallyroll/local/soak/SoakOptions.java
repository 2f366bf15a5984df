package dev.tallyroll.local.soak;

import dev.tallyroll.local.CommandLine;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What a soak is made of. Immutable.
 *
 * @param counters how many
 * @param perSecond steps a second, over all counters
 * @param lost how long all events are lost, before anything else goes wrong; may be zero
 * @param faults how long everything goes wrong, at least
 * @param recovery how long it takes afterwards until freshness is measured
 * @param calm how long freshness is measured
 * @param idle how long nothing must be written, in the end
 * @param seed of the steps and the faults
 */
record SoakOptions(
    int counters,
    double perSecond,
    Duration lost,
    Duration faults,
    Duration recovery,
    Duration calm,
    Duration idle,
    long seed) {
  static final String HELP =
      """
      Usage: deploy/local/soak [OPTION]...
      Makes everything go wrong, as deploy/local/up --faults does, with hundreds of counters that are
      incremented, decremented, deleted and created again, while readers watch; then checks all that
      was written and seen. The report goes to deploy/local/target/soak.md.

        --minutes M       how long everything goes wrong (default 3); the rest takes some five more
        --counters K      how many counters (default 300)
        --rate R          their increments and other steps, a second (default 60)
        --drop-minutes D  first lose all events for D minutes, and sweep (default 0)
        --seed N          of the steps and the faults (default 1)
        --help            print this

      Exit status: 0 all is right, 1 something is wrong, 2 bad options, 3 could not start.
      """;

  private static final Set<String> VALUES =
      Set.of("--minutes", "--counters", "--rate", "--drop-minutes", "--seed");

  private static final Duration RECOVERY = Duration.ofSeconds(70);
  private static final Duration CALM = Duration.ofSeconds(60);
  private static final Duration IDLE = Duration.ofSeconds(60);

  /**
   * Reads them.
   *
   * @throws IllegalArgumentException if an option is unknown or malformed
   */
  static SoakOptions parse(List<String> arguments) {
    var given = CommandLine.parse(arguments, Set.of(), VALUES);
    return new SoakOptions(
        given.number("--counters", 10, 10_000).orElse(300),
        given.number("--rate", 1, 1_000).orElse(60),
        Duration.ofMinutes(given.number("--drop-minutes", 0, 600).orElse(0)),
        Duration.ofMinutes(given.number("--minutes", 1, 6_000).orElse(3)),
        RECOVERY,
        CALM,
        IDLE,
        given.number("--seed", 0, 999_999_999).orElse(1));
  }

  /** As much as fits into a test: nothing in it is a matter of time but how much is tried. */
  static SoakOptions shortForm(long seed) {
    return new SoakOptions(
        40,
        25,
        Duration.ZERO,
        Duration.ofSeconds(20),
        Duration.ZERO,
        Duration.ofSeconds(5),
        Duration.ofSeconds(5),
        seed);
  }
}
