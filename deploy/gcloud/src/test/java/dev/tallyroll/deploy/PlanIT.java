package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.tallyroll.deploy.IndexFile.Exemption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the output of --dry-run with the settings, field by field. */
class PlanIT {

  private static final String TRIGGERED = "gcloud functions deploy tallyroll-on-shard-written";
  private static final String ROLLER = "gcloud functions deploy tallyroll-roll-up";
  static final String RENAMED =
      """
      --counters=rooms/{room}/tallies --shards-collection=parts --rollups-collection=totals \
      --runs-collection=turns --increments-collection=names --count-field=Cnt --database=other \
      --rollup-topic=ticks --workers=3 --sum=documents""";

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          on-shard-written; --entry-point=dev.tallyroll.functions.OnShardWritten \
            --trigger-location=us-central1 \
            --trigger-event-filters=type=google.cloud.firestore.document.v1.written \
            --trigger-event-filters=database=(default) \
            --trigger-event-filters-path-pattern=document=counters/{counter}/shards/{shard} \
            --retry --timeout=60s --max-instances=20 --cpu=1 --concurrency=80
          roll-up; --entry-point=dev.tallyroll.functions.RollUp --trigger-topic=rollup \
            --no-retry --timeout=540s --max-instances=4 --cpu=0.333 --concurrency=1
          """)
  void functions_areAskedForInFull(String who, String flags) {
    Plan.Command deploy = Plan.of("deploy").one("gcloud functions deploy tallyroll-" + who);

    String ofBoth =
        """
        --project=p --region=us-central1 --gen2 --runtime=java21 \
        --docker-repository=projects/p/locations/us-central1/repositories/tallyroll-images \
        --memory=512Mi --min-instances=0 --no-allow-unauthenticated \
        --ingress-settings=internal-only \
        --trigger-service-account=tallyroll-delivery@p.iam.gserviceaccount.com \
        --service-account=tallyroll-%s@p.iam.gserviceaccount.com"""
            .formatted(who);
    assertThat(deploy.words().subList(4, deploy.words().size()))
        .filteredOn(word -> !word.matches("--(source|set-env-vars|update-labels)=.*"))
        .containsExactlyInAnyOrder((ofBoth + " " + flags).split(" +", -1));
    assertThat(deploy.only("update-labels"))
        .matches("tallyroll=tallyroll,tallyroll-hash=nothing-is-built");
  }

  @Test
  void names_reachTheFunctions() {
    Plan plan = Plan.of("deploy " + RENAMED);
    Plan.Command triggered = plan.one(TRIGGERED);
    Plan.Command roller = plan.one(ROLLER);

    assertThat(triggered.words()).contains("--trigger-event-filters=database=other");
    assertThat(triggered.only("trigger-event-filters-path-pattern"))
        .isEqualTo("document=rooms/{room}/tallies/{counter}/parts/{shard}");
    assertThat(triggered.only("set-env-vars").split(",", -1))
        .contains("COUNTERS=rooms/{room}/tallies", "SHARDS_COLLECTION=parts", "WORKERS=3")
        .contains("ROLLUPS_COLLECTION=totals", "RUNS_COLLECTION=turns", "COUNT_FIELD=Cnt")
        .contains("FIRESTORE_DATABASE=other", "ROLLUP_TOPIC=ticks", "SUM=documents", "SWEEP=PT8M")
        .contains("BURST=15", "SWEEP_COUNTERS=10000", "IDLE_EXIT=PT1S")
        .contains("INCREMENTS_COLLECTION=names")
        .contains("JAVA_TOOL_OPTIONS=" + Shell.read(Shell.SCRIPTS.resolve("jvm-options")).strip());
    assertThat(roller.words())
        .contains("--max-instances=8", "--trigger-topic=ticks")
        .contains("--source=" + triggered.only("source"))
        .contains("--set-env-vars=" + triggered.only("set-env-vars"));
    assertThat(plan.starting("gcloud scheduler jobs create"))
        .extracting(command -> command.only("topic"))
        .containsExactly("ticks");
  }

  /**
   * Alerts and charts name metrics that are made, every name is filled in, and the next commands
   * exist.
   */
  @Test
  void monitoring_isOfOnePiece() throws Exception {
    Plan plan = Plan.of("deploy --monitoring=me@x.org --name=the-second --max-instances=7");
    plan.ended(0);
    Set<String> measured = new TreeSet<>();
    StringBuilder others = new StringBuilder();
    try (var files = Files.list(plan.folder().resolve("stage/monitoring"))) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        String text = Shell.read(file);
        assertThat(text).as(name).doesNotContainPattern("@[A-Za-z_]+@");
        if (name.startsWith("log-metric-")) {
          measured.add(name.replaceAll("^log-metric-|\\.json$", ""));
        } else {
          others.append(text);
        }
      }
    }

    assertThat(found("/user/the-second-([a-z0-9-]+)|user_the_second_(\\w+)_sum", others))
        .isEqualTo(measured);
    assertThat(found("gcloud/deploy [^`]*?(--(?!project|region|name)[a-z-]+)", others))
        .isSubsetOf(Arguments.options("deploy"))
        .contains("--max-instances");
    assertThat(found("gcloud/status [^`]*?(--[a-z-]+)[^`]*`", others))
        .isSubsetOf(Arguments.options("status"))
        .isNotEmpty();
    assertThat(others).contains("\"thresholdValue\":6", "\"thresholdValue\":3");
    String dashboard = plan.staged("monitoring/dashboard-counters.json");
    assertThat(Json.objects(JsonParser.parseString(dashboard), "gridLayout.widgets"))
        .extracting(chart -> Json.text(chart, "title"))
        .hasSizeGreaterThan(8)
        .doesNotHaveDuplicates();
  }

  private static Set<String> found(String pattern, CharSequence text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map(match -> match.group(1) == null ? match.group(2).replace('_', '-') : match.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @ParameterizedTest
  @ValueSource(strings = {"--anywhere", "--counters={parent=**}/counters"})
  void countersAnywhere_areOnePattern(String option) {
    Plan.Command deploy = Plan.of("deploy " + option).one(TRIGGERED);

    assertThat(deploy.only("trigger-event-filters-path-pattern"))
        .isEqualTo("document={parent=**}/counters/{counter}/shards/{shard}");
    assertThat(deploy.only("set-env-vars").split(",", -1))
        .contains("COUNTERS={parent=**}/counters");
  }

  @Test
  void names_reachTheRules() {
    Plan plan = Plan.of("deploy " + RENAMED);

    assertThat(plan.text())
        .contains("match /rooms/{room}/totals/{counter} {")
        .contains("match /rooms/{room}/tallies/{counter}/parts/{shard} {")
        .contains("['Cnt'].toSet()", "after.Cnt - before.Cnt == 1", "own turns,");
    assertThat(plan.staged("firestore.rules"))
        .doesNotContain("/rollups/", "/shards/{", "/counters/{", "['count'")
        .doesNotContainPattern("\\.count\\b"); // unlike the mark, which is called counter
  }

  @ParameterizedTest
  @CsvSource({
    "'', rollups.live_until rollups.as_of rollups.counter increment_names.expire_at",
    RENAMED + ", totals.live_until totals.as_of totals.counter names.expire_at parts.Cnt"
  })
  void indexFile_saysWhatTheCommandsDo(String options, String fields) {
    Plan plan = Plan.of("deploy " + options);
    IndexFile file = IndexFile.of(plan.staged("firestore.indexes.json"));

    assertThat(file.fieldOverrides())
        .allMatch(made -> made.indexes().isEmpty())
        .allMatch(made -> made.ttl() == made.fieldPath().equals("expire_at"))
        .extracting(Exemption::toString)
        .containsExactlyInAnyOrder(fields.split(" ", -1));
    assertThat(plan.starting("gcloud firestore indexes fields update"))
        .filteredOn(command -> command.words().contains("--disable-indexes"))
        .extracting(command -> command.only("collection-group") + "." + command.words().get(5))
        .containsExactly(fields.split(" ", -1));
    String ttl = plan.one("gcloud firestore fields ttls update").only("collection-group");
    assertThat(fields).contains(" " + ttl + ".expire_at");
    assertThat(file.indexes()).isEmpty();
    assertThat(plan.starting("gcloud firestore indexes composite")).isEmpty();
  }

  @Test
  void indexFile_isTheDefault() {
    assertThat(JsonParser.parseString(Plan.of("deploy").staged("firestore.indexes.json")))
        .isEqualTo(JsonParser.parseString(Shell.read(Shell.INDEXES)));
  }

  @Test
  void rulesCall_carriesTheStagedRules() {
    assertThat(Plan.of("deploy --rules --database=other").ended(0))
        .contains("\"projects/p/releases/cloud.firestore/other\"");
    Plan plan = Plan.of("deploy --rules=strict");

    assertThat(plan.text()).contains("\"Authorization: Bearer $(gcloud auth print-access-token)\"");
    assertThat(plan.commands())
        .filteredOn(command -> command.toString().endsWith("/rulesets"))
        .singleElement()
        .asString()
        .contains(" @" + plan.folder() + "/stage/firestore.rules.json ");
    String body = plan.staged("firestore.rules.json");
    assertThat(Json.text(JsonParser.parseString(body), "source.files.0.content"))
        .isEqualTo(plan.staged("firestore.rules"));
  }
}
