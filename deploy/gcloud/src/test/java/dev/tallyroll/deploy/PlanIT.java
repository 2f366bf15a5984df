package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What --dry-run prints, field by field, against what the settings ask. */
class PlanIT {

  private static final String TRIGGERED = "gcloud functions deploy tallyroll-on-shard-written";
  private static final String ROLLER = "gcloud functions deploy tallyroll-roll-up";
  static final String[] RENAMED = {
    "--counters=rooms/{room}/tallies",
    "--shards-collection=parts",
    "--rollups-collection=totals",
    "--runs-collection=turns",
    "--increments-collection=names",
    "--count-field=Cnt",
    "--database=other",
    "--rollup-topic=ticks",
    "--workers=3",
    "--sum=documents"
  };

  @TempDir Path stage;

  @Test
  void trigger_isAskedForInFull() {
    Plan.Command deploy = plan().one(TRIGGERED);

    assertThat(deploy.only("entry-point")).isEqualTo("dev.tallyroll.functions.OnShardWritten");
    assertThat(deploy.only("trigger-location")).isEqualTo("us-central1");
    assertThat(deploy.all("trigger-event-filters"))
        .containsExactly("type=google.cloud.firestore.document.v1.written", "database=(default)");
    assertThat(deploy.only("trigger-event-filters-path-pattern"))
        .isEqualTo("document=counters/{counter}/shards/{shard}");
    assertThat(deploy.has("retry")).isTrue();
    assertThat(deploy.only("concurrency")).isEqualTo("80");
    assertThat(deploy.only("cpu")).isEqualTo("1");
    assertReach(deploy, "tallyroll-on-shard-written");
  }

  @Test
  void roller_isAskedForInFull() {
    Plan plan = plan();
    Plan.Command deploy = plan.one(ROLLER);

    assertThat(deploy.only("entry-point")).isEqualTo("dev.tallyroll.functions.RollUp");
    assertThat(deploy.only("trigger-topic")).isEqualTo("rollup");
    assertThat(deploy.only("timeout")).isEqualTo("540s");
    assertThat(deploy.has("no-retry")).isTrue();
    assertThat(deploy.only("concurrency")).isEqualTo("80");
    assertThat(deploy.only("cpu")).isEqualTo("1");
    assertThat(deploy.only("max-instances")).isEqualTo("4");
    assertReach(deploy, "tallyroll-roll-up");
    // Both come from one folder.
    assertThat(deploy.only("source")).isEqualTo(plan.one(TRIGGERED).only("source"));
  }

  private static void assertReach(Plan.Command deploy, String account) {
    assertThat(deploy.has("gen2")).isTrue();
    assertThat(deploy.has("no-allow-unauthenticated")).isTrue();
    assertThat(deploy.only("ingress-settings")).isEqualTo("internal-only");
    assertThat(deploy.only("service-account")).isEqualTo(account + "@p.iam.gserviceaccount.com");
    assertThat(deploy.only("trigger-service-account"))
        .isEqualTo("tallyroll-delivery@p.iam.gserviceaccount.com");
    assertThat(deploy.only("update-labels"))
        .matches("tallyroll=tallyroll,tallyroll-hash=[0-9a-f]{40}");
  }

  @Test
  void names_reachTheTrigger() {
    Plan.Command deploy = plan(RENAMED).one(TRIGGERED);

    assertThat(deploy.all("trigger-event-filters")).contains("database=other");
    assertThat(deploy.only("trigger-event-filters-path-pattern"))
        .isEqualTo("document=rooms/{room}/tallies/{counter}/parts/{shard}");
  }

  @Test
  void countersAnywhere_areOnePattern() {
    for (String option : List.of("--anywhere", "--counters={parent=**}/counters")) {
      Plan.Command deploy = plan(option).one(TRIGGERED);

      assertThat(deploy.only("trigger-event-filters-path-pattern"))
          .isEqualTo("document={parent=**}/counters/{counter}/shards/{shard}");
      assertThat(deploy.only("set-env-vars").split(",")).contains("COUNTERS={parent=**}/counters");
    }
  }

  @Test
  void names_reachTheFunctions() {
    Plan plan = plan(RENAMED);

    assertThat(plan.one(TRIGGERED).only("set-env-vars").split(","))
        .contains("COUNTERS=rooms/{room}/tallies", "SHARDS_COLLECTION=parts", "WORKERS=3")
        .contains("ROLLUPS_COLLECTION=totals", "RUNS_COLLECTION=turns", "COUNT_FIELD=Cnt")
        .contains("FIRESTORE_DATABASE=other", "ROLLUP_TOPIC=ticks", "SUM=documents", "SWEEP=PT8M")
        .contains("INCREMENTS_COLLECTION=names")
        .contains("JAVA_TOOL_OPTIONS=" + Home.read(Home.SCRIPTS.resolve("jvm-options")).strip());
    assertThat(plan.one(ROLLER).only("set-env-vars"))
        .isEqualTo(plan.one(TRIGGERED).only("set-env-vars"));
    assertThat(plan.one(ROLLER).only("max-instances")).isEqualTo("8");
    assertThat(plan.one(ROLLER).only("trigger-topic")).isEqualTo("ticks");
    assertThat(plan.starting("gcloud scheduler jobs create"))
        .extracting(command -> command.only("topic"))
        .containsExactly("ticks", "ticks");
  }

