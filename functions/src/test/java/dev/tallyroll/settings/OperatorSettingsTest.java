package dev.tallyroll.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.internal.Layout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OperatorSettingsTest {
  private static final Path DEFAULTS = Path.of("../deploy/gcloud/settings.env");

  /** They have another default with FOLD, or say which functions there are. */
  private static final List<String> DEPENDS = List.of("FOLD", "SHARDS_COLLECTION");

  @TempDir private Path folder;

  private static OperatorSettings settings(String... lines) {
    Map<String, String> all = new HashMap<>(Map.of("PROJECT", "p", "REGION", "us-central1"));
    for (String line : lines) {
      all.put(line.replaceFirst("=.*", ""), line.replaceFirst("[^=]*=", ""));
    }
    return OperatorSettings.of(all);
  }

  private Map<String, String> read(String text) throws IOException {
    Path file = folder.resolve("my.env");
    Files.writeString(file, text);
    return SettingsFile.read(file);
  }

  /**
   * The file says of each setting what the classes say: they have its default, and its only check.
   */
  @Test
  void settingsFile_isThatOfTheClasses() throws Exception {
    String head =
        Files.readString(DEFAULTS)
            .lines()
            .takeWhile(line -> !line.isEmpty())
            .collect(Collectors.joining("\n"));

    assertThat(Files.readString(DEFAULTS)).isEqualTo(head + "\n" + body());
  }

  private static String body() {
    Map<String, Variable> all = new LinkedHashMap<>();
    Stream.of(
            OperatorSettings.PLACE,
            Settings.VARIABLES,
            FoldSettings.VARIABLES,
            PlatformSettings.VARIABLES)
        .flatMap(List::stream)
        .forEach(variable -> all.putIfAbsent(variable.name(), variable));
    return all.values().stream()
        .map(
            variable ->
                "\n%s%s=%s\n"
                    .formatted(
                        comment(variable.meaning().replace("`", "")),
                        variable.name(),
                        DEPENDS.contains(variable.name()) ? "" : variable.otherwise()))
        .collect(Collectors.joining());
  }

  private static String comment(String text) {
    StringBuilder lines = new StringBuilder("#");
    int start = 0;
    for (String word : text.split(" ", -1)) {
      if (lines.length() - start + word.length() > 98) {
        start = lines.length() + 1;
        lines.append("\n#");
      }
      lines.append(' ').append(word);
    }
    return lines.append('\n').toString();
  }

  @Test
  void fileOfDefaults_needsOnlyAProjectAndARegion() {
    Map<String, String> file = SettingsFile.read(DEFAULTS);

    assertThat(file).containsEntry("COUNT_FIELD", "count").doesNotContainKeys("PROJECT", "FOLD");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OperatorSettings.of(file))
        .withMessage(
            """
            PROJECT: expected a project's id, here or as --project; found ''
            REGION: expected a region such as us-central1, here or as --region; found ''""");
    file.putAll(Map.of("PROJECT", "p", "REGION", "us-central1"));
    OperatorSettings read = OperatorSettings.of(file);
    assertThat(read).isEqualTo(settings());
    assertThat(read.given()).containsOnlyKeys("PROJECT", "REGION");
    assertThat(read.totals().orElseThrow().layout()).isEqualTo(Layout.DEFAULT.in("counters"));
  }

  @Test
  void lines_haveCommentsAndNoQuotes() throws Exception {
    assertThat(
            read(
                "# of ours\n\nNAME=a#b  # the name\nNAME=likes\t# again\nTICK=\nCOUNT_FIELD=  # none\nFOLD_FIELDS=a b"))
        .isEqualTo(Map.of("NAME", "likes", "COUNT_FIELD", "", "FOLD_FIELDS", "a b"));
  }

  @Test
  void otherLines_areToldAtOnce() throws Exception {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read("TICK=PT1S\nTOCK=1\nexport NAME=a\nLEASE=PT5S"))
        .withMessageMatching(
            "(?s).*my.env: expected KEY=VALUE with a key of deploy/gcloud/settings.env; found 'TOCK=1'\n"
                + ".*found 'export NAME=a'\n.*found 'LEASE=PT5S'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SettingsFile.read(folder))
        .withMessageStartingWith("--settings: expected a file that can be read; found ");
  }

  @ParameterizedTest
  @CsvSource({
    "PROJECT, My-project",
    "REGION, nam5",
    "REGION, us-central1-a",
    "MAX_INSTANCES, 0",
    "MAX_INSTANCES, 1001",
    "HANDLER_CPU, 2",
    "HANDLER_CPU, .07",
    "ROLLUP_CPU, 3",
    "ROLLUP_CPU, 1.5",
    "ROLLUP_MEMORY, 512",
    "ROLLUP_MEMORY, 3Gi",
    "RUNTIME, java11",
    "BILLING, instances",
    "COUNTERS, a|b/c/counters",
    "COUNTERS, r\u00e4ume/{room}/counters",
    "SHARDS_COLLECTION, my shards!",
    "ROLLUPS_COLLECTION, a.b",
    "COUNT_FIELD, a-b",
    "TICK, 1s"
  })
  void wrongValue_isRefusedByName(String name, String value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(name + "=" + value))
        .withMessageStartingWith(name + ": expected ")
        .withMessageEndingWith("; found '" + value + "'");
  }

  @ParameterizedTest
  @CsvSource({".333, 512Mi", ".5, 1Gi", "1, 4Gi", "2, 8Gi", "4, 2Gi", "0.08, 256Mi", "4, 8192Mi"})
  void memoryThatFitsTheCpu_isTaken(String cpu, String memory) {
    assertThat(settings("ROLLUP_CPU=" + cpu, "ROLLUP_MEMORY=" + memory).platform().rollupMemory())
        .isEqualTo(memory);
  }

  @ParameterizedTest
  @CsvSource({".499, 1Gi", ".999, 2Gi", "1, 8Gi", "4, 1Gi", "4, 1024Mi", ".333, 1024Mi"})
  void memoryThatDoesNot_isRefused(String cpu, String memory) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings("ROLLUP_CPU=" + cpu, "ROLLUP_MEMORY=" + memory))
        .withMessageStartingWith("ROLLUP_MEMORY: expected at most 512Mi below .5 vCPU")
        .withMessageEndingWith("found '%s for ROLLUP_CPU=%s'", memory, cpu);
  }

  @Test
  void billingByInstance_takesAWholeCpu() {
    assertThat(settings("BILLING=instance").platform().billing())
        .isEqualTo(PlatformSettings.Billing.INSTANCE);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings("BILLING=instance", "HANDLER_CPU=.5"))
        .withMessage("HANDLER_CPU: expected 1 with BILLING=instance; found '.5'");
  }

  @Test
  void fold_hasItsOwn() {
    OperatorSettings read = settings("FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}", "NAME=fold");

    assertThat(read.totals()).isEmpty();
    assertThat(read.fold()).isPresent();
    assertThat(read.name()).isEqualTo("fold");
    assertThat(read.given()).containsKeys("FOLD", "FOLD_DOCUMENTS");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings("FOLD=PT1S", "POLL=PT1M", "FOLD_DOCUMENTS=rollup_runs/{x}"))
        .withMessageContainingAll(
            "POLL: expected nothing: it is a setting of the jar that keeps totals; found 'PT1M'",
            "FOLD_DOCUMENTS: expected no collection of the functions");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings("FOLD_DOCUMENTS=pages/{page}"))
        .withMessageStartingWith(
            "FOLD_DOCUMENTS: expected nothing: it is a setting of the jar that folds");
  }

  @Test
  void valueOfTheDefault_isNotGiven() {
    assertThat(settings("TICK=PT1S", "WORKERS=2", "HANDLER_CPU=1").given())
        .isEqualTo(Map.of("PROJECT", "p", "REGION", "us-central1", "WORKERS", "2"));
  }

  /** The table of deploy/README says of each what becomes of a running system when it changes. */
  @Test
  void tableOfChanges_hasEachSetting() throws Exception {
    String guide = Files.readString(Path.of("../deploy/README.md"));
    String table =
        guide.substring(guide.indexOf("### Change a setting"), guide.indexOf("## The artifact"));
    Set<String> rows =
        table
            .lines()
            .filter(line -> line.startsWith("| `"))
            .flatMap(line -> Arrays.stream(line.split("\\|", -1)[1].split("[`, ]+", -1)))
            .filter(word -> !word.isEmpty())
            .collect(Collectors.toSet());

    assertThat(OperatorSettings.keys()).hasSize(27).isEqualTo(rows);
  }
}
