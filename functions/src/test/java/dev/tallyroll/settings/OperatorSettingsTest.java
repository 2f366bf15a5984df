package dev.tallyroll.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.internal.Layout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OperatorSettingsTest {
  private static final Path DEFAULTS = Path.of("../deploy/gcloud/settings.env");

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
                        // Its presence says which functions there are.
                        variable.name().equals("FOLD") ? "" : variable.otherwise()))
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

    assertThat(file).containsEntry("WORKERS", "1").doesNotContainKeys("PROJECT", "TOTALS", "FOLD");
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
    assertThat(read.entries().get(0).layout()).isEqualTo(Layout.DEFAULT.in("counters"));
  }

  @Test
  void lines_haveCommentsAndNoQuotes() throws Exception {
    assertThat(
            read(
                "# of ours\n\nNAME=a#b  # the name\nNAME=likes\t# again\nFOLD=\nWORKERS=  # none\nFOLD_FIELDS=a b"))
        .isEqualTo(Map.of("NAME", "likes", "FOLD_FIELDS", "a b"));
  }

  /** The path is from the folder of the settings, wherever a command is run. */
  @Test
  void totals_areTheTextOfTheFileThatIsNamed() throws Exception {
    Files.createDirectory(folder.resolve("app"));
    Files.writeString(
        folder.resolve("app/totals.json"), "{\n  \"likes\": {\"of\": \"posts/{post}/likes\"}\n}\n");
    Files.writeString(folder.resolve("other.json"), TotalsFile.DEFAULT);
    String likes = "{\"likes\":{\"of\":\"posts/{post}/likes\"}}";

    assertThat(read("TOTALS=app/totals.json")).isEqualTo(Map.of("TOTALS", likes));
    assertThat(read("TOTALS=" + folder.resolve("app/totals.json")))
        .isEqualTo(Map.of("TOTALS", likes));
    Path settings = folder.resolve("my.env");
    Files.writeString(settings, "TOTALS=none.json\nWORKERS=2");
    assertThat(SettingsFile.readWith(settings, Optional.of(folder.resolve("app/totals.json"))))
        .isEqualTo(Map.of("TOTALS", likes, "WORKERS", "2"));
  }

  @Test
  void fileOfTotalsThatIsWrong_isToldBesideOtherMistakes() throws Exception {
    Files.writeString(
        folder.resolve("totals.json"), "{\"likes\": {\"of\": \"posts\", \"index\": 1}}");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> read("TOTALS=totals.json\nTOCK=1"))
        .withMessageContainingAll(
            "found 'TOCK=1'\n",
            folder.resolve("totals.json")
                + ": likes.document: expected the document that the total is of",
            folder.resolve("totals.json") + ": likes.index: expected true or false; found 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read("TOTALS=none.json"))
        .withMessageStartingWith(
            folder.resolve("none.json") + ": expected a file of totals; found ");
  }

  @Test
  void patterns_areThoseWithEvents_eachOnce() {
    OperatorSettings several =
        settings(
            "TOTALS={\"a\": {\"of\": \"a/{x}/y\"}, \"b\": {\"of\": \"a/{z}/y\", \"sum\": \"n\"},"
                + " \"c\": {\"of\": \"c/{x}/y\", \"events\": false}, \"d\": {\"of\": \"d/{x}/y\"}}");

    assertThat(several.patterns())
        .containsExactly("a/{counter}/y/{shard}", "d/{counter}/y/{shard}");
    assertThat(settings("FOLD=PT1S", "FOLD_DOCUMENTS=a/{b}").patterns())
        .containsExactly("{parent=**}/_counter_shards_/{shard}");
  }

  /** For people, and by values. */
  @Test
  void deployedTotals_areComparedKeyByKey() {
    assertThat(
            OperatorSettings.effective(
                Map.of("TOTALS", "{\"$schema\":\"x\",\"a\":{\"of\":\"a/{x}/y\"}}")))
        .containsEntry("a.of", "\"a/{x}/y\"")
        .doesNotContainKeys("TOTALS", "counters.of", "$schema");
    assertThat(OperatorSettings.effective(Map.of()))
        .isEqualTo(OperatorSettings.effective(Map.of("TOTALS", TotalsFile.DEFAULT)))
        .containsEntry("counters.sum", "\"count\"");
    for (String text : List.of("{", "[]", "{\"a\": 1}")) {
      assertThat(OperatorSettings.effective(Map.of("TOTALS", text))).containsEntry("TOTALS", text);
    }
    assertThat(OperatorSettings.effective(Map.of("FOLD", "PT1S"))).doesNotContainKey("counters.of");
  }

  @Test
  void otherLines_areToldAtOnce() throws Exception {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read("WORKERS=1\nTOCK=1\nexport NAME=a\nLEASE=PT5S"))
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
    "WORKERS, 0",
    "SWEEP_COUNTERS, 99"
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
        .isThrownBy(() -> settings("FOLD=PT1S", "TOTALS={}", "FOLD_DOCUMENTS=rollup_runs/{x}"))
        .withMessageContainingAll(
            "TOTALS: expected nothing with FOLD: it is a setting of the jar that keeps totals; found '{}'",
            "FOLD_DOCUMENTS: expected no collection of the functions");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings("FOLD_DOCUMENTS=pages/{page}"))
        .withMessageStartingWith(
            "FOLD_DOCUMENTS: expected nothing: it is a setting of the jar that folds");
  }

  @Test
  void valueOfTheDefault_isNotGiven() {
    assertThat(settings("TOTALS=", "WORKERS=2", "HANDLER_CPU=1").given())
        .isEqualTo(Map.of("PROJECT", "p", "REGION", "us-central1", "WORKERS", "2"));
  }

  /**
   * The table of deploy/README says of each, and of each key of an entry, what becomes of a running
   * system when it changes.
   */
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

    Set<String> all = new HashSet<>(OperatorSettings.keys());
    all.addAll(TotalsFile.KEYS);
    assertThat(OperatorSettings.keys()).hasSize(16);
    assertThat(rows).isEqualTo(all);
  }
}
