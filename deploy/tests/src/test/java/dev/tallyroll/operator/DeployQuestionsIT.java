package dev.tallyroll.operator;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.cloud.firestore.WriteBatch;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.settings.TotalsFile;
import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What deploy and status find in a database, asked of the emulator. */
@On(Site.SHARED)
final class DeployQuestionsIT {
  private final String project = "demo-" + UUID.randomUUID().toString().substring(0, 8);
  private String host;
  private final Firestore firestore;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @TempDir private Path folder;

  DeployQuestionsIT(LocalCloud cloud) {
    host = cloud.firestoreHost();
    firestore =
        FirestoreOptions.newBuilder()
            .setProjectId(project)
            .setEmulatorHost(host)
            .build()
            .getService();
  }

  @BeforeEach
  void aDatabase() throws Exception {
    put("database.json", "{\"locationId\": \"nam5\", \"type\": \"FIRESTORE_NATIVE\"}");
    put("prices", Files.readString(Path.of("../prices.json")));
  }

  @AfterEach
  void close() {
    firestore.shutdown();
  }

  private String put(String file, String text) throws Exception {
    return Files.writeString(folder.resolve(file), text).toString();
  }

  private void set(String path, Map<String, Object> fields) throws Exception {
    get(firestore.document(path).set(fields));
  }

  /** A roll-up as the functions write it. */
  private void rollup(String path, String counter, String totalOf, Number count, long shards)
      throws Exception {
    set(path, Map.of("counter", counter, "total_of", totalOf, "count", count, "shards", shards));
  }

