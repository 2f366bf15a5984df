package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** deploy --rules in a database that has rules already. */
class ReplaceRulesIT {

  private static final String TEXT = "match /a { allow get: if true && 'b' != \"c\\d\"; }\n";
  private static final String KEPT = "firestore.rules.r1";

  private final FakeCloud cloud = FakeCloud.empty();

  @BeforeEach
  void keepRules() {
    cloud.keep("release", "{ \"name\": \"x\", \"rulesetName\": \"projects/p/rulesets/r1\" }");
    // As the API answers: JSON may spell a letter as a number.
    cloud.keep(
        "ruleset",
        """
        { "source": { "files": [ {
         "content": "match /a { allow get: if true \\u0026\\u0026 'b' != \\"c\\\\d\\"; }\\n",
         "name": "firestore.rules" } ] } }""");
  }

  @Test
  void nobodyToAsk_isRefused() {
    assertThat(cloud.exits(2, "deploy --rules"))
        .contains("--rules: expected somebody at a terminal to ask, or");
    assertThat(cloud.file(KEPT)).hasContent(TEXT);
    assertNothingDone();
  }

  @Test
  void flag_replacesAndNamesTheRulesBefore() {
    assertThat(cloud.exits(0, "deploy --rules --replace-rules"))
        .contains("its text is kept in " + cloud.file(KEPT))
        .contains("the rules before were projects/p/rulesets/r1");
    assertThat(cloud.file(KEPT)).hasContent(TEXT);
    assertThat(cloud.kept("release")).contains("projects/p/rulesets/r2");
    // Our own rules are no question.
    cloud.exits(0, "deploy --rules");
  }

  @Test
  void answerAtATerminal_decides() {
    assertThat(cloud.exitsAtTerminal(2, "no", "deploy --rules"))
        .contains("expected replace, found 'no'; nothing was done");
    assertNothingDone();

    cloud.exitsAtTerminal(0, "replace", "deploy --rules");
    assertThat(cloud.kept("release")).contains("projects/p/rulesets/r2");
  }

  @Test
  void olderCopy_isNeverOverwritten() {
    cloud.keep(KEPT, "with notes");

    cloud.exits(0, "deploy --rules --replace-rules");

    assertThat(cloud.file(KEPT)).hasContent("with notes\n");
  }

  @Test
  void dryRun_keepsNoCopy() {
    assertThat(cloud.exits(0, "deploy --rules --dry-run"))
        .contains("deploy would keep its text in " + cloud.file(KEPT));
    assertThat(cloud.file(KEPT)).doesNotExist();
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
