package dev.tallyroll.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Only what carries our mark goes. */
class DestroyTest {
  private static final String OURS = "Tallyroll: tallyroll: ";

  @TempDir private Path folder;
  private Given given;

  @BeforeEach
  void project() {
    given = new Given(folder);
  }

  /** What is printed, and the plan. */
  private List<String> planned(int code, String settings, String... options) throws Exception {
    Files.writeString(folder.resolve("my.env"), settings.replace(' ', '\n'));
    List<String> words =
        new ArrayList<>(
            List.of("--settings", folder.resolve("my.env").toString(), "--project", "p"));
    words.addAll(List.of("--region", "us-central1", "--answers", folder.toString()));
    words.addAll(List.of("--plan", folder.resolve("plan").toString(), "--signed-in", "me@x.org"));
    words.addAll(List.of(options));
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (PrintStream print = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      Program program = new Program(name -> "", print, print);
      assertThat(program.run(() -> new Destroy(program).run(words.toArray(String[]::new))))
          .isEqualTo(code);
    }
    List<String> all = new ArrayList<>(printed.toString(StandardCharsets.UTF_8).lines().toList());
    if (code == 0) {
      all.addAll(Files.readAllLines(folder.resolve("plan")));
    }
    return all;
  }

  @Test
  void allOfOurs_andNothingElse() throws Exception {
    String roller = "tallyroll-roll-up@p.iam.gserviceaccount.com";
    given
        .deployed("NAME=tallyroll")
        .beside("other", "counters.of=likes/{counter}/votes", "counters.rollups=sums")
        .function("tallyroll-roll-up", "tallyroll", "europe-west1")
        .more("jobs", "{'name': 'x/jobs/tallyroll-run', 'description': '" + OURS + "asks'}")
        .more("jobs", "{'name': 'x/jobs/theirs', 'description': 'Tallyroll: tallyroll-2: asks'}")
        .more(
            "topics", "{'name': 'x/topics/tallyroll-rollup', 'labels': {'tallyroll': 'tallyroll'}}")
        .trigger(
            "tallyroll-on-shard-written-0a0a0a0a", "tallyroll", "likes/{counter}/likes/{shard}")
        .trigger("tallyroll-on-shard-written-0b0b0b0b", "", "theirs/{x}/y/{z}")
        .trigger("tallyroll-on-shard-written-123456", "tallyroll", "likes/{counter}/likes/{shard}")
        .trigger("others", "tallyroll", "likes/{counter}/likes/{shard}")
        .more("topics", "{'name': 'x/topics/other-rollup', 'labels': {'tallyroll': 'other'}}")
        .more("accounts", "{'email': '" + roller + "', 'description': '" + OURS + "x'}")
        .more(
            "accounts",
            "{'email': 'tallyroll-build@p.iam.gserviceaccount.com', 'description': 'theirs'}")
        .more("metrics", "{'name': 'tallyroll-runs', 'description': '" + OURS + "runs'}")
        .more("metrics", "{'name': 'tallyroll-mine', 'description': 'mine'}")
        .one(
            "sink",
            "{'exclusions': [{'name': 'tallyroll-request-logs'}, {'name': 'my-tallyroll-request-logs'}]}")
        .one(
            "policy",
            "{'bindings': [{'role': 'roles/datastore.user', 'members': ['serviceAccount:"
                + roller
                + "']}, {'role': 'roles/x', 'members': ['serviceAccount:"
                + roller
                + "', 'user:a']}]}");

    assertThat(planned(0, "WORKERS=1"))
        .containsExactly(
            "# The functions of totals counters in project p, database (default),"
                + " region us-central1 stop: totals stand still. Data stays.",
            "job='tallyroll-run'",
            "triggers='us-central1/tallyroll-on-shard-written-0a0a0a0a'",
            "functions='tallyroll-on-shard-written tallyroll-roll-up'",
            "topics='tallyroll-rollup'",
            "exclusion='tallyroll-request-logs'",
            "metrics='tallyroll-runs'",
            "accounts_go='roll-up'",
            "roles_go='roll-up|roles/datastore.user",
            "roll-up|roles/x'",
            "indexed=''",
            "FIRESTORE_DATABASE='(default)'");
  }

  @Test
  void indexes_goUnlessOthersNeedThem_byTheDeployedSettings() throws Exception {
    given.deployed("counters.index=false", "counters.rollups=sums", "FIRESTORE_DATABASE=second");

    assertThat(planned(0, "WORKERS=1", "--indexes", "yes"))
        .contains(
            "indexed='sums/as_of sums/live_until sums/counter increment_names/expire_at shards/count'",
            "FIRESTORE_DATABASE='second'");

    given.beside("other", "counters.of=likes/{counter}/shards", "FIRESTORE_DATABASE=second");
    assertThat(planned(0, "WORKERS=1", "--indexes", "yes"))
        .contains(
            "# kept, since another deployment needs it: increment_names.expire_at",
            "# kept, since another deployment needs it: shards.count",
            "indexed='sums/as_of sums/live_until sums/counter'");

    given.beside("newer", "counters.of=//", "FIRESTORE_DATABASE=second");
    assertThat(planned(0, "WORKERS=1", "--indexes", "yes")).contains("indexed=''");
  }

  /** Index settings have no mark, so they are found by the names of the file's settings. */
  @Test
  void nothingOfOurs_isARefusal_butForIndexes() throws Exception {
    assertThat(planned(2, "NAME=another"))
        .containsExactly(
            "NAME: expected a deployment's; found nothing with the mark of another in project p");
    assertThat(planned(0, "NAME=another", "--indexes", "yes"))
        .contains(
            "indexed='rollups/as_of rollups/live_until rollups/counter increment_names/expire_at'");
  }

  /** What another version has deployed is found by its mark, whatever its settings are. */
  @Test
  void settingsThatCannotBeRead_keepNothingFromGoing() throws Exception {
    given.deployed("NAME=tallyroll", "WORKERS=many");

    assertThat(planned(0, "WORKERS=1"))
        .contains(
            "# The deployed settings cannot be read, so those of the file count.",
            "functions='tallyroll-on-shard-written tallyroll-roll-up'");
  }

  /** FOLD was forgotten in the file. */
  @Test
  void fold_hasNoIndexes() throws Exception {
    given.deployed("FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}");

    assertThat(planned(0, "WORKERS=1", "--indexes", "yes"))
        .contains("indexed=''", "functions='tallyroll-on-shard-written tallyroll-roll-up'")
        .first()
        .asString()
        .contains("{parent=**}/_counter_shards_/{shard}");
  }
}
