package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The canary's question to the rules, on the official emulator. */
class RulesTrialIT {
  private static final RulesEmulator EMULATOR = RulesEmulator.SHARED;

  private static final Path RULES = Shell.INDEXES.resolveSibling("firestore.rules");
  private static final String SHARD = "rooms/r1/counters/likes/shards/0";

  @Test
  void twoIncrementsOfOneShard_areRefused() throws Exception {
    String rules = RulesText.of(RULES, Set.of(), ours("trial-1")).text();

    assertThat(trial("trial-1", rules.replace("return false;", "return true;"))).startsWith("yes");
    assertThat(trial("trial-2", rules)).isEqualTo("not determined");
    String open =
        """
        service cloud.firestore { match /databases/{d}/documents { match /{any=**} { allow write; } } }
        """;
    assertThat(trial("trial-3", open)).startsWith("no");
  }

  private static Deployment ours(String project) {
    return new Deployment(
        project,
        "us-central1",
        "tally-canary",
        "us-central1",
        Map.of(Setting.COUNTERS, Paths.ANYWHERE + "counters"));
  }

  private static String trial(String project, String rules) {
    EmulatedCloud cloud =
        new EmulatedCloud(EMULATOR.address(), text -> EMULATOR.load(project, text));
    Deployment ours = ours(project);
    JsonObject shard = Smoke.write(Smoke.SET, ours.documents(), SHARD, "count", 0);
    String body = DeploymentDocument.body(List.of(shard));
    cloud.http("POST", DeploymentDocument.url(ours, "commit"), body);
    try {
      return new RulesTrial(cloud, cloud.console(), ours).twoWrites(SHARD, rules);
    } catch (Undetermined e) {
      return "not determined";
    }
  }
}
