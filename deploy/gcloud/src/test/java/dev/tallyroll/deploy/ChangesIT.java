package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What becomes of a running system, in front of the stand-in, when a setting is changed. */
class ChangesIT {
  private static final String ELSEWHERE = "resource.name==\"projects/p/databases/second\"";

  private Project project = Project.deployed();

  private void assertNothingOfOursIsLeft() {
    assertThat(project.things().keySet())
        .noneMatch(one -> one.matches("(functions|jobs|accounts|topics)/.*"));
    assertThat(project.lines("bindings")).noneMatch(one -> one.contains("tallyroll"));
  }

  @Test
  void database_destroyRemovesTheRightsOnTheOldOne() {
    project.settings("FIRESTORE_DATABASE=second");

    assertThat(project.exits(0, "destroy --yes --indexes"))
        .contains("database (default), region us-central1 stop moving");

    assertNothingOfOursIsLeft();
    assertThat(project.changes())
        .filteredOn(one -> one.contains("exemption"))
        .hasSize(4)
        .allMatch(one -> one.contains("--database=(default)"));
  }

  /** Rights on another database, or on all, which an older destroy left or somebody gave. */
  @Test
  void database_deployRemovesRightsOnOthers() {
    String account = "serviceAccount:tallyroll-roll-up@p.iam.gserviceaccount.com";
    String right = account + "|roles/datastore.user";
    String theirs = right + "|audit|" + ELSEWHERE;
    project.put(
        "bindings",
        (String.join("\n", project.lines("bindings"))
                + "\n"
                + right
                + "\n"
                + right
                + "|tallyroll|"
                + ELSEWHERE
                + "\n"
                + theirs)
            .split("\n", -1));

    assertThat(project.exits(1, "status"))
        .contains("expected roles/datastore.user for (default) only, found it for more: |")
        .contains("\ntallyroll|" + ELSEWHERE);
    assertThat(project.exits(1, "deploy --yes"))
        .contains("found it for more: audit|" + ELSEWHERE + "\n");

    assertThat(project.lines("bindings"))
        .filteredOn(one -> one.startsWith(account))
        .containsExactly(
            theirs, right + "|tallyroll|resource.name==\"projects/p/databases/(default)\"");
  }

  @Test
  void database_statusMissesTheRightOnIt() {
    project.settings("FIRESTORE_DATABASE=second");

    assertThat(project.exits(1, "status"))
        .contains("tallyroll-roll-up: expected roles/datastore.user|tallyroll|" + ELSEWHERE);
  }

  @Test
  void region_destroyFindsTheDeploymentWhereItIs() {
    assertThat(project.exits(0, "destroy --yes" + in("p", "us-east1")))
        .contains("database (default), region us-central1 stop moving", "# Removed");

    assertNothingOfOursIsLeft();
  }

  private String in(String id, String region) {
    return " --settings=%s --project=%s --region=%s".formatted(project.settings, id, region);
  }

  @Test
  void name_destroyOfNothingSaysSo() {
    project.settings("NAME=another");

    assertThat(project.exits(2, "destroy --yes"))
        .contains("NAME: expected a deployment's, found nothing with the mark of another");
    assertThat(project.changes()).isEmpty();
    // Index settings have no mark, so they are removed by their names.
    project.exits(0, "destroy --yes --indexes");
    assertThat(project.lines("fields")).hasSize(4);
    project.settings();
    project.exits(0, "destroy --yes");
    project.exits(0, "destroy --yes --indexes");
    assertThat(project.lines("fields")).isEmpty();
  }

  @Test
  void fold_destroyLeavesIndexSettingsAlone() {
    project = Project.deployed("FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}");
    project.put("fields", "rollups|as_of|0");
    project.settings("ROLLUP_TOPIC=rollup"); // FOLD was forgotten

    assertThat(project.exits(0, "destroy --yes --indexes")).contains("Totals of pages/{page} in");

    assertNothingOfOursIsLeft();
    assertThat(project.lines("fields")).containsExactly("rollups|as_of|0");
  }
}
