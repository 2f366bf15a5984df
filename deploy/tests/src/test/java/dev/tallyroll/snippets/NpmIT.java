package dev.tallyroll.snippets;

import static com.google.common.collect.MoreCollectors.onlyElement;
import static dev.tallyroll.Waiting.await;
import static java.nio.file.StandardOpenOption.APPEND;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.Counter;
import dev.tallyroll.Counters;
import dev.tallyroll.Home;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.local.up.UpProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The npm package as its users get it: packed, installed and used from TypeScript; and the recipes
 * with it, under the strict rules and their own rules. All on {@code up} as the recipes' page
 * starts it.
 */
@Order(2) // It takes long.
final class NpmIT {
  private static final Path SOURCES = Workspace.CLIENTS.resolve("npm");
  private static final String LOCK = "package-lock.json";
  private static final String[] COMPILE =
      "npx --no-install tsc --strict --exactOptionalPropertyTypes --module nodenext --target es2022 --lib esnext,dom --types node"
          .split(" ");

  private static final int DAY = 24;

  /** README's examples in JavaScript, in their order. */
  private static final List<String> EXAMPLES =
      List.of(
          "readme-totals",
          "readme-totals-page",
          "readme-server",
          "readme-page",
          "readme-more",
          "readme-fake");

  /** Connects a page's database to the emulator. README's examples come after this code. */
  private static final String PAGE =
      """
      import {initializeApp} from 'firebase/app';
      import {connectFirestoreEmulator, getFirestore} from 'firebase/firestore';
      const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
      const db = getFirestore(initializeApp({projectId: process.env.GOOGLE_CLOUD_PROJECT}));
      connectFirestoreEmulator(db, host, Number(port), {mockUserToken: 'owner'});
      """;

  /** Beside README's: below any document, with other roll-ups, and of sharded counters. */
  private static final String MORE_ENTRIES =
      """
      {
        "replies": {"of": "{parent=**}/threads/{thread}/replies"},
        "members": {"of": "clubs/{club}/groups/{group}/members", "rollups": "how_many"},
        "counters": {"of": "counters/{counter}/shards", "sum": "count"}
      }""";

  /** The result is 0 if the rules refuse. */
  private static final String EXPECTED =
      """
      voted 1, votedTwice 1, votedForAnother 0, votedForBob 0, bobTookAliceBack 0, slipAlone 0, \
      shardAlone 0, \
      slipTornUp 0, twoShards 0, tookBack 1, \
      Error: polls/p/slips/alice: expected a vote; found none, tookNothingBack 2, \
      votedAgain 1, bobVoted 1, slipMoved 0, voters 8, slipToNothing 0, slipToAnotherChoice 0, \
      slipOfAnother 0, lateVoters 4, zoe 9, max 7, elevenLeaders 0, hours 24, noon 12, \
      leadersOffline 2, hoursOffline 2, viewed 1, viewedAtOnceAgain 0, viewedWithoutPass 0, viewedByNobody 0, foreignTotal 0, views 6, \
      queuedAndRefused 1, waited 5, end 1""";

  @TempDir private static Path errors;
  private static UpProcess up;
  private static Map<String, String> addresses;

  @TempDir private Path folder;

  @BeforeAll
  static void start() throws Exception {
    Workspace.ofNpm();
    var document = "deploy/clients/README.md";
    up = UpProcess.startAsPrinted(errors.resolve("errors"), document);
    addresses = up.ready();
  }

  @AfterAll
  static void end() {
    up.process().destroy();
  }

  /**
   * Its users are on a server and, under the strict rules, on a page. README's examples are run,
   * too; those of totals of documents are only compiled here.
   */
  @Test
  void package_holdsNothingElseCompilesAndCounts() throws Exception {
    var packed = Workspace.pack(folder);
    assertThat(packed.getAsJsonArray("files"))
        .extracting(file -> file.getAsJsonObject().get("path").getAsString())
        .containsExactlyInAnyOrder(
            "LICENSE",
            "README.md",
            "cjs/counters.d.ts",
            "cjs/counters.js",
            "cjs/fake.d.ts",
            "cjs/fake.js",
            "cjs/modular.d.ts",
            "cjs/modular.js",
            "cjs/node.d.ts",
            "cjs/node.js",
            "cjs/package.json",
            "cjs/server.d.ts",
            "cjs/server.js",
            "cjs/totals.d.ts",
            "cjs/totals.js",
            "cjs/web.d.ts",
            "cjs/web.js",
            "counters.d.ts",
            "counters.js",
            "fake.d.ts",
            "fake.js",
            "modular.d.ts",
            "modular.js",
            "node.d.ts",
            "node.js",
            "package.json",
            "server.d.ts",
            "server.js",
            "totals.d.ts",
            "totals.js",
            "web.d.ts",
            "web.js");
    install(folder.resolve(packed.get("filename").getAsString()));
    for (String program : List.of("program.ts", "common.cts", "apps.mjs", "expect.mjs")) {
      Files.copy(Workspace.driver(program), folder.resolve(program));
    }
    Files.writeString(folder.resolve("totals.json"), readme("json").get(0));
    Files.writeString(folder.resolve("page.mjs"), PAGE);
    List<String> compile = new ArrayList<>(List.of(COMPILE));
    compile.addAll(List.of("program.ts", "common.cts"));
    var readme = readme("js");
    assertThat(readme).hasSameSizeAs(EXAMPLES);
    for (int i = 0; i < EXAMPLES.size(); i++) {
      String example = EXAMPLES.get(i) + ".ts";
      Files.writeString(folder.resolve(example), readme.get(i));
      compile.add(example);
    }
    Home.run(folder, Map.of(), compile.toArray(new String[0]));
    Files.writeString(folder.resolve("readme-page.js"), "process.exit();\n", APPEND);

    Home.run(folder, addresses, "node", "readme-server.js");
    Home.run(folder, addresses, "node", "--import=./page.mjs", "readme-page.js");
    assertThat(Home.run(folder, addresses, "node", "readme-more.js")).containsPattern("(?m)^2 \\[");
    assertThat(Home.run(folder, Map.of(), "node", "readme-fake.js")).isEqualTo("4.5\n3\n");
    assertThat(Home.run(folder, addresses, "node", "program.js")).contains("true 8");
    assertThat(Home.run(folder, addresses, "node", "common.cjs")).contains("7 true");
    Home.run(folder, addresses, "node", "apps.mjs");
  }

