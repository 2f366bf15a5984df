package dev.tallyroll.local.up;

import static dev.tallyroll.local.Invocation.check;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of {@code deploy/local/up}. Filled in by picocli, then only read. */
final class UpOptions {
  private static final String ID = "[a-z][a-z0-9-]{4,28}[a-z0-9]";
  private static final Duration LATEST = Duration.ofMinutes(10);

  /** Which security rules the emulator holds clients to. Servers are never held to any. */
  enum Rules {
    PLAIN,
    STRICT,
    NONE
  }

  @Option(
      names = "--project",
      paramLabel = "ID",
      description = "project to play (default ${DEFAULT-VALUE})")
  String project = "demo-tallyroll";

  @Option(
      names = "--firestore-port",
      paramLabel = "PORT",
      description = "port for Firestore (default: a free one)")
  int firestorePort;

  @Option(
      names = "--pubsub-port",
      paramLabel = "PORT",
      description = "port for Pub/Sub (default: a free one)")
  int pubSubPort;

  @Option(
      names = "--console-port",
      paramLabel = "PORT|none",
      converter = ConsolePort.class,
      description = "port for the console's page (default: a free one)")
  int consolePort;

  @Option(
      names = "--rules",
      paramLabel = "plain|strict|none",
      description =
          "security rules for clients: those of deploy/firestore/firestore.rules (default), of"
              + " firestore.strict.rules, or none at all")
  Rules rules = Rules.PLAIN;

  @Option(
      names = "--traffic",
      paramLabel = "RATE|none",
      converter = Rate.class,
      description = "increments a second, over all counters of the demo (default ${DEFAULT-VALUE})")
  double traffic = 20;

  @Option(
      names = "--counters",
      paramLabel = "N",
      description = "counters that the demo creates (default ${DEFAULT-VALUE})")
  int counters = 3;

  @Option(
      names = "--shards",
      paramLabel = "N",
      description = "shards of each of them (default ${DEFAULT-VALUE})")
  int shards = 10;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "end after S seconds, as Ctrl-C does: stop the traffic, wait until all is"
              + " settled, print a summary")
  Optional<Integer> seconds = Optional.empty();

  @Option(
      names = "--event-delay",
      paramLabel = "DURATION",
      converter = Delay.class,
      description = "deliver every event that much later, such as PT4S (default: at once)")
  Duration eventDelay = Duration.ZERO;

  @Option(
      names = "--instances",
      paramLabel = "N",
      description =
          "run N instances of OnShardWritten, and give each event to any of them, as the platform"
              + " does (default ${DEFAULT-VALUE})")
  int instances = 1;

  @Option(
      names = "--faults",
      description =
          "make everything go wrong: events doubled, late, out of order and sent again; both"
              + " functions killed every few seconds; their calls of Firestore late, refused, cut"
              + " off, carried out without an answer. In the end all is repaired and swept. The"
              + " functions' warnings go to deploy/local/target/faults.log")
  boolean faults;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "of the faults (default ${DEFAULT-VALUE})")
  int seed = 1;

  @Option(
      names = "--json",
      description = "print one JSON object a line, in place of the table and the summary")
  boolean json;

  @Option(names = "--quiet", description = "print no table, only how to connect and the summary")
  boolean quiet;

  /**
   * Checks what picocli leaves unchecked.
   *
   * @throws TypeConversionException if an option is out of its range, or two do not go together
   */
  void validate() {
    check(
        project.matches(ID),
        "--project",
        "a project id of 6 to 30 lower-case letters, digits and hyphens",
        project);
    check("--firestore-port", firestorePort, 0, 65_535);
    check("--pubsub-port", pubSubPort, 0, 65_535);
    check(
        firestorePort == 0 || firestorePort != pubSubPort,
        "--pubsub-port",
        "another port than --firestore-port",
        pubSubPort);
    check("--counters", counters, 1, 1_000);
    check("--shards", shards, 1, 1_000);
    seconds.ifPresent(given -> check("--seconds", given, 1, 86_400));
    check("--instances", instances, 1, 10);
    check("--seed", seed, 0, 999_999_999);
    check(!faults || traffic > 0, "--faults", "traffic to disturb", "--traffic none");
  }

  /** Increments a second; none is 0. */
  static final class Rate implements ITypeConverter<Double> {
    @Override
    public Double convert(String found) {
      boolean isNumber = found.matches("[0-9]{1,5}(\\.[0-9]{1,3})?");
      double rate = isNumber ? Double.parseDouble(found) : 0;
      if (found.equals("none") || (rate >= 0.01 && rate <= 10_000)) {
        return rate;
      }
      throw new TypeConversionException(
          "expected none, or increments a second from 0.01 to 10000; found '" + found + "'");
    }
  }

  /** A port, or none. */
  static final class ConsolePort implements ITypeConverter<Integer> {
    static final int NONE = -1;

    @Override
    public Integer convert(String found) {
      if (found.equals("none")) {
        return NONE;
      }
      if (found.matches("[0-9]{1,5}") && Integer.parseInt(found) <= 65_535) {
        return Integer.parseInt(found);
      }
      throw new TypeConversionException(
          "expected none, or a port from 0 (a free one) to 65535; found '" + found + "'");
    }
  }

  /** A duration as the functions' settings are written. */
  static final class Delay implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String found) {
      try {
        Duration delay = Duration.parse(found);
        if (!delay.isNegative() && delay.compareTo(LATEST) <= 0) {
          return delay;
        }
      } catch (DateTimeParseException malformed) {
        // Refused below, as one that is out of range is.
      }
      throw new TypeConversionException(
          "expected a duration from PT0S to PT10M, such as PT4S; found '" + found + "'");
    }
  }
}
