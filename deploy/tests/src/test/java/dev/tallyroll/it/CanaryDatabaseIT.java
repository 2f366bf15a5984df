package dev.tallyroll.it;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.local.CallFaults;
import dev.tallyroll.local.FaultyFirestore;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.operator.Canary;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the canary asks and makes in a database, and what it deletes there. */
@On(Site.SHARED)
final class CanaryDatabaseIT {
  private static final String TOTALS =
      """
      {"canary": {
        "of": "{parent=**}/tallyroll_canary_counters/{counter}/tallyroll_canary_shards",
        "sum": "count", "rollups": "tallyroll_canary_rollups"}}
      """;

  private static final Map<String, String> SETTINGS =
      Map.of("NAME", "tally-canary", "TOTALS", TOTALS);

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final LocalCloud others;
  private final OwnProject project;
  private final Firestore firestore;
  private Optional<LocalCloud> functions = Optional.empty();
  private String emulator;
  @TempDir private Path folder;

  CanaryDatabaseIT(LocalCloud others) {
    this.others = others;
    this.project = new OwnProject(others);
    this.firestore = project.firestore();
    this.emulator = others.firestoreHost();
  }

  @AfterEach
  void close() {
    functions.ifPresent(LocalCloud::close);
    project.close();
  }

  /** The functions, in the place of a deployment. */
  private void deploy(Map<String, String> settings) {
    functions =
        Optional.of(
            LocalCloud.start(project.options().settings(settings).schedule(Duration.ofSeconds(3))));
  }

  private int canary(Map<String, String> settings, String... words) throws Exception {
    List<String> lines = new ArrayList<>();
    Map<String, String> named = new TreeMap<>(settings);
    Optional<String> totals = Optional.ofNullable(named.remove("TOTALS"));
    if (totals.isPresent()) {
      Files.writeString(folder.resolve("totals.json"), totals.get());
      named.put("TOTALS", "totals.json");
    }
    named.forEach((name, value) -> lines.add(name + "=" + value));
    Path file = Files.write(folder.resolve("canary.env"), lines);
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(
        List.of("--settings=" + file, "--project=" + project.id(), "--region", "us-central1"));
    try (PrintStream print = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      Map<String, String> environment = Map.of("FIRESTORE_EMULATOR_HOST", emulator);
      return new Canary(environment::get, print, print).run(all.toArray(String[]::new));
    }
  }

  private String printed() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  private List<String> collections() {
    List<String> collections = new ArrayList<>();
    for (CollectionReference collection : firestore.listCollections()) {
      collections.add(collection.getId());
    }
    return collections;
  }

  /** With shards, documents in the place of shards, and documents that are folded. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"events\": false, \"every\": \"PT1S\"",
        "\"into\": {\"count\": \"number\"}",
        "FOLD"
      })
  void deploymentThatCounts_isProved(String keys) throws Exception {
    Map<String, String> settings = new TreeMap<>(SETTINGS);
    if (keys.equals("FOLD")) {
      settings.remove("TOTALS");
      settings.put("FOLD", "PT1S");
      settings.put("FOLD_DOCUMENTS", "tallyroll_canary_folded/{page}");
    } else {
      String totals = TOTALS.replace("\"sum\"", keys + ", \"sum\"");
      settings.put("TOTALS", keys.contains("false") ? totals.replace("{parent=**}/", "") : totals);
    }
    deploy(settings);

    assertThat(canary(settings, "prove", "--row", "it counts")).as(printed()).isZero();

    assertThat(printed()).containsPattern("\\| it counts \\| the total is 5; lag \\d+ ms \\| yes");
    assertThat(collections())
        .doesNotContain("tallyroll_canary_counters", "tallyroll_canary_folded");
  }

  @Test
  void deploymentThatDoesNotCount_isTold() throws Exception {
    assertThat(canary(SETTINGS, "prove", "--within=1")).isEqualTo(1);

    assertThat(printed())
        .contains("| it counts to five | expected 5 within 1 s; found nothing | no |");
    assertThat(collections()).isEmpty();
  }

  /** One of thirty of an emulator's sums beside commits lacks one of them. */
  @Test
  void whatIsAssumedOfFirestore_isSeen() throws Exception {
    canary(SETTINGS, "ask");

    assertThat(printed().lines())
        .hasSize(7)
        .allMatch(
            row ->
                row.endsWith("| yes |")
                    || row.contains("of one moment: 20 |")
                    || row.contains(
                        "a sum with an equality is refused without one | the sum is 1"));
    assertThat(printed())
        .contains("| a sum and a read at the time of a commit see it | 11 22 33 44 55 | yes |")
        .contains("| FAILED_PRECONDITION, 6 and 0 | yes |")
        .containsPattern("of one moment: 20 \\| .*20 \\(\\d+ times\\) \\|")
        .contains("| 7 of 2 | yes |");
    assertThat(collections()).isEmpty();
  }