  /** What deploy's program, or status's, says of these settings. */
  private String said(String program, int code, String... settings) throws Exception {
    List<String> words = new ArrayList<>(List.of("--project", project, "--region", "us-central1"));
    words.addAll(List.of("--settings", settings(settings)));
    words.addAll(List.of("--answers", folder.toString()));
    words.addAll(List.of("--prices", folder.resolve("prices").toString()));
    if (program.equals("deploy")) {
      words.addAll(List.of("--plan", folder.resolve("plan").toString(), "--signed-in", "me"));
    }
    printed.reset();
    try (PrintStream print = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      Map<String, String> environment = new HashMap<>(Map.of("FIRESTORE_EMULATOR_HOST", host));
      Program run = new Program(environment::get, print, print);
      String[] all = words.toArray(String[]::new);
      assertThat(
              run.run(
                  () ->
                      program.equals("deploy")
                          ? new Deploy(run).run(all)
                          : new Status(run, InstantSource.system()).run(all)))
          .as(printed.toString(StandardCharsets.UTF_8))
          .isEqualTo(code);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  /**
   * A file of settings, beside a file of totals with one entry, but for a fold: lines such as
   * sum=stars are its keys, with ' for ", and come to those of the default.
   */
  private String settings(String... lines) throws Exception {
    JsonObject totals = JsonParser.parseString(TotalsFile.DEFAULT).getAsJsonObject();
    JsonObject entry = totals.getAsJsonObject("counters");
    boolean isFold = List.of(lines).contains("FOLD=PT1S");
    List<String> settings = new ArrayList<>(isFold ? List.of() : List.of("TOTALS=totals.json"));
    for (String line : lines) {
      String[] pair = line.split("=", 2);
      if (line.matches("[A-Z].*")) {
        settings.add(line);
      } else if (pair[1].isEmpty()) {
        entry.remove(pair[0]);
      } else {
        entry.add(
            pair[0],
            pair[1].matches("\\{'.*|false")
                ? JsonParser.parseString(pair[1].replace('\'', '"'))
                : new JsonPrimitive(pair[1]));
      }
    }
    put("totals.json", totals.toString());
    return put("my.env", String.join("\n", settings));
  }

  /** A database that this account may not read. */
  private static Server closedToUs() throws Exception {
    MethodDescriptor.Marshaller<InputStream> bytes =
        new MethodDescriptor.Marshaller<>() {
          @Override
          public InputStream stream(InputStream value) {
            return value;
          }

          @Override
          public InputStream parse(InputStream stream) {
            return stream;
          }
        };
    HandlerRegistry denied =
        new HandlerRegistry() {
          @Override
          public ServerMethodDefinition<?, ?> lookupMethod(
              String name, @Nullable String authority) {
            return ServerMethodDefinition.create(
                MethodDescriptor.newBuilder(bytes, bytes)
                    .setFullMethodName(name)
                    .setType(MethodDescriptor.MethodType.UNKNOWN)
                    .build(),
                (call, headers) -> {
                  call.close(io.grpc.Status.PERMISSION_DENIED, new Metadata());
                  return new ServerCall.Listener<>() {};
                });
          }
        };
    return NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .fallbackHandlerRegistry(denied)
        .build()
        .start();
  }

  @Test
  void databaseThatMayNotBeRead_isSaid_andAsked() throws Exception {
    Server server = closedToUs();
    host = "127.0.0.1:" + server.getPort();
    try {
      assertThat(deploy(0, "of=posts/{counter}/shards", "into={'sum':'likes'}"))
          .containsOnlyOnce("# This account may not read the database (roles/datastore.user)")
          .contains("for 1,000 documents and their totals");
      assertThat(question()).isEqualTo("question='Type yes to go on without having looked:'");
      deploy(0, "FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}");
      assertThat(question()).isEqualTo("question='Type yes to go on without having looked:'");
      assertThat(said("status", 1, "of=posts/{counter}/shards"))
          .contains("NOT SEEN: this account may not look at the database (roles/datastore.user)");
    } finally {
      server.shutdownNow();
    }
  }

  private String deploy(int code, String... settings) throws Exception {
    return said("deploy", code, settings);
  }

  private String question() throws Exception {
    return Files.readAllLines(folder.resolve("plan")).get(0);
  }

  /** Each line: the settings, a document with its number, its roll-up, whether deploy asks. */
  @ParameterizedTest(name = "{0}: {1} {2}, {3} {4}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          of=posts/{counter}/shards; posts/a; 1234; ; ; true
          of=posts/{counter}/shards; posts/a; -5.5; ; ; true
          of=posts/{counter}/shards; posts/a; 0; ; ; false
          of=posts/{counter}/shards; posts/a; 7; posts/a; 7; false
          of=posts/{counter}/shards; posts/a; 0.5; posts/a; 0.5; false
          of=posts/{counter}/shards; posts/a; 7; posts/a; 8; true
          of=posts/{counter}/shards; posts/a; 0; posts/a; 8; true
          of=posts/{counter}/shards; posts/a; 7; others/a; 7; true
          of=posts/{counter}/shards; posts/"a b; 7; posts/"a b; 7; false
          of=posts/{counter}/shards; rooms/r/posts/a; 7; ; ; false
          of=rooms/{room}/posts/{counter}/shards; rooms/r/posts/a; 7; ; ; true
          of=rooms/{room}/posts/{counter}/shards; rooms/r/posts/a; 7; rooms/r/posts/a; 7; false
          of=rooms/{room}/posts/{counter}/shards; rooms/r/s/t/posts/a; 7; ; ; false
          of={parent=**}/posts/{counter}/shards; posts/a; 7; ; ; true
          of={parent=**}/posts/{counter}/shards; rooms/r/s/t/posts/a; 7; ; ; true
          of=posts/{counter}/shards events=false every=PT1M; posts/a; 7; ; ; true
          """)
  void numberInTheFieldOfTheSum_isAskedForUnlessARollUpExplainsIt(
      String settings, String path, double number, String counter, String total, boolean asks)
      throws Exception {
    set(path, Map.of("stats", Map.of("likes", number)));
    if (counter != null) {
      String place = path.replaceFirst("posts/(?!.*posts/)", "rollups/");
      String of =
          "sum of count in %s/{}/shards"
              .formatted(settings.contains("{room}") ? "rooms/{1}/posts" : "posts")
              .replace("{}", settings.contains("{room}") ? "{2}" : "{1}");
      rollup(place, counter, of, Double.valueOf(total), 3);
    }

    String said = deploy(0, (settings + " into={'sum':'stats.likes'}").split(" ", -1));

    assertThat(
            said.contains(
                "# 1 of 1 documents of counters hold a number of the app's own in stats.likes"))
        .isEqualTo(asks);
    assertThat(said.contains("#   " + path + ": " + number)).isEqualTo(asks);
    assertThat(question())
        .isEqualTo(asks ? "question='Type yes to replace these numbers:'" : "question=''");
  }

  /** Each line: the figure, a document's number, what its roll-up holds, whether deploy asks. */
  @ParameterizedTest(name = "{0}: {1}, {2} of {3}")
  @CsvSource({
    "count, 3, 12, 3, false",
    "count, 12, 12, 3, true",
    "count, 0, , , false",
    "count, 3, , , true",
    "average, 4, 12, 3, false",
    "average, 4.333333333333333, 13, 3, false",
    "average, 4.3333, 13, 3, true",
    "average, 0.0, 0, 0, false",
    "average, 4, 0, 0, true"
  })
  void numberInAnotherField_isAskedForUnlessTheRollUpExplainsIt(
      String figure, double held, Long total, Long number, boolean asks) throws Exception {
    set("posts/a", Map.of("s", Map.of("x", held)));
    if (total != null) {
      rollup("rollups/a", "posts/a", "sum of stars in posts/{1}/ratings", total, number);
    }

    String said =
        deploy(0, "of=posts/{counter}/ratings", "into={'%s':'s.x'}".formatted(figure), "sum=stars");

    assertThat(said.contains("a number of the app's own in s.x")).isEqualTo(asks);
    assertThat(
            said.contains(
                "# To keep these numbers, set counters.into.%s to another field."
                    .formatted(figure)))
        .isEqualTo(asks);
  }

  /**
   * Seen: 300 documents of an archive came first, and the app's own numbers were replaced unasked.
   */
  @Test
  void numbersBehindThoseOfAnArchive_areSeen() throws Exception {
    WriteBatch batch = firestore.batch();
    for (int i = 0; i < 320; i++) {
      batch.set(firestore.document("archive/a/posts/p" + i), Map.of("likes", 0));
    }
    for (int i = 1; i <= 7; i++) {
      batch.set(firestore.document("posts/p" + i), Map.of("likes", i));
    }
    get(batch.commit());

    assertThat(deploy(0, "of=posts/{counter}/shards", "into={'sum':'likes'}"))
        .contains("# 7 of 7 documents of counters hold a number of the app's own in likes")
        .contains("#   posts/p1: 1\n", "#   posts/p5: 5\n")
        .doesNotContain("posts/p6")
        .contains(
            "start the counters from them first, by startAll",
            "set counters.into.sum to another field.")
        .contains("7 documents and 0 totals now: the pass reads up to 35, $0, in 1 min");
    get(firestore.document("rooms/r/posts/p").set(Map.of("likes", 9)));
    assertThat(deploy(0, "of=rooms/{room}/posts/{counter}/shards", "into={'sum':'likes'}"))
        .contains("# 1 of 1 documents of counters hold a number");
    assertThat(deploy(0, "of=posts/{counter}/shards", "sum=", "into={'count':'likes'}"))
        .contains("set counters.into.count to another field")
        .doesNotContain("startAll"); // which is for shards that clients increment
  }

  @Test
  void fieldThatHoldsSomethingElse_isRemarked() throws Exception {
    set("posts/a", Map.of("stats", Map.of("likes", List.of("u"))));
    set("posts/b", Map.of("stats", Map.of("likes", 0)));
    Map<String, Object> nothing = new HashMap<>();
    nothing.put("likes", null);
    set("posts/c", Map.of("stats", nothing));
    set("posts/d", Map.of("stats", "text"));
    set("posts/e", Map.of());

    assertThat(deploy(0, "of=posts/{counter}/shards", "into={'sum':'stats.likes'}"))
        .contains(
            "# 2 of 5 documents of counters hold something else than a number in stats.likes:");
    assertThat(question()).isEqualTo("question=''");
  }

  /** Each line: settings, a counter, and what the totals are of that they keep. */
  @ParameterizedTest(name = "{0}: {2}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          of=counters/{counter}/shards; counters/a; sum of count in counters/{1}/shards
          of={parent=**}/counters/{counter}/shards; rooms/r1/counters/a; sum of count in {**}/counters/{1}/shards
          of=rooms/{room}/counters/{counter}/shards; rooms/r1/counters/a; sum of count in rooms/{1}/counters/{2}/shards
          of=posts/{counter}/likes sum=; posts/a; number of posts/{1}/likes
          of=a/b/hot/{counter}/shards events=false every=PT1M; a/b/hot/a; sum of count in a/b/hot/{1}/shards
          """)
  void totalsOfSomethingElse_areLeftToThoseWhoMadeThem(
      String settings, String counter, String totalOf) throws Exception {
    String[] lines = settings.split(" ", -1);
    String rollup = counter.replaceFirst("[^/]+/a$", "rollups/a");
    rollup(rollup, counter, "it's; reboot", 5, 5);

    assertThat(deploy(2, lines))
        .contains(
            "which are the '" + totalOf + "'; found one in rollups that is the 'it's; reboot'")
        // Whoever may write a document there has no word in the operator's shell.
        .contains("deploy/gcloud/remove-totals 'it'\\''s; reboot' 'rollups' --settings '");
    assertThat(said("status", 1, lines))
        .contains(
            "WRONG: rollups: expected totals that are the '" + totalOf + "', found one that is");
    rollup(rollup, counter, totalOf, 5, 5);
    deploy(0, lines);
    rollup("rollups/elsewhere", "elsewhere/a", "sum of this in that", 5, 5);
    assertThat(deploy(2, lines)).contains("counters.rollups: expected only documents of counters");
  }

  /** A dry run is pasted into a shell: no id of others begins a line there, or moves the cursor. */
  @Test
  void idsOfOthers_endNoLine() throws Exception {
    set("posts/a\nreboot", Map.of("likes", 7));
    assertThat(deploy(0, "of=posts/{counter}/shards", "into={'sum':'likes'}"))
        .contains("#   posts/a\\u000areboot: 7\n")
        .doesNotContain("\nreboot");

    set("a\nb/c/_counter_shards_/x", Map.of("visits", 1));
    assertThat(deploy(0, "FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}"))
        .contains("#   a\\u000ab/{a_b}   1 of 1 shards\n");

    set("t/t/rollups/a\u001b[2J", Map.of());
    assertThat(deploy(2, "WORKERS=1")).contains("found 't/t/rollups/a\\u001b[2J'");

    rollup("rollups/b", "counters/b", "sum\nreboot", 5, 5);
    assertThat(deploy(2, "WORKERS=1"))
        .contains("that is the 'sum\\u000areboot'")
        .doesNotContain("\nreboot");
  }

  /** Index settings hold in all collections of a name. */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          tenants/t/rollups/a; {}; counters.rollups: expected only documents of counters in collections of this name, which get index settings; found 'tenants/t/rollups/a'
          tenants/t/rollups/a; tenants/t/counters/b; found 'tenants/t/rollups/a'. Name another collection
          polls/p/increment_names/x; {}; increment_names: expected only documents of counters
          tenants/t/rollups/a; tenants/t/counters/a; ''
          rollups/a; others/a; ''
          counters/a/increment_names/x; {}; ''
          rooms/r/counters/a/increment_names/x; {}; ''
          """)
  void documentsOfOthers_inCollectionsThatGetIndexSettings(
      String path, String counter, String words) throws Exception {
    set(path, counter.equals("{}") ? Map.of() : Map.of("counter", counter));

    assertThat(deploy(words.isEmpty() ? 0 : 2, "WORKERS=1")).contains(words);
  }

  @Test
  void pass_isCountedWhereCountersAre() throws Exception {
    for (String path : List.of("counters/a", "counters/b", "rooms/r/counters/a", "rollups/a")) {
      set(path, path.startsWith("roll") ? Map.of("counter", "counters/a") : Map.of());
    }

    assertThat(deploy(0, "WORKERS=1"))
        .contains("2 documents and 1 totals now: the pass reads up to 8,");
    assertThat(deploy(0, "of={parent=**}/counters/{counter}/shards"))
        .contains("3 documents and 1 totals now: the pass reads up to 12,");
    assertThat(deploy(0, "of=rooms/{room}/counters/{counter}/shards"))
        .contains("1 documents and 0 totals now: the pass reads up to 4,");
  }

  /** A client may have made a shard, so nothing is guessed. */
  @Test
  void foldWithoutDocuments_isToldWhichHaveShards() throws Exception {
    for (String shard :
        List.of(
            "rooms/r1/posts/a/_counter_shards_/x",
            "rooms/r2/posts/b/_counter_shards_/7",
            "s/1/9-days/2/days/3/day/4/_counter_shards_/z")) {
      set(shard, Map.of("visits", 1));
    }
    Program program =
        new Program(
            Map.of("FIRESTORE_EMULATOR_HOST", host)::get,
            new PrintStream(printed, true, StandardCharsets.UTF_8),
            new PrintStream(printed, true, StandardCharsets.UTF_8));
    String[] words = {
      "--settings", put("my.env", "FOLD=PT1S\nPROJECT=" + project + "\nREGION=us-central1")
    };

    assertThat(program.run(() -> PrintSettings.print(program, words))).isEqualTo(2);

    assertThat(printed.toString(StandardCharsets.UTF_8))
        .startsWith("FOLD_DOCUMENTS: expected documents' paths")
        .contains("  rooms/{room}/posts/{post}   2 of 3 shards\n")
        .contains("  s/{_}/9-days/{_9_day}/days/{day}/day/{day_}   1 of 3 shards\n");
  }

  @Test
  void shardsThatWillNotBeFolded_areRemarked() throws Exception {
    for (String document : List.of("admins/eve", "pages/home", "pages/other", "rooms/r/posts/p")) {
      set(document + "/_counter_shards_/x", Map.of("visits", 1));
    }

    assertThat(deploy(0, "FOLD=PT1S", "FOLD_DOCUMENTS=rooms/{room}/posts/{post} pages/home"))
        .contains(
            "will not be folded:\n#   admins/{admin}   1 of 4 shards\n#   pages/{page}   1 of 4 shards\n")
        .doesNotContain("{post}   ", "The pass at the end");
  }

  @Test
  void shardsOfShardedCounters_areNotFolded() throws Exception {
    String[] fold = {"FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}"};
    set("polls/p", Map.of("num_shards", 1));
    set("polls/p/_counter_shards_/0", Map.of("count", 1));
    set("pages/q", Map.of("num_shards", 1));
    set("pages/q/_counter_shards_/a0", Map.of("count", 1));
    set("pages/p/_counter_shards_/0", Map.of("count", 1));
    deploy(0, fold);

    set("pages/p", Map.of("numShards", 1));

    assertThat(deploy(2, fold))
        .contains(
            "FOLD_DOCUMENTS: expected no shards of sharded counters, which a fold would delete;"
                + " found 'pages/p', which has num_shards");
  }

  /** The questions read at most so many documents. */
  @Test
  void questions_readSamples() throws Exception {
    WriteBatch batch = firestore.batch();
    for (int i = 0; i < 450; i++) {
      batch.set(firestore.document("counters/c" + i), Map.of("likes", 0));
    }
    get(batch.commit());

    Documents documents = new Documents(firestore);
    Entry counters = TotalsFile.parse(TotalsFile.DEFAULT).entries().get(0);
    assertThat(documents.numbers(counters, Figure.SUM, FieldName.of("likes")).looked())
        .isEqualTo(300);
  }
}
