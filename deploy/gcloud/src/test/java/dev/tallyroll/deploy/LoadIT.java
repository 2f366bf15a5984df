package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The canary's increments, against the real functions on the official emulators. */
class LoadIT {
  private static final String COLLECTION = "tallyroll_canary_rooms/r1/tallyroll_canary_counters";

  private static final Map<Setting, String> SETTINGS =
      Map.of(
          Setting.COUNTERS, Paths.ANYWHERE + "tallyroll_canary_counters",
          Setting.SHARDS_COLLECTION, "tallyroll_canary_shards",
          Setting.ROLLUPS_COLLECTION, "tallyroll_canary_rollups");

  @AutoClose
  private final LocalCloud local =
      LocalCloud.start(
          new LocalCloudOptions()
              .settings(
                  SETTINGS.entrySet().stream()
                      .collect(Collectors.toMap(one -> one.getKey().name(), Map.Entry::getValue)))
              .triggerPatterns(new Deployment("p", "", "", "", SETTINGS).pattern())
              .log(line -> {}));

  @Test
  void lag_isThatOfTheRealFunctions() {
    Deployment ours =
        new Deployment(local.project(), "us-central1", "canary", "us-central1", SETTINGS);
    Cloud cloud = new EmulatedCloud("http://" + local.firestoreHost(), rules -> {});
    Load load =
        new Load(
            cloud, new Console(cloud, new Here(), /* dryRun= */ false, /* quiet= */ false), ours);

    assertThat(load.at(1, COLLECTION)).contains("p50 ", "; 15 increments in 15 commits, ");
    assertThat(load.increments).isEqualTo(15);
  }

  /** Without a terminal; its pauses are real. */
  private static final class Here implements Console.Surroundings {
    @Override
    public PrintStream out() {
      return new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
    }

    @Override
    public Optional<String> ask(String question) {
      return Optional.empty();
    }
  }
}
