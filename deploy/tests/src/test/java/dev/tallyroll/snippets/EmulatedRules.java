package dev.tallyroll.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.net.HostAndPort;
import dev.tallyroll.Home;
import dev.tallyroll.local.Emulator;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Security rules of one project in an emulator, beside those of others. */
public final class EmulatedRules {
  private EmulatedRules() {}

  /** Prints the rules for a file of totals, as users do. */
  public static String print(String totals, String... options) throws Exception {
    Path file = Files.createTempFile("totals", ".json");
    Files.writeString(file, totals);
    try {
      List<String> command = new ArrayList<>(List.of("deploy/gcloud/rules", "--totals=" + file));
      command.addAll(List.of(options));
      return Home.run(Home.ROOT, Map.of(), command.toArray(String[]::new));
    } finally {
      Files.delete(file);
    }
  }

  /** Publishes rules, of which the compiler has nothing to say. */
  public static void publish(String emulator, String project, String rules) {
    try (var attached = Emulator.attached(HostAndPort.fromString(emulator))) {
      assertThat(attached.loadRules(project, Emulator.DEFAULT_DATABASE, rules)).isEmpty();
    }
  }
}
