package dev.tallyroll.local.up;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The options of {@code deploy/local/up}.
 *
 * @param project id of the project that the emulators play
 * @param firestorePort 0 for a free one
 * @param pubSubPort 0 for a free one
 * @param traffic increments a second; 0 for none
 * @param counters how many counters to create
 * @param shards how many shards each gets
 * @param seconds how long to run; empty for until it is ended
 */
record UpOptions(
    String project,
    int firestorePort,
    int pubSubPort,
    double traffic,
    int counters,
    int shards,
    Optional<Integer> seconds) {

  static final String HELP =
      """
      Usage: deploy/local/up [OPTION]...
      Runs Tallyroll on this machine: the official Firestore and Pub/Sub emulators, both functions in
      the official invoker, and traffic to watch.

        --project ID           project to play (default demo-tallyroll)
        --firestore-port PORT  port for Firestore (default: a free one)
        --pubsub-port PORT     port for Pub/Sub (default: a free one)
        --traffic RATE|none    increments a second, over all counters (default 20)
        --counters N           counters to create (default 3)
        --shards N             shards of each counter (default 10)
        --seconds S            stop the traffic after S seconds, wait until quiet, print a summary
        --help                 print this

      The settings of the functions (TICK, LEASE, ...) are taken from the environment; see the README.
      When ready, it prints a line that starts with "ready: FIRESTORE_EMULATOR_HOST=".
      Exit status: 0 all totals are right, 1 a total is wrong, 2 bad options, 3 could not start,
      130 or 143 after a signal.
      """;

  /**
   * @throws IllegalArgumentException if an option is unknown or malformed
   */
  static UpOptions parse(List<String> arguments) {
    Deque<String> rest = new ArrayDeque<>(arguments);
    UpOptions options = new UpOptions("demo-tallyroll", 0, 0, 20, 3, 10, Optional.empty());
    while (!rest.isEmpty()) {
      options = options.with(rest.remove(), rest);
    }
    return options;
  }

  private UpOptions with(String option, Deque<String> rest) {
    return switch (option) {
      case "--project" ->
          new UpOptions(
              project(option, rest), firestorePort, pubSubPort, traffic, counters, shards, seconds);
      case "--firestore-port" ->
          new UpOptions(
              project, port(option, rest), pubSubPort, traffic, counters, shards, seconds);
      case "--pubsub-port" ->
          new UpOptions(
              project, firestorePort, port(option, rest), traffic, counters, shards, seconds);
      case "--traffic" ->
          new UpOptions(
              project, firestorePort, pubSubPort, rate(option, rest), counters, shards, seconds);
      case "--counters" ->
          new UpOptions(
              project,
              firestorePort,
              pubSubPort,
              traffic,
              number(option, rest, 1, 1_000),
              shards,
              seconds);
      case "--shards" ->
          new UpOptions(
              project,
              firestorePort,
              pubSubPort,
              traffic,
              counters,
              number(option, rest, 1, 1_000),
              seconds);
      case "--seconds" ->
          new UpOptions(
              project,
              firestorePort,
              pubSubPort,
              traffic,
              counters,
              shards,
              Optional.of(number(option, rest, 1, 86_400)));
      default -> throw new IllegalArgumentException("unknown option '" + option + "'");
    };
  }

  private static String value(String option, Deque<String> rest, String expected) {
    if (rest.isEmpty()) {
      throw new IllegalArgumentException(option + ": expected " + expected + "; found nothing");
    }
    return rest.remove();
  }

  private static String project(String option, Deque<String> rest) {
    String expected = "a project id of 6 to 30 lower-case letters, digits and hyphens";
    String found = value(option, rest, expected);
    check(found.matches("[a-z][a-z0-9-]{4,28}[a-z0-9]"), option, expected, found);
    return found;
  }

  private static int port(String option, Deque<String> rest) {
    return number(option, rest, 1, 65_535);
  }

  private static double rate(String option, Deque<String> rest) {
    String expected = "none, or increments a second from 0.01 to 10000";
    String found = value(option, rest, expected);
    if (found.equals("none")) {
      return 0;
    }
    check(found.matches("[0-9]{1,5}(\\.[0-9]{1,3})?"), option, expected, found);
    double rate = Double.parseDouble(found);
    check(rate >= 0.01 && rate <= 10_000, option, expected, found);
    return rate;
  }

  private static int number(String option, Deque<String> rest, int least, int most) {
    String expected = "a whole number from " + least + " to " + most;
    String found = value(option, rest, expected);
    check(found.matches("[0-9]{1,9}"), option, expected, found);
    int number = Integer.parseInt(found);
    check(number >= least && number <= most, option, expected, found);
    return number;
  }

  private static void check(boolean valid, String option, String expected, String found) {
    if (!valid) {
      throw new IllegalArgumentException(
          option + ": expected " + expected + "; found '" + found + "'");
    }
  }
}
