package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.internal.RollupFields;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules and indexes name the fields of roll-ups, and cannot read them from the code. */
class NamedFieldsTest {
  private static final Pattern SHOWN = Pattern.compile("hasOnly\\(\\[([^]]*'as_of'[^]]*)]\\)");
  private static final Pattern EXEMPT = Pattern.compile("\"rollups\", \"fieldPath\": \"(\\w+)\"");
  private static final Path RULES = Shell.ROOT.resolve("deploy/firestore");

  @ParameterizedTest
  @ValueSource(
      strings = {"firestore", "firestore.strict", "firestore.own", "rooms", "rooms.strict"})
  void rules_showWhatTheFunctionsWrite(String name) throws Exception {
    List<String> shown = found(SHOWN, RULES.resolve(name + ".rules"));

    assertThat(shown)
        .isNotEmpty()
        .allSatisfy(
            fields ->
                assertThat(fields.replace("'", "").split(", ", -1))
                    .containsExactlyInAnyOrderElementsOf(RollupFields.OURS));
  }

  /** Two fields only rise, and nobody searches by the mark. */
  @Test
  void exemptFields_areThoseWithoutAnIndex() throws Exception {
    List<String> exempt = found(EXEMPT, Shell.INDEXES);

    assertThat(exempt)
        .containsExactly(RollupFields.AS_OF, RollupFields.LIVE_UNTIL, RollupFields.COUNTER);
    assertThat(Files.readString(Shell.ROOT.resolve("deploy/README.md")))
        .contains("| exemptions | `%s` of `rollups`;".formatted(String.join("`, `", exempt)));
  }

  /** Else the functions would be deployed without the exemptions. */
  @Test
  void fileThatIsMissing_endsTheScript(@TempDir Path empty) {
    String script = ". \"$1\"; here=$2; exempted=$(exemptions); echo goes on: $exempted";
    String lib = Shell.SCRIPTS.resolve("lib").toString();
    var ended =
        Shell.run(
            Map.of(),
            empty,
            List.of("bash", "-c", script, "test", lib, empty.resolve("x").toString()));

    assertThat(ended.code()).as(ended.text()).isEqualTo(2);
    assertThat(ended.text())
        .contains("expected the fields without an index")
        .doesNotContain("goes on");
  }

  private static List<String> found(Pattern pattern, Path file) throws Exception {
    return pattern.matcher(Files.readString(file)).results().map(found -> found.group(1)).toList();
  }
}