  @Test
  void names_reachTheRules() {
    String rules = plan(RENAMED).text();

    assertThat(rules)
        .contains("match /rooms/{room}/totals/{counter} {")
        .contains("match /rooms/{room}/tallies/{counter}/parts/{shard} {")
        .contains("['Cnt'].toSet()", "after.Cnt - before.Cnt == 1", "own turns,");
    assertThat(Home.read(stage.resolve("firestore.rules")))
        .doesNotContain("/rollups/", "/shards/{", "/counters/{", "'count'")
        .doesNotContainPattern("\\.count\\b"); // unlike the mark, which is called counter
  }

  @Test
  void names_reachTheIndexes() {
    Plan plan = plan(RENAMED);

    assertThat(plan.one("gcloud firestore indexes composite create").only("collection-group"))
        .isEqualTo("totals");
    assertThat(exemptions(plan))
        .containsExactly(
            "totals.live_lane",
            "totals.live_until",
            "totals.as_of",
            "totals.counter",
            "names.expire_at",
            "parts.Cnt");
    assertThat(plan.one("gcloud firestore fields ttls update expire_at").only("collection-group"))
        .isEqualTo("names");
  }

  @Test
  void indexFile_saysWhatTheCommandsDo() throws IOException {
    for (String[] options : List.of(new String[0], RENAMED)) {
      Plan plan = plan(options);
      JsonObject file = indexFile(stage.resolve("firestore.indexes.json"));

      assertThat(overrides(file)).containsExactlyInAnyOrderElementsOf(exemptions(plan));
      JsonObject index = file.getAsJsonArray("indexes").get(0).getAsJsonObject();
      Plan.Command create = plan.one("gcloud firestore indexes composite create");
      assertThat(index.get("collectionGroup").getAsString())
          .isEqualTo(create.only("collection-group"));
      assertThat(index.get("queryScope").getAsString()).isEqualTo("COLLECTION_GROUP");
      assertThat(create.only("query-scope")).isEqualTo("collection-group");
      assertThat(create.all("field-config")).containsExactlyElementsOf(fields(index));
    }
  }

  @Test
  void indexFile_isTheDefault() throws IOException {
    plan();

    assertThat(indexFile(stage.resolve("firestore.indexes.json")))
        .isEqualTo(indexFile(Home.FIRESTORE.resolve("firestore.indexes.json")));
  }

  private static JsonObject indexFile(Path file) throws IOException {
    return JsonParser.parseString(Files.readString(file)).getAsJsonObject();
  }

  private static List<String> fields(JsonObject index) {
    List<String> fields = new ArrayList<>();
    for (JsonElement element : index.getAsJsonArray("fields")) {
      JsonObject field = element.getAsJsonObject();
      assertThat(field.get("order").getAsString()).isEqualTo("ASCENDING");
      fields.add("field-path=" + field.get("fieldPath").getAsString() + ",order=ascending");
    }
    return fields;
  }

  private static List<String> overrides(JsonObject file) {
    List<String> names = new ArrayList<>();
    for (JsonElement element : file.getAsJsonArray("fieldOverrides")) {
      JsonObject override = element.getAsJsonObject();
      assertThat(override.getAsJsonArray("indexes")).isEqualTo(new JsonArray());
      String field = override.get("fieldPath").getAsString();
      assertThat(override.has("ttl")).isEqualTo(field.equals("expire_at"));
      names.add(override.get("collectionGroup").getAsString() + "." + field);
    }
    return names;
  }

  private static List<String> exemptions(Plan plan) {
    return plan.starting("gcloud firestore indexes fields update").stream()
        .filter(command -> command.has("disable-indexes"))
        .map(command -> command.only("collection-group") + "." + command.words().get(5))
        .toList();
  }

  @Test
  void rulesCall_carriesTheStagedRules() throws IOException {
    Plan plan = plan("--rules=strict");

    Plan.Command create = rulesCall(plan);
    assertThat(create.words()).contains("@" + stage.resolve("firestore.rules.json"));
    assertThat(create.toString()).contains("Bearer $(gcloud auth print-access-token)");
    JsonObject body = indexFile(stage.resolve("firestore.rules.json"));
    JsonObject file =
        body.getAsJsonObject("source").getAsJsonArray("files").get(0).getAsJsonObject();
    assertThat(file.get("content").getAsString())
        .isEqualTo(Files.readString(stage.resolve("firestore.rules")));
  }

  private static Plan.Command rulesCall(Plan plan) {
    return plan.commands().stream()
        .filter(command -> command.words().get(command.words().size() - 1).endsWith("/rulesets"))
        .findFirst()
        .orElseThrow();
  }

  private Plan plan(String... options) {
    return Plan.of(stage, "deploy", options);
  }
}
