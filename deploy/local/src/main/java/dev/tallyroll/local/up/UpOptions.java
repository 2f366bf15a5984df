package dev.tallyroll.local.up;

import dev.tallyroll.local.CommandLine;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The options of {@code deploy/local/up}.
 *
 * @param project id of the project that the emulators play
 * @param firestorePort 0 for a free one
 * @param pubSubPort 0 for a free one
 * @param consolePort 0 for a free one; empty for no console
 * @param traffic increments a second; 0 for none
 * @param counters how many counters to create
 * @param shards how many shards each gets
 * @param seconds how long to run; empty for until it is ended
 * @param faults whether everything that may go wrong does
 * @param seed of the faults
 */
record UpOptions(
    String project,
    int firestorePort,
    int pubSubPort,
    Optional<Integer> consolePort,
    double traffic,
    int counters,
    int shards,
    Optional<Integer> seconds,
    boolean faults,
    int seed) {

  static final String HELP =
      """
      Usage: deploy/local/up [OPTION]...
      Runs Tallyroll on this machine: the official Firestore and Pub/Sub emulators, both functions in
      the official invoker, and traffic to watch.

        --project ID           project to play (default demo-tallyroll)
        --firestore-port PORT  port for Firestore (default: a free one)
        --pubsub-port PORT     port for Pub/Sub (default: a free one)
        --console-port PORT|none  port for the console's page (default: a free one)
        --traffic RATE|none    increments a second, over all counters (default 20)
        --counters N           counters to create (default 3)
        --shards N             shards of each counter (default 10)
        --seconds S            stop the traffic after S seconds, wait until quiet, print a summary
        --faults               make everything go wrong: events doubled, late, out of order and sent
                               again; both functions killed every few seconds; their calls of
                               Firestore late, refused, cut off, carried out without an answer. In
                               the end (also after Ctrl-C) all is repaired and swept, and a summary
                               says what was done and what is wrong. The functions' warnings go to
                               deploy/local/target/faults.log
        --seed N               of the faults (default 1)
        --help                 print this

      The settings of the functions (TICK, LEASE, ...) are taken from the environment; see the README.
      When ready, it prints a line that starts with "ready: FIRESTORE_EMULATOR_HOST=".
      Exit status: 0 all totals are right, 1 a total is wrong, or with --faults for 60 seconds or
      more, a kind of fault never happened; 2 bad options, 3 could not start, 130 or 143 after a
      signal.
      """;

  private static final Set<String> FLAGS = Set.of("--faults");
  private static final Set<String> VALUES =
      Set.of(
          "--project",
          "--firestore-port",
          "--pubsub-port",
          "--console-port",
          "--traffic",
          "--counters",
          "--shards",
          "--seconds",
          "--seed");

  private static final String PORT = "none, or a port from 0 (a free one) to 65535";
  private static final String RATE = "none, or increments a second from 0.01 to 10000";

  /**
   * @throws IllegalArgumentException if an option is unknown or malformed
   */
  static UpOptions parse(List<String> arguments) {
    CommandLine given = CommandLine.parse(arguments, FLAGS, VALUES);
    UpOptions options =
        new UpOptions(
            project(given),
            given.number("--firestore-port", 1, 65_535).orElse(0),
            given.number("--pubsub-port", 1, 65_535).orElse(0),
            consolePort(given),
            rate(given),
            given.number("--counters", 1, 1_000).orElse(3),
            given.number("--shards", 1, 1_000).orElse(10),
            given.number("--seconds", 1, 86_400),
            given.has("--faults"),
            given.number("--seed", 0, 999_999_999).orElse(1));
    if (options.faults && options.traffic == 0) {
      throw new IllegalArgumentException("--faults: expected traffic to disturb; found none");
    }
    return options;
  }

  private static String project(CommandLine given) {
    return given
        .value(
            "--project",
            "a project id of 6 to 30 lower-case letters, digits and hyphens",
            "[a-z][a-z0-9-]{4,28}[a-z0-9]")
        .orElse("demo-tallyroll");
  }

  private static Optional<Integer> consolePort(CommandLine given) {
    String found = given.value("--console-port", PORT, "none|[0-9]{1,5}").orElse("0");
    if (found.equals("none")) {
      return Optional.empty();
    }
    int port = Integer.parseInt(found);
    CommandLine.check(port <= 65_535, "--console-port", PORT, found);
    return Optional.of(port);
  }

  private static double rate(CommandLine given) {
    String found = given.value("--traffic", RATE, "none|[0-9]{1,5}(\\.[0-9]{1,3})?").orElse("20");
    if (found.equals("none")) {
      return 0;
    }
    double rate = Double.parseDouble(found);
    CommandLine.check(rate >= 0.01 && rate <= 10_000, "--traffic", RATE, found);
    return rate;
  }
}