  private static List<String> readme(String language) throws Exception {
    return ReadmeIT.snippets("deploy/clients/npm/README.md", language);
  }

  /**
   * With the functions of README's file, and of more entries, in a project of its own. README's
   * examples are run there, too: a like is in its total, which a page then shows.
   */
  @Test
  void totals_areNamedByEntryAndDocument() throws Exception {
    Path npm = Workspace.ofNpm();
    JsonObject file = JsonParser.parseString(readme("json").get(0)).getAsJsonObject();
    file.asMap().putAll(JsonParser.parseString(MORE_ENTRIES).getAsJsonObject().asMap());
    Path totals = Files.writeString(npm.resolve("totals.json"), file.toString());
    Files.writeString(npm.resolve("page.mjs"), PAGE);
    Files.writeString(npm.resolve("readme-totals.mjs"), readme("js").get(0));
    Files.writeString(
        npm.resolve("readme-totals-page.mjs"),
        readme("js").get(1) + "likes.listen(() => process.exit());\n");
    var functions =
        UpProcess.start(
            folder.resolve("errors"),
            Map.of(),
            List.of(
                "--totals=" + totals,
                "--attach=" + addresses.get("FIRESTORE_EMULATOR_HOST"),
                "--project=demo-totals",
                "--traffic=none"));
    try {
      Map<String, String> there = functions.ready();

      Home.run(npm, there, "node", "totals.mjs");
      assertThat(Home.run(npm, there, "node", "readme-totals.mjs")).endsWith("1\n");
      assertThat(Home.run(npm, there, "node", "--import=./page.mjs", "readme-totals-page.mjs"))
          .containsPattern("(?m)^1$")
          .containsPattern("(?m)^0$");
    } finally {
      functions.process().destroy();
    }
  }

  /** Installs what the lock file names, and the package. */
  private void install(Path tarball) throws Exception {
    JsonObject own =
        JsonParser.parseString(Files.readString(SOURCES.resolve("package.json"))).getAsJsonObject();
    JsonObject user = new JsonObject();
    user.addProperty("name", "user");
    user.addProperty("type", "module");
    user.add("devDependencies", own.get("devDependencies"));
    Files.writeString(folder.resolve("package.json"), new Gson().toJson(user));
    Files.copy(SOURCES.resolve(LOCK), folder.resolve(LOCK));
    String modules = Workspace.ofNpm().resolve("node_modules").toString();
    Home.run(folder, Map.of(), "cp", "-R", modules, "."); // a second "npm ci" takes much longer
    String[] install = {
      "npm", "install", "--no-save", "--ignore-scripts", "--prefer-offline", "" + tarball
    };
    Home.run(folder, Map.of(), install);
  }

  @Test
  void recipes_doWhatTheySayAndNothingElse() throws Exception {
    Firestore db = open();
    try {
      Counters polls = makeCounters(db);
      Counter crowded = FirestoreCounters.of(db).below("polls/q").counter("yes");
      try (var web = ClientProgram.recipes(addresses)) {
        web.await("voters");
        crowded.resize(2).get();
        crowded.compact(Duration.ZERO).get();
        web.goOn();
        web.await("end");

        assertThat(web.lines()).contains(EXPECTED.split(", ", -1));
      }
      var votes = Map.of(polls.counter("yes"), 0L, polls.counter("no"), 2L, crowded, 5L);
      await("the votes").until(() -> areTotals(votes));
    } finally {
      db.shutdown();
    }
  }

