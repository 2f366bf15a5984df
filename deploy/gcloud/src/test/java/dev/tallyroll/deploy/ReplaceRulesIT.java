package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** deploy --rules in a database that has rules already. */
class ReplaceRulesIT {

  private static final String TEXT = "match /a { allow get: if true && 'b' != \"c\\d\"; }\n";
  private static final String KEPT = "firestore.rules.r1";

  @TempDir Path folder;
  private FakeCloud cloud;

  @BeforeEach
  void makeProject() throws Exception {
    cloud = FakeCloud.in(folder);
    cloud.keep("release", "{ \"name\": \"x\", \"rulesetName\": \"projects/p/rulesets/r1\" }");
    // As the API answers: JSON may spell a letter as a number.
    String json =
        TEXT.replace("\\", "\\\\")
            .replace("\"", "\\\"")
            .replace("\n", "\\n")
            .replace("&", "\\u0026");
    cloud.keep(
        "ruleset",
        "{ \"source\": { \"files\": [ {\n \"content\": \"%s\",\n \"name\": \"firestore.rules\" } ] } }"
            .formatted(json));
  }

  @Test
  void nobodyToAsk_isRefused() {
    assertThat(cloud.exits(2, "deploy", "--rules"))
        .contains("--rules: expected somebody at a terminal to ask, or");
    assertThat(folder.resolve(KEPT)).hasContent(TEXT);
    assertNothingDone();
  }

  @Test
  void flag_replacesAndNamesTheRulesBefore() {
    assertThat(cloud.exits(0, "deploy", "--rules", "--replace-rules"))
        .contains("its text is kept in " + folder.resolve(KEPT))
        .contains("the rules before were projects/p/rulesets/r1");
    assertThat(folder.resolve(KEPT)).hasContent(TEXT);
    assertThat(cloud.kept("release")).contains("projects/p/rulesets/r2");
    // Our own rules are no question.
    cloud.exits(0, "deploy", "--rules");
  }

  @Test
  void answerAtATerminal_decides() {
    assertThat(cloud.exitsAtTerminal(2, "no", "deploy", "--rules"))
        .contains("expected replace, found 'no'; nothing was done");
    assertNothingDone();

    cloud.exitsAtTerminal(0, "replace", "deploy", "--rules");
    assertThat(cloud.kept("release")).contains("projects/p/rulesets/r2");
  }

  @Test
  void olderCopy_isNeverOverwritten() throws Exception {
    Files.writeString(folder.resolve(KEPT), "with notes\n");

    cloud.exits(0, "deploy", "--rules", "--replace-rules");

    assertThat(folder.resolve(KEPT)).hasContent("with notes\n");
  }

  @Test
  void dryRun_keepsNoCopy() {
    assertThat(cloud.exits(0, "deploy", "--rules", "--dry-run"))
        .contains("deploy would keep its text in " + folder.resolve(KEPT));
    assertThat(folder.resolve(KEPT)).doesNotExist();
  }

  @Test
  void rules_areLeftAloneUnlessAskedFor() {
    String before = cloud.kept("ruleset");

    assertThat(cloud.exits(0, "deploy"))
        .contains("left alone (no --rules)", "match /counters/{counter}");
    assertThat(cloud.kept("ruleset")).isEqualTo(before);
  }

  private void assertNothingDone() {
    assertThat(cloud.kept("release")).contains("projects/p/rulesets/r1");
    assertThat(cloud.changes()).allMatch(call -> call.startsWith("gcloud services enable"));
  }
}
