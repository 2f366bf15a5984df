package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** destroy, against a project that deploy has made. */
class DestroyIT {

  private static final String[] SECOND = {
    "--name=second", "--counters=polls", "--rollup-topic=second"
  };

  @TempDir Path folder;
  private FakeCloud cloud;

  @BeforeEach
  void copyProject() throws Exception {
    cloud = FakeCloud.deployed(folder);
  }

  @Test
  void people_areAskedFirst() {
    assertThat(cloud.exits(2, "destroy"))
        .contains("Type the name, tallyroll, to remove it", "nothing was removed");
    assertThat(cloud.changes()).isEmpty();
  }

  @Test
  void whatDeployMade_isRemovedAndTheRestKept() throws Exception {
    cloud.keep("policy", cloud.kept("policy") + "\nuser:owner@x|roles/owner|");

    cloud.exits(0, "destroy", "--yes");

    assertThat(cloud.names())
        .noneMatch(name -> name.matches("(job|function|topic)-tally.*|topic-rollup"));
    assertThat(cloud.kept("policy")).isEqualTo("user:owner@x|roles/owner|");
    assertThat(folder.resolve("accounts")).isEmptyDirectory();
    assertThat(cloud.names()).contains("indexes", "fields", "database");
    assertThat(cloud.calls()).noneMatch(call -> call.contains("databases delete"));
  }

  @Test
  void indexes_goToo() {
    cloud.exits(0, "destroy", "--yes", "--indexes");

    assertThat(indexes()).isEmpty();
    // A second time finds nothing.
    cloud.exits(0, "destroy", "--yes", "--indexes");
  }

  private String indexes() {
    return cloud.kept("indexes") + cloud.kept("fields") + cloud.kept("ttls");
  }

  @Test
  void whatIsNotItsOwn_staysAndIsNamed() throws Exception {
    cloud.keep("topic-rollup", "");

    assertThat(cloud.exits(1, "destroy", "--yes"))
        .contains("topic rollup: expected the mark of deploy");
    assertThat(cloud.names()).contains("topic-rollup");
  }

  @Test
  void whatANeighbourNeeds_staysAndIsNamed() {
    cloud.exits(0, "deploy", SECOND);
    String before = indexes();

    assertThat(destroy(SECOND))
        .contains("kept", "the index on rollups and its exemptions (tallyroll)")
        .contains("the TTL policy on increment_names and its exemption (tallyroll)");
    assertThat(indexes()).isEqualTo(before);
    assertThat(cloud.kept("topic-rollup")).isEqualTo("tallyroll");
    cloud.exits(0, "status");
  }

  @Test
  void whatOnlyItNeeded_goesFromBesideANeighbour() {
    String before = indexes();
    String[] apart = {
      "--name=second",
      "--counters=polls",
      "--rollup-topic=second",
      "--rollups-collection=results",
      "--increments-collection=vote_names",
      "--shards-collection=parts",
      "--sum=documents"
    };
    cloud.exits(0, "deploy", apart);
    assertThat(cloud.kept("fields")).contains("results/fields/as_of|0", "parts/fields/count|0");

    assertThat(destroy(apart)).doesNotContain("kept");
    assertThat(indexes()).isEqualTo(before);
  }

  @Test
  void exemptCountOfANeighbour_stays() {
    cloud.exits(0, "deploy", "--sum=documents");
    cloud.exits(0, "deploy", "--sum=documents", SECOND[0], SECOND[1], SECOND[2]);

    assertThat(destroy("--sum=documents", SECOND[0], SECOND[1], SECOND[2]))
        .contains("kept", "the exemption of shards.count (tallyroll)");
    assertThat(cloud.kept("fields")).contains("shards/fields/count|0");
  }

  private String destroy(String... options) {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of("--yes", "--indexes"));
    return cloud.exits(0, "destroy", all.toArray(String[]::new));
  }
}
