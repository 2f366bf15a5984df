package dev.tallyroll.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.net.HostAndPort;
import dev.tallyroll.Home;
import dev.tallyroll.local.Emulator;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Security rules of one project in an emulator, beside those of others. */
public final class EmulatedRules {
  private EmulatedRules() {}

  /** Prints the rules for settings, as users do. */
  public static String print(String settings) throws Exception {
    Path file = Files.createTempFile("rules", ".env");
    Files.writeString(file, settings);
    try {
      return Home.run(Home.ROOT, Map.of(), "deploy/gcloud/rules", "--settings", file.toString());
    } finally {
      Files.delete(file);
    }
  }

  /** Puts an app's own matches below the last of these rules. */
  public static String with(String rules, String matches) {
    int end = rules.lastIndexOf("  }\n}");
    return rules.substring(0, end) + matches + rules.substring(end);
  }

  /** The matches of printed rules, without the lines around them. */
  public static String matches(String rules) {
    String start = "documents {\n";
    return rules.substring(rules.indexOf(start) + start.length(), rules.lastIndexOf("  }\n}"));
  }

  /** Publishes rules, of which the compiler has nothing to say. */
  public static void publish(String emulator, String project, String rules) {
    try (var attached = Emulator.attached(HostAndPort.fromString(emulator))) {
      assertThat(attached.loadRules(project, Emulator.DEFAULT_DATABASE, rules)).isEmpty();
    }
  }
}
