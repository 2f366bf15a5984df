package dev.tallyroll.local.up;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import dev.tallyroll.Home;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.it.TestTotals;
import dev.tallyroll.local.Answers;
import dev.tallyroll.local.Emulator;
import dev.tallyroll.snippets.ReadmeIT;
import dev.tallyroll.snippets.Workspace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code up} in its own JVM, as its script starts it. */
@Execution(ExecutionMode.CONCURRENT)
@Order(1) // It takes the longest.
final class UpIT {
  /** An export of an app that has likes, and shards of Firebase's extension. */
  @TempDir private static Path data;

  @TempDir private Path folder;
  private final List<Process> started = new ArrayList<>();

  @BeforeAll
  static void exportAnApp() throws Exception {
    var up =
        UpProcess.start(
            data.resolve("errors"),
            Map.of(),
            List.of("--traffic=none", "--export=" + data.resolve("export")));
    try {
      var app = connect(up.firestore());
      write(app, "posts/old", Map.of("title", "One"));
      for (int user = 0; user < 3; user++) {
        write(app, "posts/old/likes/user-" + user, Map.of());
      }
      write(app, "posts/none", Map.of("title", "Nobody likes it"));
      write(app, "posts/counted", Map.of("likes", 5));
      write(app, "posts/counted/_counter_shards_/a", Map.of("likes", 2, "visits", 3, "note", "x"));
      app.shutdown();
      up.closeInput();
      assertThat(up.exitCode()).isZero();
    } finally {
      up.process().destroy();
    }
  }

  private static String imported() {
    return "--import=" + data.resolve("export");
  }

  @AfterEach
  void endAll() {
    started.forEach(Process::destroy);
  }

  /** The emulator is somebody else's: it has a counter already, and goes on when up has ended. */
  @Test
  void attached_findsCountersAndTellsAWrongTotal() throws Exception {
    var emulator = Emulator.start(System.err::println);
    var firestore = connect(emulator.address());
    try (emulator) {
      write(firestore, "counters/mine/shards/0", Map.of("count", 3));
      var up = start("--attach", emulator.address());
      up.line(
          line ->
              line.matches("rules: with those of .+, anybody may write rollups/tried-by-up, .+"));
      var page = up.page();
      awaitTotal(firestore, "rollups/mine", 3);
      write(firestore, "counters/mine/shards/0", Map.of("count", 5));
      awaitTotal(firestore, "rollups/mine", 5);
      assertThat(state(page).getAsJsonObject("operations").get("sums").getAsLong()).isPositive();

      // As if the app named another project than up: here is no counter.
      Answers.get(firestore.document("counters/mine/shards/0").delete());
      var none = "Project demo-tallyroll of the emulator at " + emulator.address() + " holds no";
      await("advice").until(() -> up.complaints().contains(none));
      assertThat(state(page).get("advice").getAsString()).startsWith(none);
      write(firestore, "rooms/r1/counters/deep", Map.of("num_shards", 1));
      var outside =
          "rooms/r1/counters/deep does not count: \"counters\" is of counters/{counter}/shards.";
      await("advice").until(() -> up.complaints().contains(outside));

      // Now no sum of the shards can be stored, so the last good total stays.
      write(firestore, "counters/mine/shards/0", Map.of("count", 5));
      awaitTotal(firestore, "rollups/mine", 5);
      write(firestore, "counters/mine/shards/1", Map.of("count", Double.POSITIVE_INFINITY));
      up.line(line -> line.matches("[0-9:]+ {2}1 total, mine [0-9.]+ s behind: 5 of Infinity"));
      up.closeInput();

      up.line(line -> line.matches("wrong +mine is 5, and should be Infinity"));
      assertThat(up.exitCode()).isEqualTo(1);
      assertThat(Answers.get(firestore.document("rollups/mine").get()).get("count")).isEqualTo(5L);
    } finally {
      firestore.shutdown();
    }
  }

