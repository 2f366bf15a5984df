package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** destroy, against a project that deploy has made. */
class ITDestroy {

  private static final String[] SECOND = {
    "--name=second", "--counters=polls", "--rollup-topic=second"
  };

  @TempDir static Path original;
  @TempDir Path folder;
  private FakeCloud cloud;

  @BeforeAll
  static void deployOnce() throws Exception {
    assertThat(FakeCloud.in(original).run("deploy").code()).isZero();
  }

  @BeforeEach
  void copyProject() throws Exception {
    cloud = FakeCloud.at(original).copyTo(folder);
    cloud.forgetCalls();
  }

  @Test
  void people_areAskedFirst() {
    Shell.Result result = cloud.run("destroy");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.text())
        .contains("Type the name, tallyroll, to remove it", "nothing was removed");
    assertThat(cloud.changes()).isEmpty();
  }

  @Test
  void whatDeployMade_isRemovedAndTheRestKept() throws Exception {
    cloud.keep("policy", cloud.kept("policy") + "\nuser:owner@x|roles/owner|");

    Shell.Result result = cloud.run("destroy", "--yes");

    assertThat(result.code()).as(result.text()).isZero();
    assertThat(cloud.names())
        .noneMatch(name -> name.matches("(job|function|topic)-tally.*|topic-rollup"));
    assertThat(cloud.kept("policy")).isEqualTo("user:owner@x|roles/owner|");
    assertThat(folder.resolve("accounts")).isEmptyDirectory();
    assertThat(cloud.names()).contains("indexes", "fields", "database");
    assertThat(cloud.calls()).noneMatch(call -> call.contains("databases delete"));
  }

  @Test
  void indexes_goToo() {
    Shell.Result result = cloud.run("destroy", "--yes", "--indexes");

    assertThat(result.code()).as(result.text()).isZero();
    assertThat(cloud.kept("indexes") + cloud.kept("fields") + cloud.kept("ttls")).isEmpty();
  }

  @Test
  void secondTime_findsNothing() {
    cloud.run("destroy", "--yes", "--indexes");

    Shell.Result result = cloud.run("destroy", "--yes", "--indexes");

    assertThat(result.code()).as(result.text()).isZero();
  }

  @Test
  void whatIsNotItsOwn_staysAndIsNamed() throws Exception {
    cloud.keep("topic-rollup", "");

    Shell.Result result = cloud.run("destroy", "--yes");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.text()).contains("topic rollup: expected the mark of deploy");
    assertThat(cloud.names()).contains("topic-rollup");
  }

  @Test
  void whatANeighbourNeeds_staysAndIsNamed() {
    cloud.run("deploy", SECOND);
    String before = cloud.kept("indexes") + cloud.kept("fields") + cloud.kept("ttls");

    Shell.Result result = destroy(SECOND);

    assertThat(result.code()).as(result.text()).isZero();
    assertThat(result.text())
        .contains("kept", "the index on rollups and its exemptions (tallyroll)")
        .contains("the TTL policy on increment_names and its exemption (tallyroll)");
    assertThat(cloud.kept("indexes") + cloud.kept("fields") + cloud.kept("ttls")).isEqualTo(before);
    assertThat(cloud.kept("topic-rollup")).isEqualTo("tallyroll");
    assertThat(cloud.run("status").code()).isZero();
  }

  @Test
  void whatOnlyItNeeded_goesFromBesideANeighbour() {
    String before = cloud.kept("indexes") + cloud.kept("fields") + cloud.kept("ttls");
    String[] apart = {
      "--name=second",
      "--counters=polls",
      "--rollup-topic=second",
      "--rollups-collection=results",
      "--increments-collection=vote_names",
      "--shards-collection=parts",
      "--sum=documents"
    };
    cloud.run("deploy", apart);
    assertThat(cloud.kept("fields")).contains("results/fields/as_of|0", "parts/fields/count|0");

    Shell.Result result = destroy(apart);

    assertThat(result.code()).as(result.text()).isZero();
    assertThat(result.text()).doesNotContain("kept");
    assertThat(cloud.kept("indexes") + cloud.kept("fields") + cloud.kept("ttls")).isEqualTo(before);
  }

  @Test
  void exemptCountOfANeighbour_stays() {
    cloud.run("deploy", "--sum=documents");
    Shell.Result deployed = cloud.run("deploy", "--sum=documents", SECOND[0], SECOND[1], SECOND[2]);
    assertThat(deployed.code()).as(deployed.text()).isZero();

    Shell.Result result = destroy("--sum=documents", SECOND[0], SECOND[1], SECOND[2]);

    assertThat(result.text()).contains("kept", "the exemption of shards.count (tallyroll)");
    assertThat(cloud.kept("fields")).contains("shards/fields/count|0");
  }

  private Shell.Result destroy(String... options) {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of("--yes", "--indexes"));
    return cloud.run("destroy", all.toArray(String[]::new));
  }
}