  /** An emulator's sum may lack commits in flight, and this machine may be busy. */
  private int count(Path history, String... words) throws Exception {
    List<String> all = new ArrayList<>(List.of("count", "--history", history.toString()));
    all.addAll(List.of("--seconds=2", "--slack=2"));
    all.addAll(List.of(words));
    return canary(SETTINGS, all.toArray(String[]::new));
  }

  @Test
  void increments_areRecordedAndJudged() throws Exception {
    Path history = folder.resolve("history.tsv");
    deploy(SETTINGS);

    assertThat(count(history, "--late=100")).as(printed()).isZero();

    assertThat(printed())
        .containsPattern(
            "cold: 1 increments.*; lag, warm: \\d+ increments.*; right: .*\\| yes \\|");
    assertThat(Files.readString(history))
        .startsWith("late\t100\nslack\t2\n")
        .containsPattern("\nwarm\t2.*\n(.*\n)*increment\t2.*Z\t1\n");
    printed.reset();
    assertThat(canary(SETTINGS, "--check=" + history)).isZero();
    assertThat(canary(SETTINGS, "--check", history.toString())).isZero();
    assertThat(printed().lines()).filteredOn(line -> line.startsWith("right: ")).hasSize(2);
  }

  /** The client repeats calls whose answers were lost. */
  @Test
  void lostAnswers_countOnce() throws Exception {
    deploy(SETTINGS);
    try (FaultyFirestore faulty = new FaultyFirestore(others.firestoreHost())) {
      emulator = faulty.open().address();
      faulty.inject(CallFaults.losingReplies(0.2, 1));

      assertThat(count(folder.resolve("history.tsv"), "--late=100")).as(printed()).isZero();
    }
  }

  @Test
  void totalsThatNobodyHasRead_areUnknown() throws Exception {
    Path history = folder.resolve("history.tsv");

    assertThat(count(history, "--late=100", "--within=1")).isEqualTo(1);

    assertThat(printed())
        .contains("# No read has found a total within 1 s.")
        .contains("unknown: no read tells whether 1 increments showed in time | unknown |");
    assertThat(canary(SETTINGS, "--check", history.toString())).isEqualTo(1);
  }

  /** Somebody puts a text where the count belongs. */
  @Test
  void readsThatFail_areTold_andLeaveTheTotalUnknown() throws Exception {
    List<ApiFuture<WriteResult>> texts = new CopyOnWriteArrayList<>();
    ListenerRegistration somebody =
        firestore
            .collection("tallyroll_canary_counters")
            .addSnapshotListener(
                (counters, failure) -> {
                  for (var counter : counters) {
                    texts.add(
                        firestore
                            .document("tallyroll_canary_rollups/" + counter.getId())
                            .set(Map.of("count", "5")));
                  }
                });

    assertThat(count(folder.resolve("history.tsv"), "--late=100", "--within=8")).isEqualTo(1);

    somebody.remove();
    for (var text : texts) {
      get(text);
    }
    assertThat(printed())
        .containsOnlyOnce("# A read of the total has failed, and maybe later ones: ")
        .contains("expected a whole count; found 5")
        .contains("| unknown |");
  }