  /**
   * With the rules' variant once, which a project beside this one has: the SDK sends a click again
   * whose reply was lost, and the rules refuse it, but it has counted.
   */
  @Test
  void clickThatIsSentAgain_isNotCalledRefused() throws Exception {
    String emulator = Objects.requireNonNull(addresses.get("FIRESTORE_EMULATOR_HOST"));
    String totals =
        """
        {"counters": {"of": "counters/{counter}/shards", "sum": "count", "rules": "strict"}}""";
    String rules = EmulatedRules.print(totals, "--variants=once");
    EmulatedRules.publish(emulator, "demo-once", rules);
    var npm = Workspace.ofNpm();
    Files.writeString(
        npm.resolve("again.mjs"),
        """
        import {Firestore} from '@google-cloud/firestore';
        import {initializeApp} from 'firebase/app';
        import {connectFirestoreEmulator, getFirestore} from 'firebase/firestore';
        import {Counters as OnServer} from './node.js';
        import {Counters} from './web.js';
        const server = new OnServer(new Firestore({projectId: 'demo-once'})).counter('third');
        await server.create(3);
        const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
        const db = getFirestore(initializeApp({projectId: 'demo-once'}));
        connectFirestoreEmulator(db, host, Number(port), {mockUserToken: {sub: 'carol'}});
        const third = new Counters(db).withPass('carol', {once: true}).counter('third');
        await third.add();
        await third.add();
        console.log('counted');
        process.exit(0);
        """);

    assertThat(Home.run(npm, Map.of("FIRESTORE_EMULATOR_HOST", emulator), "node", "again.mjs"))
        .endsWith("counted\n");
    Firestore db = open("demo-once");
    try {
      var shards = db.collection("counters/third/shards").get().get();
      assertThat(shards.getDocuments().stream().mapToLong(shard -> shard.getLong("count")).sum())
          .isEqualTo(1);
    } finally {
      db.shutdown();
    }
  }

  /** Beside users who vote and take back; stopped, and repeated. */
  @Test
  void votes_areTakenBackOnAServer() throws Exception {
    String said = Home.run(Workspace.ofNpm(), addresses, "node", "polls-drive.mjs");

    assertThat(said).contains("polls cleared");
  }

  /** The printed code, stopped before its end, and repeated. */
  @Test
  void numbersToStartFrom_canBeStoppedAndRepeated() throws Exception {
    Firestore db = open();
    try {
      Path workspace = Workspace.ofNpm();
      String printed =
          ReadmeIT.snippets("deploy/clients/README.md", "js").stream()
              .filter(snippet -> snippet.contains("startFrom"))
              .collect(onlyElement());
      Files.writeString(workspace.resolve("starting-printed.mjs"), printed);
      Counters counters = FirestoreCounters.of(db);

      String said = Home.run(workspace, addresses, "node", "starting-drive.mjs");

      assertThat(said).contains("posts started 203", "page 125 12", "other 5 203 false");
      Counter likes = counters.counter("likes"); // other programs count there, too
      assertThat(db.document("counters/likes/shards/base").get().get().get("count"))
          .isEqualTo(1234L);
      var totals = Map.of(likes, likes.exactTotal().get().longValue());
      await("the totals").until(() -> areTotals(totals));
    } finally {
      db.shutdown();
    }
  }

  /** Makes what the recipes' servers make, and waits until the functions have all totals. */
  private static Counters makeCounters(Firestore db) throws Exception {
    Counters polls = FirestoreCounters.of(db).below("polls/p");
    polls.counter("yes").create(2).get();
    polls.counter("no").create(2).get();
    FirestoreCounters.of(db).below("polls/q").counter("yes").create(8).get();
    FirestoreCounters.of(db).below("polls/q").counter("no").create(1).get();
    FirestoreCounters.of(db).counter("offline").create(1).get();
    db.document("polls/p/rollups/foreign").set(Map.of("revenue", 5)).get();
    Map<Counter, Long> counted = new LinkedHashMap<>();
    counted.put(FirestoreCounters.of(db).counter("home"), 5L);
    Counters game = FirestoreCounters.of(db).below("games/g");
    counted.put(game.counter("max"), 7L);
    counted.put(game.counter("zoe"), 9L);
    counted.put(game.counter("ann"), 1L);
    Counters site = FirestoreCounters.of(db).below("sites/s");
    for (long hour = 0; hour < DAY; hour++) {
      counted.put(site.counter("clicks-2026-05-01T%02d".formatted(hour)), hour);
    }
    counted.put(site.counter("clicks-2026-05-02T00"), 100L);
    for (var each : counted.entrySet()) {
      each.getKey().create(1).get();
      each.getKey().add(each.getValue()).get();
    }
    await("all totals").until(() -> areTotals(counted));
    return polls;
  }

  private static boolean areTotals(Map<Counter, Long> expected) throws Exception {
    for (var each : expected.entrySet()) {
      var total = each.getKey().total().get();
      if (!total.exists() || total.longValue() != each.getValue()) {
        return false;
      }
    }
    return true;
  }

  private static Firestore open() {
    return open(Objects.requireNonNull(addresses.get("GOOGLE_CLOUD_PROJECT")));
  }

  private static Firestore open(String project) {
    return FirestoreOptions.newBuilder()
        .setProjectId(project)
        .setEmulatorHost(addresses.get("FIRESTORE_EMULATOR_HOST"))
        .build()
        .getService();
  }
}
