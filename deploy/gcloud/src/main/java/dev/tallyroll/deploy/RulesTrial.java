package dev.tallyroll.deploy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Asks the security rules as a client, in a database that has none: for some minutes, it gets rules
 * that open the canary's collections only.
 */
record RulesTrial(Cloud cloud, Console console, Deployment ours) {
  private static final String MARK = "// tallyroll-canary: for some minutes";

  /** New rules need a minute or so until they hold everywhere. */
  private static final int TRIES = 12;

  private static final Duration PAUSE = Duration.ofSeconds(10);

  private static final String INCREMENT =
      "{'update':{'name':'%s/%s','fields':{}},'updateMask':{},'currentDocument':{'exists':true},"
          + "'updateTransforms':[{'fieldPath':'%s','increment':{'integerValue':'%d'}}]}";

  /**
   * One increment of a shard, then two in one commit.
   *
   * @throws Undetermined if the database has rules, or the one is not allowed
   */
  String twoWrites(String shard, String rules) {
    if (new State(console, ours).ruleset().isPresent()) {
      throw new Undetermined(
          "this database has rules, which the canary leaves alone; name a --database without");
    }
    release(rules.replace("return request.auth != null;", "return true;") + MARK + "\n");
    JsonObject one =
        Smoke.write(INCREMENT, ours.documents(), shard, ours.get(Setting.COUNT_FIELD), 1);
    for (int tries = 1; !isAllowed(List.of(one)); tries++) {
      if (tries == TRIES) {
        throw new Undetermined("a single increment was refused, too");
      }
      Canary.stopIfInterrupted();
      console.pause(PAUSE);
    }
    return isAllowed(List.of(one, one))
        ? "no: a client raised a shard by 2 in one commit"
        : "yes: one increment was allowed, two of one shard in a commit were refused";
  }

  private void release(String text) {
    JsonObject ruleset = Json.of("source", RulesText.source(text));
    String url = RulesText.API + "projects/" + ours.project() + "/rulesets";
    String made = Json.text(cloud.http("POST", url, ruleset.toString()), "name");
    JsonObject release = Json.of("name", RulesText.release(ours), "rulesetName", made);
    cloud.http("POST", RulesText.releases(ours), release.toString());
  }

  private boolean isAllowed(List<JsonObject> writes) {
    String body = DeploymentDocument.body(writes);
    try {
      JsonElement done = cloud.asAnybody(DeploymentDocument.url(ours, "commit"), body);
      return !Json.text(done, "commitTime").isEmpty();
    } catch (CloudException e) {
      if (e.is(CloudException.DENIED)) {
        return false;
      }
      throw e;
    }
  }

  /** Removes the rules that this class has made, and no others. */
  void remove() {
    State state = new State(console, ours);
    Optional<String> ruleset = state.ruleset();
    if (ruleset.isPresent() && state.rulesText().contains(MARK)) {
      cloud.http("DELETE", RulesText.API + RulesText.release(ours), "");
      cloud.http("DELETE", RulesText.API + ruleset.get(), "");
    }
  }
}
