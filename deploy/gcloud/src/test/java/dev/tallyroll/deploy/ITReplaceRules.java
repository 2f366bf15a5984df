package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** deploy --rules in a database that has rules already. */
class ITReplaceRules {

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
    Shell.Result result = cloud.run("deploy", "--rules");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.text()).contains("--rules: expected somebody at a terminal to ask, or");
    assertThat(folder.resolve(KEPT)).hasContent(TEXT);
    assertNothingDone();
  }

  @Test
  void flag_replacesAndNamesTheRulesBefore() {
    Shell.Result result = cloud.run("deploy", "--rules", "--replace-rules");

    assertThat(result.code()).as(result.text()).isZero();
    assertThat(result.text())
        .contains("its text is kept in " + folder.resolve(KEPT))
        .contains("the rules before were projects/p/rulesets/r1");
    assertThat(folder.resolve(KEPT)).hasContent(TEXT);
    assertThat(cloud.kept("release")).contains("projects/p/rulesets/r2");
  }

  @Test
  void answerAtATerminal_decides() {
    Shell.Result no = cloud.runAtTerminal("no", "deploy", "--rules");

    assertThat(no.code()).as(no.text()).isEqualTo(2);
    assertThat(no.text()).contains("expected replace, found 'no'; nothing was done");
    assertNothingDone();

    Shell.Result yes = cloud.runAtTerminal("replace", "deploy", "--rules");

    assertThat(yes.code()).as(yes.text()).isZero();
    assertThat(cloud.kept("release")).contains("projects/p/rulesets/r2");
  }

  @Test
  void olderCopy_isNeverOverwritten() throws Exception {
    Files.writeString(folder.resolve(KEPT), "with notes\n");

    cloud.run("deploy", "--rules", "--replace-rules");

    assertThat(folder.resolve(KEPT)).hasContent("with notes\n");
  }

  @Test
  void dryRun_keepsNoCopy() {
    Shell.Result result = cloud.run("deploy", "--rules", "--dry-run");

    assertThat(result.code()).as(result.text()).isZero();
    assertThat(result.text()).contains("deploy would keep its text in " + folder.resolve(KEPT));
    assertThat(folder.resolve(KEPT)).doesNotExist();
  }

  @Test
  void ourOwnRules_areNoQuestion() {
    cloud.run("deploy", "--rules", "--replace-rules");

    assertThat(cloud.run("deploy", "--rules").code()).isZero();
  }

  @Test
  void rules_areLeftAloneUnlessAskedFor() {
    String before = cloud.kept("ruleset");

    Shell.Result result = cloud.run("deploy");

    assertThat(result.text()).contains("left alone (no --rules)", "match /counters/{counter}");
    assertThat(cloud.kept("ruleset")).isEqualTo(before);
  }

  private void assertNothingDone() {
    assertThat(cloud.kept("release")).contains("projects/p/rulesets/r1");
    assertThat(cloud.changes()).allMatch(call -> call.startsWith("gcloud services enable"));
  }
}
