package dev.tallyroll.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.internal.FieldName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FoldSettingsTest {
  /** Reads lines of {@code NAME=value}. */
  private static FoldSettings settings(String lines) {
    Map<String, String> environment =
        lines
            .lines()
            .map(line -> line.split("=", 2))
            .collect(Collectors.toMap(line -> line[0], line -> line[1], (first, last) -> last));
    return FoldSettings.from(environment::get);
  }

  @Test
  void defaults_areTheExtensions() {
    FoldSettings settings = settings("FOLD=PT2S\nFOLD_DOCUMENTS=pages/{page}");

    assertThat(settings.layout())
        .isEqualTo(new FoldLayout("tallyroll", FoldLayout.documents("pages/{page}")));
    assertThat(settings.fields()).isEmpty();
    assertThat(settings.database()).isEqualTo("(default)");
    assertThat(settings.topic()).isEqualTo("tallyroll-rollup");
    assertThat(settings.timing().tick()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void everySetting_isRead() {
    FoldSettings settings =
        settings(
            """
            FOLD=PT0.5S
            FOLD_DOCUMENTS=pages/{page} rooms/{room}/posts/{post}
            FOLD_FIELDS=visits stats.likes
            NAME=staging
            WORKERS=3\
            """);

    assertThat(settings.layout())
        .isEqualTo(
            new FoldLayout(
                "staging", FoldLayout.documents("pages/{page} rooms/{room}/posts/{post}")));
    assertThat(settings.fields())
        .isEqualTo(Set.of(FieldName.of("visits"), FieldName.of("stats", "likes")));
    assertThat(settings.runs().workers()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({
    "FOLD, PT0.01S",
    "FOLD, 1s",
    "FOLD_FIELDS, 'visits,likes'",
    "FOLD_FIELDS, stats..likes",
    "FOLD_FIELDS, 9",
    "FOLD_DOCUMENTS, ''",
    "FOLD_DOCUMENTS, pages",
    "FOLD_DOCUMENTS, pages/{page}/x",
    "FOLD_DOCUMENTS, /pages/{page}",
    "FOLD_DOCUMENTS, pages/{page}/",
    "FOLD_DOCUMENTS, pages//x/{y}",
    "FOLD_DOCUMENTS, {parent=**}/pages/{page}",
    "FOLD_DOCUMENTS, {pages}/{page}",
    "FOLD_DOCUMENTS, pages/*",
    "FOLD_DOCUMENTS, pages/x{page}",
    "FOLD_DOCUMENTS, rollup_runs/{any}",
    "FOLD_DOCUMENTS, rollups/{any}",
    "FOLD_DOCUMENTS, rooms/{room}/rollups/{any}",
    "FOLD_DOCUMENTS, pages/{page}/_counter_shards_/{shard}",
    "FOLD_DOCUMENTS, 'pages/{page} rollup_runs/{any}/live/{entry}'",
    "TOTALS, '{}'"
  })
  void foldSettingThatIsNone_isRefusedByItsName(String name, String value) {
    String others = "FOLD=PT1S\nFOLD_DOCUMENTS=pages/{page}\n";
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(others + name + "=" + value))
        .withMessageStartingWith(name + ": expected ")
        .withMessageEndingWith("; found '" + value + "'");
  }

  @Test
  void table_isTheDocuments() throws Exception {
    String rows =
        FoldSettings.VARIABLES.stream().map(Variable::row).collect(Collectors.joining("\n"));

    assertThat(Files.readString(Path.of("fold/README.md")))
        .contains("| variable | default | meaning |\n|---|---|---|\n" + rows + "\n\n");
  }
}