  @Test
  void fileThatIsNotThere_isRefused() throws Exception {
    assertThat(canary(SETTINGS, "--check", "none.tsv")).isEqualTo(2);
    assertThat(printed()).contains("--check: expected a file; found 'none.tsv'");
  }

  @Test
  void clear_deletesTheCanarysDocuments_andNoOthers() throws Exception {
    List<String> own =
        List.of(
            "tallyroll_canary_counters/c",
            "tallyroll_canary_counters/gone/tallyroll_canary_shards/0",
            "tallyroll_canary_counters/gone/increment_names/n",
            "tallyroll_canary_rollups/c",
            "tallyroll_canary_folded/f/_counter_shards_/s",
            "tallyroll_canary_numbers/a",
            "rollup_runs/tally-canary/live/run-0");
    List<String> foreign =
        List.of(
            "tallyroll_canary_counters2/c",
            "tallyroll_canary_counter/c",
            "tallyroll_canary/c",
            "rooms/r/tallyroll_canary_counters/c",
            "rooms/r/tallyroll_canary_rollups/c",
            "counters/c/increment_names/n",
            "counters/c/tallyroll_canary_shards/0",
            "rollup_runs/tally-canary2/live/run-0",
            "rollup_runs/tally-canar/live/run-0",
            "rollup_runs/tally-canary/lives/x",
            "rollups/c");
    for (String path : own) {
      get(firestore.document(path).set(Map.of("n", 1)));
    }
    for (String path : foreign) {
      get(firestore.document(path).set(Map.of("n", 1)));
    }

    assertThat(canary(SETTINGS, "clear")).isZero();

    assertThat(printed()).isEqualTo("# Deleted documents of the canary: " + own.size() + "\n");
    for (String path : own) {
      assertThat(get(firestore.document(path).get()).exists()).as(path).isFalse();
    }
    for (String path : foreign) {
      assertThat(get(firestore.document(path).get()).exists()).as(path).isTrue();
    }
  }

  @Test
  void moreThanABatch_isDeleted() throws Exception {
    var batch = firestore.batch();
    for (int i = 0; i < 450; i++) {
      batch.set(firestore.document("tallyroll_canary_counters/c/increment_names/" + i), Map.of());
    }
    get(batch.commit());

    assertThat(canary(SETTINGS, "clear")).isZero();

    assertThat(collections()).isEmpty();
  }

  /** Each line: what differs, in the settings or in the entry, and the key that is named. */
  @ParameterizedTest
  @CsvSource({
    "tally-canary, tallyroll, NAME",
    "tallyroll_canary_counters, counters, canary.of",
    "{parent=**}, rooms/{room}, canary.of",
    "tallyroll_canary_shards, shards, canary.of",
    "tallyroll_canary_rollups, rollups, canary.rollups"
  })
  void settingsOfOthers_areRefused(String own, String others, String key) throws Exception {
    Map<String, String> settings = new TreeMap<>(SETTINGS);
    settings.replaceAll((name, value) -> value.replace(own, others));
    get(firestore.document("tallyroll_canary_counters/c").set(Map.of()));

    for (String what : List.of("clear", "ask", "count", "prove")) {
      assertThat(canary(settings, what)).isEqualTo(2);
    }

    assertThat(printed().lines())
        .hasSize(4)
        .allMatch(
            message ->
                message.startsWith(key + ": expected the canary's own, ")
                    && message.split("; found ", -1)[1].contains(others));
    assertThat(get(firestore.document("tallyroll_canary_counters/c").get()).exists()).isTrue();
  }
}