  /** Gets what the page asks for once a second. */
  private static JsonObject state(String page) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(page + "state")).build();
    var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    return JsonParser.parseString(answer.body()).getAsJsonObject();
  }

  private static void awaitTotal(Firestore firestore, String rollup, long total) {
    awaitNumber(firestore, rollup, "count", total);
  }

  private static void awaitNumber(
      Firestore firestore, String document, String field, long expected) {
    await("%s of %s: %s".formatted(field, document, expected))
        .until(
            () ->
                Objects.equals(
                    Answers.get(firestore.document(document).get()).get(field), expected));
  }

  /** A client of ours counts under the rules. */
  @Test
  void rooms_areCounted() throws Exception {
    Workspace.ofNpm();
    var up = start(totals(TestTotals.of("rooms/{room}/counters").text()), "--traffic=none");
    var address = up.firestore();
    var firestore = connect(address);
    try {
      FirestoreCounters.of(firestore).below("rooms/r1").counter("likes").create(3).get();
    } finally {
      firestore.shutdown();
    }
    runOnTheWeb(
        address,
        "rooms.mjs",
        """
        import {initializeApp} from 'firebase/app';
        import {connectFirestoreEmulator, getFirestore} from 'firebase/firestore';
        import {Counters} from 'tallyroll/web';

        const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
        const db = getFirestore(initializeApp({projectId: 'demo-tallyroll'}));
        connectFirestoreEmulator(db, host, Number(port), {mockUserToken: {user_id: 'me'}});
        const likes = new Counters(db).below('rooms/r1').counter('likes');
        likes.listen((total) => { if (total === 1) process.exit(0); });
        await likes.add(1);
        """);

    up.closeInput();
    up.line(line -> line.matches("wrong +none"));
    assertThat(up.exitCode()).isZero();
  }

  private static void runOnTheWeb(String address, String file, String program) throws Exception {
    var folder = Workspace.ofNpm();
    Files.writeString(folder.resolve(file), program);
    var environment =
        Map.of("FIRESTORE_EMULATOR_HOST", address, "GOOGLE_CLOUD_PROJECT", "demo-tallyroll");
    Home.run(folder, environment, "node", file);
  }

  /**
   * The first up runs the demo and the README's programs. Ctrl-C ends it, and it exports its data.
   * The second up imports that data, folds it under the user's own rules, and ends by SIGTERM.
   */
  @Test
  void demo_runsReadmesProgramsAndItsExportIsFolded() throws Exception {
    Workspace.ofNpm();
    var exported = folder.resolve("data");
    var demo = start("--traffic=10", "--host=0.0.0.0", "--export=" + exported);
    demo.line(line -> line.startsWith("ready: FIRESTORE_EMULATOR_HOST=127.0.0.1:"));
    var addresses = demo.line(line -> line.startsWith("export FIRESTORE_EMULATOR_HOST=127.0.0.1:"));
    var address = addresses.replaceAll(".*FIRESTORE_EMULATOR_HOST=([0-9.:]+).*", "$1");
    var connection = demo.line(line -> line.startsWith("connectFirestoreEmulator("));
    assertThat(forge(address, "(default)")).isEqualTo(403);
    demo.line(line -> line.matches("[0-9:]+ {2}[0-9]+ changes, 3 totals, .+"));
    runReadmesPrograms(address, connection);
    var before = connect(address);
    try {
      writeAsTheExtension(before);
      write(before, "counters/kept/shards/0", Map.of("count", 7));
    } finally {
      before.shutdown();
    }
    demo.line(line -> line.contains(" changes, 5 totals, "));

    demo.closeInput();

    demo.line(line -> line.matches("totals +5"));
    demo.line(line -> line.matches("wrong +none"));
    demo.line(line -> line.startsWith("lag "));
    assertThat(demo.exitCode()).isZero();
    assertThat(demo.complaints()).doesNotContain("\tat ");

    var rules = folder.resolve("own.rules");
    Files.writeString(
        rules,
        """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents/rollups/mine { allow write: if true; }
        }
        """);
    var again = folder.resolve("again");
    var fold = start("--fold", "--import=" + exported, "--rules=" + rules, "--export=" + again);
    var foldsAddress = fold.firestore();
    var after = connect(foldsAddress);
    try {
      assertThat(forge(foldsAddress, "(default)")).as("by the user's own rules").isEqualTo(200);
      await("a sweep")
          .untilAsserted(
              () ->
                  assertThat(Answers.get(after.document("pages/hello").get()).getData())
                      .isEqualTo(Map.of("title", "Hello", "visits", 1_302L)));
      assertThat(Answers.get(after.document("rollups/kept").get()).get("count")).isEqualTo(7L);
    } finally {
      after.shutdown();
    }
    var processes = fold.process().descendants().toList();

    fold.process().toHandle().destroy();

    assertThat(fold.exitCode()).isEqualTo(143);
    assertThat(fold.complaints()).doesNotContain("Exception");
    assertThat(processes).hasSizeGreaterThanOrEqualTo(4).noneMatch(ProcessHandle::isAlive);
    assertThat(text(again)).contains("rollups", "kept", "Hello");
  }

  /** Writes a count, a shard, and what the extension's workers have under way. */
  private static void writeAsTheExtension(Firestore firestore) throws Exception {
    var update = Map.of("_id_", "x", "_data_", Map.of("visits", 300));
    write(firestore, "pages/hello", Map.of("title", "Hello", "visits", 1_000));
    write(firestore, "pages/hello/_counter_shards_/4567", Map.of("visits", 2));
    write(firestore, "pages/hello/_counter_shards_/\t\t012", Map.of("_updates_", List.of(update)));
  }

  /**
   * Shards of an import lie where FOLD_DOCUMENTS does not look; then where it looks, and one of
   * their fields is left out. The demo's rules and clients follow the settings.
   */
  @Test
  void foldOfAnImport_tellsWhereItsShardsLie() throws Exception {
    var elsewhere = start("--fold", imported(), "--seconds=6");
    elsewhere.line(line -> line.matches("[0-9:]+ {2}0 totals"));
    var told =
        "Shards lie below posts/{post}, FOLD_DOCUMENTS names pages/{page}. To fold them, start with FOLD_DOCUMENTS='posts/{post}'.";
    elsewhere.line(line -> line.matches("wrong +" + Pattern.quote(told) + ".*"));
    assertThat(elsewhere.exitCode()).isEqualTo(1);
    assertThat(elsewhere.complaints()).contains(told);

    var settings = Map.of("FOLD_DOCUMENTS", "posts/{post}", "FOLD_FIELDS", "likes");
    var errors = folder.resolve("errors");
    var fold = UpProcess.start(errors, settings, List.of("--fold", imported()));
    started.add(fold.process());
    var address = fold.firestore();
    var firestore = connect(address);
    try {
      awaitNumber(firestore, "posts/counted", "likes", 7);
      assertThat(count(address, "posts/counted", "likes")).isEqualTo(200);
      assertThat(count(address, "posts/counted", "visits")).isEqualTo(403);
      assertThat(count(address, "pages/p1", "likes")).isEqualTo(403);
    } finally {
      firestore.shutdown();
    }
    fold.closeInput();
    fold.line(line -> line.matches("wrong +none"));
    fold.line(
        line -> line.matches("stays in shards +posts/counted visits: FOLD_FIELDS leaves it out.*"));
    assertThat(fold.exitCode()).isZero();
    assertThat(fold.complaints())
        .contains("warning: a value of a shard stays there (")
        .doesNotContainPattern("(field|shard): [,)]");

    var demo = UpProcess.start(errors, settings, List.of("--fold", "--seconds=6", "--traffic=30"));
    started.add(demo.process());
    demo.line(line -> line.startsWith("rules: those that deploy/gcloud/rules prints"));
    var names = state(demo.page()).getAsJsonArray("totals").get(0).getAsJsonObject();
    assertThat(names.getAsJsonArray("fold").toString()).isEqualTo("[\"posts/{post}\"]");
    demo.line(line -> line.matches("[0-9:]+ {2}[0-9]+ changes, 3 totals, .+"));
    demo.line(line -> line.matches("wrong +none"));
    assertThat(demo.exitCode()).isZero();
  }

  /** Counts a field on a new shard as a client that is signed in; returns the status. */
  private static int count(String address, String document, String field) throws Exception {
    var shard =
        "http://%s/v1/projects/demo-tallyroll/databases/(default)/documents/%s/_counter_shards_/%s"
            .formatted(address, document, "of-" + field);
    var increment =
        BodyPublishers.ofString("{\"fields\":{\"%s\":{\"integerValue\":\"1\"}}}".formatted(field));
    // the emulator takes an unsigned token
    var encoder = Base64.getUrlEncoder().withoutPadding();
    var token =
        Stream.of("{\"alg\":\"none\"}", "{\"user_id\":\"me\",\"sub\":\"me\"}", "")
            .map(part -> encoder.encodeToString(part.getBytes(StandardCharsets.UTF_8)))
            .collect(Collectors.joining("."));
    var request =
        HttpRequest.newBuilder(URI.create(shard))
            .header("Authorization", "Bearer " + token)
            .method("PATCH", increment)
            .build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode();
  }

  /** People rate posts, take it back, and edit; a person does so on the page. */
  @Test
  void ratingsDemo_isShownAndRightInTheEnd() throws Exception {
    var file =
        Files.writeString(
            folder.resolve("ratings.env"),
            """
            NAME=ratings # of posts
            TOTALS=totals.json
            WORKERS=
            """);
    totals(
        """
        {
          "ratings": {
            "of": "posts/{post}/ratings", "sum": "review.stars",
            "into": {"count": "ratings", "average": "average"},
            "rules": {"kind": "own", "values": [1, 5]}
          }
        }""");
    var up =
        UpProcess.start(
            folder.resolve("errors"), Map.of(), List.of("--settings=" + file, "--traffic=10"));
    started.add(up.process());
    var firestore = connect(up.firestore());
    try (var chromium = Chromium.start()) {
      up.line(
          line ->
              line.startsWith("rules: those that deploy/gcloud/rules prints for these settings;"));
      var page = chromium.open();
      page.navigate(up.page());
      var post = page.locator("article[data-counter='ratings of posts/third']");
      var mine = firestore.document("posts/third/ratings/me");

      PlaywrightAssertions.assertThat(post.locator(".count")).hasText("Add mine");
      post.locator(".count").click();
      PlaywrightAssertions.assertThat(post.locator(".count")).hasText("Remove mine");
      assertThat(Answers.get(mine.get()).get("review.stars")).isEqualTo(5L);
      post.locator("[name=n]").fill("2");
      post.locator(".add button").click();
      await("a changed rating").until(() -> ratingOf(mine) == 2);
      post.locator("[name=n]").fill("9");
      post.locator(".add button").click();
      PlaywrightAssertions.assertThat(page.locator("#notice"))
          .containsText(
              "Not done: the rules in force refuse posts/third/ratings/me with review.stars 9 (false for");
      PlaywrightAssertions.assertThat(post.locator("[data-figure=COUNT] dd")).not().hasText("none");
      PlaywrightAssertions.assertThat(post.locator(".figure")).containsText("average:");
      PlaywrightAssertions.assertThat(post.locator(".total")).containsText(".");
      post.locator(".count").click();
      PlaywrightAssertions.assertThat(post.locator(".count")).hasText("Add mine");
      PlaywrightAssertions.assertThat(page.locator("#make")).isHidden();

      up.closeInput();
      up.line(line -> line.matches("totals +3"));
      up.line(line -> line.matches("wrong +none"));
      up.line(line -> line.matches("changes +acknowledged +[1-9].*"));
      up.line(line -> line.matches("seen going backwards +0"));
      assertThat(up.exitCode()).isZero();
    } finally {
      firestore.shutdown();
    }
  }

  private static long ratingOf(DocumentReference rating) throws Exception {
    return Answers.get(rating.get()).get("review.stars") instanceof Long stars ? stars : 0;
  }

  /**
   * README's file, on the export of an app that has likes and has never had Tallyroll. Then its
   * first program, as printed but for the port: four likes by three people. Then its first lines.
   */
  @Test
  void likesOfAnImport_areCounted_andTheReadmesAreThree() throws Exception {
    assertThat(Files.readString(Home.ROOT.resolve("README.md")))
        .contains("\ndeploy/local/up --totals totals.json\n");
    assertThat(Files.readString(Home.ROOT.resolve("deploy/clients/README.md")))
        .contains("\ndeploy/local/up --totals totals.json --import data\n");
    var file = totals(ReadmeIT.snippets("README.md", "json").get(0));

    var up = start(file, imported());

    var address = up.firestore();
    var connection = up.line(line -> line.startsWith("connectFirestoreEmulator("));
    up.line(line -> line.equals("rules: none, so any client may do anything"));
    var firestore = connect(address);
    try {
      awaitNumber(firestore, "posts/old", "likes", 3);
      assertThat(Answers.get(firestore.document("posts/none").get()).getData())
          .isEqualTo(Map.of("title", "Nobody likes it"));
    } finally {
      firestore.shutdown();
    }
    var programs = ReadmeIT.snippets("README.md", "js");
    var folder = Workspace.ofNpm();
    Files.writeString(folder.resolve("likes.mjs"), withLine(programs.get(1), connection));
    var connected = programs.get(1).split("(?m)^await ", 2)[0];
    Files.writeString(
        folder.resolve("like.mjs"),
        withLine(connected, connection) + "const uid = 'joe';\n" + programs.get(0));
    for (var program : List.of("likes.mjs", "like.mjs")) {
      runOnTheWeb(
          address,
          "likes-wait.mjs",
          """
          const expected = %d;
          const seen = [];
          const shown = new Promise((done) => { console.log = (likes) => { seen.push(likes); if (likes === expected) done(); }; });
          await import('./%s');
          await shown;
          if (seen[0] !== 0 && expected === 3) throw new Error(`expected 0 first; found ${seen}`);
          process.exit(0);
          """
              .formatted(program.equals("likes.mjs") ? 3 : 4, program));
    }
  }

  /** Clients that do not name the database are refused, too. */
  @Test
  void namedDatabase_hasTheRulesThatAreSaid() throws Exception {
    var named = Map.of("FIRESTORE_DATABASE", "stats");
    var up = UpProcess.start(folder.resolve("errors"), named, List.of("--traffic=none"));
    started.add(up.process());
    var address = up.firestore();

    up.line(
        line ->
            line.startsWith(
                "rules: those that deploy/gcloud/rules prints for these settings in the database"
                    + " stats;"));
    assertThat(forge(address, "stats")).isEqualTo(403);
    assertThat(forge(address, "(default)")).isEqualTo(403);
  }

  /** The user's own rules let everybody write. Trying that leaves nothing behind. */
  @Test
  void rulesThatLetAnybodyWrite_areNotSaidToHold() throws Exception {
    var open = folder.resolve("open.rules");
    Files.writeString(
        open,
        """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents/{any=**} { allow write: if true; }
        }
        """);
    var up = start("--fold", "--traffic=none", "--rules=" + open);
    var firestore = connect(up.firestore());
    try {
      String shard = "pages/tried-by-up/_counter_shards_/tried-by-up";
      up.line(
          line ->
              line.equals(
                  "rules: with %s, anybody may write %s, signed in or not".formatted(open, shard)));
      assertThat(Answers.get(firestore.collectionGroup("_counter_shards_").get())).isEmpty();
      assertThat(Answers.get(firestore.collection("pages").get())).isEmpty();
    } finally {
      firestore.shutdown();
    }
  }

  /**
   * A program of a document with the line that up prints, which is the document's but for the port.
   */
  private static String withLine(String program, String connection) {
    var documents =
        Pattern.compile("(?m)^(connectFirestoreEmulator\\(.*;) +// the line .*$").matcher(program);
    assertThat(documents.find()).isTrue();
    assertThat(connection.replaceAll("[0-9]+, \\{", "8080, {")).isEqualTo(documents.group(1));
    return documents.replaceAll(Matcher.quoteReplacement(connection));
  }

  /**
   * The programs as they are printed, but for the port: a server creates a counter; a page counts
   * and listens, and counts without the package, too. Another program waits for the total.
   */
  private static void runReadmesPrograms(String address, String connection) throws Exception {
    var programs = ReadmeIT.snippets("README.md", "js");
    for (int time = 0; time < 2; time++) {
      runOnTheWeb(address, "server.mjs", programs.get(2));
    }
    var page = withLine(programs.get(3), connection);
    Files.writeString(Workspace.ofNpm().resolve("page.mjs"), page + programs.get(4));
    runOnTheWeb(
        address,
        "wait.mjs",
        """
        const shown = new Promise((done) => { console.log = (total) => { if (total === 2) done(); }; });
        await import('./page.mjs');
        await shown;
        process.exit(0);
        """);
  }

  /** All files of a folder, each byte as a character. */
  private static String text(Path folder) throws IOException {
    var text = new StringBuilder();
    try (var files = Files.walk(folder)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        text.append(Files.readString(file, StandardCharsets.ISO_8859_1));
      }
    }
    return text.toString();
  }

  @Test
  void interruptedStart_ends() throws Exception {
    var up = start("--traffic=none");

    up.closeInput();

    assertThat(up.exitCode()).isEqualTo(130);
    assertThat(up.complaints()).doesNotContain("Exception");
  }

  @Test
  void killed_takesItsChildrenAlong() throws Exception {
    var up = start("--traffic=none").process();
    var children = await("both emulators").until(() -> emulators(up), found -> found.size() == 2);

    up.destroyForcibly();

    await("the end of both").until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
  }

  private static List<ProcessHandle> emulators(Process up) {
    return up.children()
        .filter(child -> child.info().commandLine().orElse("").contains(".Leash "))
        .limit(2)
        .toList();
  }

  @Test
  void pagePortInUse_isToldFirst() throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var up = start("--page-port=" + taken.getLocalPort());

      assertThat(up.exitCode()).isEqualTo(3);
      assertThat(up.complaints())
          .startsWith("expected port " + taken.getLocalPort() + " of 127.0.0.1 to be free for the")
          .hasLineCount(1);
    }
  }

  /** Writes a file of totals; returns the option that names it. */
  private String totals(String text) throws IOException {
    return "--totals=" + Files.writeString(folder.resolve("totals.json"), text);
  }

  /** All mistakes of a file are told at once, before anything is started. */
  @Test
  void wrongTotals_areRefusedFirst() throws Exception {
    var up = start(totals("{\"likes\": {\"off\": 1}}"));

    assertThat(up.exitCode()).isEqualTo(2);
    assertThat(up.complaints())
        .contains("totals.json: likes.off: expected one of the keys of, ")
        .contains("totals.json: likes.of: expected the path of a collection")
        .hasLineCount(3);
  }

  /**
   * Two of them on one post, one of the same documents as another, one of another's totals; the
   * page has the totals of all in the fields of the app's documents, and a person's document.
   */
  @Test
  void severalEntries_areShownAndRightInTheEnd() throws Exception {
    var file =
        totals(
            """
            {
              "likes": {"of": "posts/{post}/likes", "into": {"count": "likes"}},
              "ratings": {
                "of": "posts/{post}/ratings", "sum": "stars", "into": {"average": "stars"},
                "rules": {"kind": "own", "values": [1, 9]}
              },
              "reviews": {"of": "posts/{post}/ratings", "into": {"count": "reviews"}},
              "followers": {
                "of": "users/{user}/followers", "document": "profiles/{user}",
                "into": {"count": "followers"}, "rules": "own"
              },
              "boosts": {
                "of": "groups/{group}/posts/{post}/boosts", "into": {"count": "boosts"}
              },
              "karma": {"of": "groups/{group}/posts", "sum": "boosts", "into": {"sum": "karma"}},
              "replies": {"of": "{parent=**}/comments/{comment}/replies"},
              "hits": {"of": "pages/{page}/hits", "events": false},
              "counters": {"of": "counters/{counter}/shards", "sum": "count"}
            }""");
    var up = start(file, "--traffic=10");
    var firestore = connect(up.firestore());
    try (var chromium = Chromium.start()) {
      var page = chromium.open();
      page.navigate(up.page());
      for (var shown :
          Map.of(
                  "replies of comments/first", "[0-9]+in replies_rollups/first",
                  "reviews of posts/first", "reviews:[0-9]+",
                  "followers of profiles/first", "followers:[0-9]+",
                  "karma of groups/demo", "karma:[0-9]+")
              .entrySet()) {
        page.locator("#search").fill(shown.getKey()); // it may be on the second page
        PlaywrightAssertions.assertThat(
                page.locator("article[data-counter='" + shown.getKey() + "'] .figure"))
            .hasText(Pattern.compile("\\s*" + shown.getValue() + "\\s*"));
      }
      page.locator("#search").fill("");
      PlaywrightAssertions.assertThat(page.locator(".group > header"))
          .containsText(
              new String[] {
                "likesnumber of posts/{post}/likes3 totals",
                "ratingssum of stars in posts/{post}/ratings3 totals",
                "reviewsnumber of posts/{post}/ratings3 totals",
                "followersnumber of users/{user}/followers3 totals",
                "boostsnumber of groups/{group}/posts/{post}/boosts3 totals",
                "karmasum of boosts in groups/{group}/posts1 total",
                "repliesnumber of {parent=**}/comments/{comment}/replies3 totals",
                "hitsnumber of pages/{page}/hits3 totals"
              });
      assertThat(Answers.get(firestore.document("profiles/first").get()).getData())
          .containsEntry("title", "First")
          .containsKey("followers");
      assertThat(up.complaints())
          .contains("the demo changes \"karma\" by way of \"boosts\", whose totals it sums");
      page.locator("#search").fill("ratings of posts/third");
      var post = page.locator("article[data-counter='ratings of posts/third']");
      post.locator(".count").click();
      PlaywrightAssertions.assertThat(post.locator(".count")).hasText("Remove mine");
      assertThat(Answers.get(firestore.document("posts/third/ratings/me").get()).get("stars"))
          .isEqualTo(9L);
      page.locator("#search").fill("followers of profiles/third");
      var follow = page.locator("article[data-counter='followers of profiles/third'] .count");
      PlaywrightAssertions.assertThat(follow)
          .hasAttribute("title", "writes users/third/followers/me");
      follow.click();
      PlaywrightAssertions.assertThat(follow).hasText("Remove mine");
      assertThat(Answers.get(firestore.document("users/third/followers/me").get()).getData())
          .containsOnlyKeys("at");
      page.locator("#search").fill("counters/views");
      var views = page.locator("article[data-counter='counters of counters/views']");
      views.locator(".count").click();
      PlaywrightAssertions.assertThat(views.locator(".exact")).not().hasText("0");

      up.closeInput();
      up.line(line -> line.matches("totals +2[0-9]"));
      up.line(line -> line.matches("wrong +none"));
      up.line(line -> line.matches("seen going backwards +0"));
      assertThat(up.exitCode()).isZero();
    } finally {
      firestore.shutdown();
    }
  }

  private UpProcess start(String... options) throws IOException {
    var errors = folder.resolve("errors-" + started.size());
    var up = UpProcess.start(errors, Map.of(), List.of(options));
    started.add(up.process());
    return up;
  }

  private static Firestore connect(String address) {
    return FirestoreOptions.newBuilder()
        .setProjectId("demo-tallyroll")
        .setEmulatorHost(address)
        .build()
        .getService();
  }

  private static void write(Firestore firestore, String document, Map<String, Object> fields)
      throws Exception {
    Answers.get(firestore.document(document).set(fields));
  }

  /** Writes a roll-up as a client that is not signed in; returns the status. */
  private static int forge(String address, String database) throws Exception {
    var document =
        "http://%s/v1/projects/demo-tallyroll/databases/%s/documents/rollups/mine"
            .formatted(address, database);
    var forgery = BodyPublishers.ofString("{\"fields\":{\"count\":{\"integerValue\":\"9\"}}}");
    var request = HttpRequest.newBuilder(URI.create(document)).method("PATCH", forgery).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode();
  }
}
