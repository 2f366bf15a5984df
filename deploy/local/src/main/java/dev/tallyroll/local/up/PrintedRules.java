package dev.tallyroll.local.up;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.local.LocalCloudException;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.settings.FoldSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The security rules for the settings, by the command that prints them. */
final class PrintedRules {
  private PrintedRules() {}

  /**
   * Has {@code deploy/gcloud/rules} print them; returns the file.
   *
   * @param home the folder of the checkout
   * @param name of the deployment, which ends the names of the rules' functions
   * @throws LocalCloudException if it refuses the settings
   */
  static Path print(Path home, Served settings, String name)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("tallyroll");
    Path own = folder.resolve("own.env");
    Path printed = folder.resolve("own.rules");
    Path refused = folder.resolve("refused");
    for (Path each : List.of(folder, own, printed, refused)) {
      each.toFile().deleteOnExit(); // the folder last
    }
    List<String> lines = new ArrayList<>(lines(settings));
    lines.add("NAME=" + name);
    Files.write(own, lines);
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
          "expected settings that deploy/gcloud/rules has rules for; found: "
              + Files.readString(refused).strip());
    }
    return printed;
  }

  private static List<String> lines(Served settings) {
    return settings.fold().map(PrintedRules::lines).orElseGet(() -> ofDocuments(settings));
  }

  private static List<String> lines(FoldSettings fold) {
    return List.of(
        "FOLD=" + fold.runs().timing().tick(),
        "FOLD_DOCUMENTS=" + Served.words(fold.layout().documents()),
        "FOLD_FIELDS="
            + FoldedPage.fields(fold).map(FieldName::toString).collect(Collectors.joining(" ")),
        "SHARDS_COLLECTION=" + fold.layout().shards());
  }

  private static List<String> ofDocuments(Served settings) {
    Layout layout = settings.layout();
    List<String> lines = new ArrayList<>();
    lines.add("RULES=own");
    lines.add("COUNTERS=" + layout.counters());
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
