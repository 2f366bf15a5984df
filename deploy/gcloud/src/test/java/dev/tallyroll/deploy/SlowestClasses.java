package dev.tallyroll.deploy;

import static java.util.Comparator.comparingDouble;
import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Prints the ten classes of a whole build that took the longest, as the last of its tests. It fails
 * nothing: others run at the same time, and on other machines.
 */
@Tag("core")
class SlowestClasses {
  private static final int SHOWN = 10;

  /** A test's own build below target has reports, too. */
  private static final Pattern REPORT =
      Pattern.compile("(?:(?!target/)[^/]+/)*target/\\w+-reports/TEST-[^/]+\\.xml");

  /** The reports of Maven's plugins begin with the class and the seconds that it took. */
  private static final Pattern SUITE =
      Pattern.compile("<testsuite\\b[^>]* name=\"(?:\\w+\\.)*([\\w$]+)\" time=\"([0-9.,]+)\"");

  /** When Maven began; a report that is older is of an earlier build. */
  private static final Instant START =
      Instant.parse(Objects.requireNonNull(System.getProperty("build.start")));

  private record Suite(String name, double seconds) {
    @Override
    public String toString() {
      return "%s %.0f".formatted(name, seconds);
    }
  }

  @Test
  void ofThisBuild_arePrinted() throws Exception {
    try (Stream<Path> files = Files.walk(Shell.ROOT)) {
      System.out.println(
          files
              .filter(file -> REPORT.matcher(Shell.ROOT.relativize(file).toString()).matches())
              .filter(SlowestClasses::isNew)
              .flatMap(file -> suite(Shell.read(file)))
              .sorted(comparingDouble(Suite::seconds).reversed())
              .limit(SHOWN)
              .map(Suite::toString)
              .collect(joining(", ", "The slowest classes, in seconds beside others: ", "")));
    }
  }

  private static boolean isNew(Path report) {
    try {
      return Files.getLastModifiedTime(report).toInstant().isAfter(START);
    } catch (IOException e) {
      return false; // somebody removes it
    }
  }

  private static Stream<Suite> suite(String report) {
    return SUITE
        .matcher(report)
        .results()
        .limit(1)
        .map(
            found ->
                new Suite(found.group(1), Double.parseDouble(found.group(2).replace(",", ""))));
  }
}
