package dev.tallyroll.local.up;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.local.LocalCloudException;
import dev.tallyroll.protocol.Figure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The security rules of documents that are counted as they are, by the command that prints them.
 */
final class OwnRules {
  private OwnRules() {}

  /**
   * Has {@code deploy/gcloud/rules} print them; returns the file.
   *
   * @param home the folder of the checkout
   * @throws LocalCloudException if it refuses the settings
   */
  static Path print(Path home, Served settings) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("tallyroll");
    Path own = folder.resolve("own.env");
    Path printed = folder.resolve("own.rules");
    Path refused = folder.resolve("refused");
    for (Path each : List.of(folder, own, printed, refused)) {
      each.toFile().deleteOnExit(); // the folder last
    }
    Files.write(own, lines(settings));
    Process rules =
        new ProcessBuilder(
                "bash",
                home.resolve("deploy/gcloud/rules").toString(),
                "--settings",
                own.toString())
            .redirectOutput(printed.toFile())
            .redirectError(refused.toFile())
            .start();
    if (rules.waitFor() != 0) {
      throw new LocalCloudException(
          "expected settings that RULES=own fits; found: " + Files.readString(refused).strip());
    }
    return printed;
  }

  private static List<String> lines(Served settings) {
    Layout layout = settings.layout();
    List<String> lines = new ArrayList<>();
    lines.add("RULES=own");
    lines.add("COUNTERS=" + (settings.hasTrigger() ? layout.counters() : ""));
    lines.add("POLLED=" + settings.polled().map(Layout::counters).orElse(""));
    lines.add("SHARDS_COLLECTION=" + layout.shards());
    lines.add("ROLLUPS_COLLECTION=" + layout.rollups());
    lines.add("COUNT_FIELD=" + layout.countField());
    for (Figure figure : Figure.values()) {
      var field = settings.fields().get(figure);
      lines.add(figure + "_FIELD=" + (field == null ? "" : field));
    }
    settings
        .documents()
        .filter(documents -> layout.counted().isPresent())
        .ifPresent(documents -> lines.add("RULES_VALUES=" + documents.range()));
    return lines;
  }
}
