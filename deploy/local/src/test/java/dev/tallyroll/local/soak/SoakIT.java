package dev.tallyroll.local.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The short form of {@code deploy/local/soak}, on a stack of its own. */
@Execution(ExecutionMode.CONCURRENT)
final class SoakIT {
  private static final Path LOG = Path.of("target", "it-logs", "SOAK.log");

  @Test
  void everythingThatGoesWrong_leavesTotalsRight(TestReporter reporter) throws Exception {
    long seed = System.nanoTime() % 1_000_000;
    Files.createDirectories(LOG.getParent());
    try (var log = new PrintStream(Files.newOutputStream(LOG), true, StandardCharsets.UTF_8);
        var cloud = LocalCloud.start(options(log));
        var soak = new SoakRun(cloud, SoakOptions.shortForm(seed), log::println)) {
      var report = soak.run();

      log.println(report);
      reporter.publishEntry("soak", report.toString());
      assertThat(report.findings()).as("seed %d", seed).isEmpty();
    }
  }

  private static LocalCloudOptions options(PrintStream log) {
    return LocalCloudOptions.builder()
        .settings(Map.of())
        .callFaults(CallFaults.NONE)
        .log(log::println)
        .build();
  }
}
