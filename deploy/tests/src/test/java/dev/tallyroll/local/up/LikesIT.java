package dev.tallyroll.local.up;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.tallyroll.Waiting.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions.HasAttributeOptions;
import dev.tallyroll.Home;
import dev.tallyroll.local.SecurityRules;
import dev.tallyroll.snippets.EmulatedRules;
import dev.tallyroll.snippets.Workspace;
import java.io.BufferedReader;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two people's use of {@code deploy/clients/examples/likes}, which its two commands start. */
@Order(1) // It takes the longest.
final class LikesIT {
  /** The script of the app, with the program of this build in the place of the command. */
  private static final String SCRIPT =
      """
      exec() { shift; builtin exec "$JAVA" -Dtallyroll.home="$ROOT" -XX:TieredStopAtLevel=1 -cp "$CLASSES" %s "$@"; }
      . deploy/clients/examples/likes/up
      """
          .formatted(Up.class.getName());

  private static final String DENIED = "permission-denied\n";

  @TempDir private static Path folder;
  private static final List<AutoCloseable> OPEN = new ArrayList<>();
  private static Chromium chromium;
  private static String emulator;
  private static String address;

  @BeforeAll
  static void start() throws Exception {
    var app = Workspace.ofLikes();
    chromium = Chromium.start();
    OPEN.add(chromium);
    var up = new ProcessBuilder("bash", "-c", SCRIPT).directory(Home.ROOT.toFile());
    up.redirectError(folder.resolve("errors").toFile());
    up.environment()
        .putAll(
            Map.of(
                "JAVA", ProcessHandle.current().info().command().orElseThrow(),
                "ROOT", Home.ROOT.toString(),
                "CLASSES", System.getProperty("java.class.path"),
                "FIRESTORE_PORT", "0"));
    var functions = up.start();
    OPEN.add(
        () -> {
          functions.destroy();
          functions.waitFor();
        });
    var ready = line(functions.inputReader(UTF_8), "ready: FIRESTORE_EMULATOR_HOST=");
    emulator = ready.replaceAll(" .*", "");
    var server = new ProcessBuilder("npm", "--prefix", app.toString(), "start");
    server.redirectError(folder.resolve("server").toFile());
    server.environment().putAll(Map.of("FIRESTORE_EMULATOR_HOST", emulator, "PORT", "0"));
    var process = server.start();
    OPEN.add(() -> process.descendants().forEach(ProcessHandle::destroy));
    address = line(process.inputReader(UTF_8), "page: ");
  }

  private static String line(BufferedReader lines, String start) throws Exception {
    var line = lines.readLine();
    while (line != null && !line.startsWith(start)) {
      line = lines.readLine();
    }
    assertThat(line).as("the server's line that begins with " + start).isNotNull();
    return line.substring(start.length());
  }

  @AfterAll
  static void stop() throws Exception {
    for (AutoCloseable each : OPEN) {
      each.close();
    }
  }

  /** Without the emulator, a sentence that says where it was looked for, and how to start it. */
  @Test
  void startWithoutTheEmulator_isToldAtOnce() throws Exception {
    var nowhere = "127.0.0.1:" + freePort();
    var server = new ProcessBuilder("npm", "--prefix", Workspace.ofLikes().toString(), "start");
    var said = folder.resolve("nowhere");
    server.redirectErrorStream(true).redirectOutput(said.toFile());
    server.environment().put("FIRESTORE_EMULATOR_HOST", nowhere);
    var process = server.start();
    OPEN.add(() -> process.descendants().forEach(ProcessHandle::destroy));

    assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("it ends").isTrue();
    assertThat(process.exitValue()).isEqualTo(1);
    assertThat(said)
        .content()
        .contains(
            "expected the Firestore emulator at "
                + nowhere
                + ", found ECONNREFUSED: start it with deploy/clients/examples/likes/up\n")
        .doesNotContain("    at ");
  }

  private static int freePort() throws Exception {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Test
  void click_showsAtOnceCountsOnceAndIsTakenBack() {
    Page alice = open("alice");
    Page bob = open("bob");
    assertThat(like(alice, "Shards, and how many")).hasText("♥ 0");
    assertThat(like(bob, "Shards, and how many")).hasText("♥ 0");

    alice.context().setOffline(true);
    like(alice, "Shards, and how many").click();

    assertThat(like(alice, "Shards, and how many")).hasText("♥ 1");
    assertThat(like(alice, "Shards, and how many")).hasAttribute("aria-pressed", "true");
    assertThat(like(bob, "Shards, and how many")).hasText("♥ 0");
    alice.context().setOffline(false);
    assertThat(like(bob, "Shards, and how many")).hasText("♥ 1");
    like(bob, "Shards, and how many").click();
    assertThat(like(alice, "Shards, and how many")).hasText("♥ 2");
    assertThat(alice.locator("li").first()).containsText("Shards, and how many");

    // An SDK that was offline may say for a moment that the like is gone; a click then likes again.
    await("the like to be taken back")
        .untilAsserted(
            () -> {
              like(alice, "Shards, and how many").click();
              assertThat(like(alice, "Shards, and how many"))
                  .hasAttribute(
                      "aria-pressed", "false", new HasAttributeOptions().setTimeout(5_000));
            });

    assertThat(like(bob, "Shards, and how many")).hasText("♥ 1");
    assertThat(like(alice, "Shards, and how many")).hasText("♥ 1");
  }

  @Test
  void ratings_areChangedTakenBackAndOrderThePosts() {
    Page alice = open("alice");
    Page bob = open("bob");
    alice.locator("#order").selectOption("stars_average");
    rate(alice, "Events come twice", "2");
    rate(bob, "Events come twice", "5");
    assertThat(post(bob, "Events come twice")).containsText("★ 3.5 of 2");

    rate(alice, "Events come twice", "4");

    assertThat(post(bob, "Events come twice")).containsText("★ 4.5 of 2");
    assertThat(alice.locator("li").first()).containsText("Events come twice");
    rate(alice, "Events come twice", "");
    rate(bob, "Events come twice", "");
    assertThat(post(bob, "Events come twice")).containsText("not rated");
  }

  /** The SDK takes back what the rules refuse, and the page says so. */
  @Test
  void ratingThatIsRefused_isTakenBack() {
    Page page = open("carol");
    var stars = post(page, "One document, many readers").locator(".stars");
    assertThat(stars).isEnabled();
    stars.evaluate("choice => { choice.options[5].value = '9'; }");

    stars.selectOption("9");

    assertThat(page.locator("[role=status]")).containsText("PERMISSION_DENIED");
    assertThat(stars).hasValue("");
    assertThat(post(page, "One document, many readers")).containsText("not rated");
  }

  /** File, rules and code of the guide, each as printed: in a project of its own. */
  @Test
  void guidesTotals_areCountedUnderItsRules() throws Exception {
    var file = guide("json").get(0);
    var own = Files.writeString(folder.resolve("own.rules"), guide("rules").get(0));
    attach("demo-guide", file);
    var printed = Served.by(Map.of("TOTALS", file)).rules(Optional.empty());
    EmulatedRules.publish(emulator, "demo-guide", SecurityRules.of(printed, List.of(own)).text());
    var code = guide("js");
    assertThat(code).hasSize(6); // the last is below

    run("await sdk.setDoc(sdk.doc(db, 'posts/p1'), {author: uid, title: 'P1', stars_average: 0});");
    run(code.get(0), "await setDoc(like, {});\nawait shown(1);");
    run(code.get(1), "await has('posts/p1', 'comments', 1);");
    run(code.get(2), "await has('posts/p1', 'stars_average', 4);");
    assertThat(run(code.get(2))).contains("P1: 4 of 1");
    run("await sdk.setDoc(sdk.doc(db, 'groups/g1'), {owner: uid, members: 0});");
    run(code.get(3), "await has('groups/g1', 'members', 1);");
    assertThat(run(code.get(3))).isEqualTo("1\n");
    runAs("bob", "await sdk.setDoc(sdk.doc(db, 'profiles/bob'), {name: 'Bob'});");
    run(code.get(4), "await shown(1);");

    var edit = change("posts/p1", "title: 'P2'");
    assertThat(run(edit)).isEqualTo("changed\n");
    for (var forgery :
        List.of(
            change("posts/p1", "comments: 9"),
            change("posts/p1", "likes: 9"),
            change("groups/g1", "members: 9"),
            change("profiles/ann", "followers: 9"))) {
      assertThat(run(forgery)).as(forgery).endsWith(DENIED);
    }
    for (var others : List.of(edit, change("groups/g1", "owner: uid"))) {
      assertThat(runAs("bob", others)).as(others).endsWith(DENIED);
    }
  }

  /** Runs the functions with a file of totals in a project of their own. */
  private static void attach(String project, String totals) throws Exception {
    var file = Files.writeString(folder.resolve(project + ".json"), totals);
    var up =
        UpProcess.start(
            folder.resolve(project),
            Map.of(),
            List.of("--totals=" + file, "--attach=" + emulator, "--project=" + project));
    OPEN.add(() -> up.process().destroy());
    up.ready();
  }

  /** The guide's second file: of what counts by its fields, and where. */
  @Test
  void guidesConditions_areCounted() throws Exception {
    attach("demo-some", guide("json").get(1));
    EmulatedRules.publish(
        emulator,
        "demo-some",
        """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents/{all=**} { allow read, write: if true; }
        }
        """);
    runIn(
        "demo-some",
        "ann",
        """
        const put = (path, data) => sdk.setDoc(sdk.doc(db, path), data);
        for (const path of ['articles/a1', 'teams/red', 'teams/blue', 'products/x', 'stats/app', 'films/f1']) await put(path, {title: 'x'});
        await put('articles/a1/comments/c1', {state: 'draft'});
        await put('tickets/t1', {teamId: 'red', open: true});
        await put('reviews/r1', {productId: 'x', stars: 3});
        await put('users/ann', {name: 'Ann'});
        await put('films/f1/ratings/ann', {stars: 1});
        await has('teams/red', 'openTickets', 1);
        await has('products/x', 'rating', 3);
        await has('stats/app', 'users', 1);
        await has('films/f1', 'stars.one', 1);
        """,
        guide("js").get(5),
        """
        await has('articles/a1', 'comments', 1);
        await has('teams/red', 'openTickets', 0);
        await has('teams/blue', 'openTickets', 1);
        await has('products/x', 'rating', 5);
        await has('films/f1', 'stars.one', 0);
        await has('films/f1', 'stars.five', 1);
        """);
  }

  /**
   * By the printed rules, users do not say whether their documents count, unless the file lets
   * them.
   */
  @Test
  void fieldsOfConditions_areTheServers() throws Exception {
    var totals =
        """
        {
          "likes": {"of": "posts/{post}/likes", "where": {"meta.shown": true}, "rules": "own"},
          "votes": {
            "of": "posts/{post}/votes", "where": {"yes": true}, "rules": {"kind": "own", "set": ["yes"]}
          }
        }""";
    EmulatedRules.publish(
        emulator,
        "demo-own",
        SecurityRules.of(Served.by(Map.of("TOTALS", totals)).rules(Optional.empty()), List.of())
            .text());
    for (var allowed :
        List.of(
            change("posts/p/likes/ann", "text: 'x'"),
            change("posts/p/likes/ann", "text: 'y'"),
            change("posts/p/votes/ann", "yes: true"),
            change("posts/p/votes/ann", "yes: false"))) {
      assertThat(runIn("demo-own", "ann", allowed)).as(allowed).isEqualTo("changed\n");
    }
    for (var refused :
        List.of(
            change("posts/p/likes/ann", "meta: {shown: true}"),
            change("posts/p/likes/ann", "meta: {shown: null}"),
            change("posts/q/likes/ann", "meta: {shown: true}"),
            change("posts/p/votes/bob", "yes: true"))) {
      assertThat(runIn("demo-own", "ann", refused)).as(refused).endsWith(DENIED);
    }
  }

  /** The app's entries are those of the guide. */
  @Test
  void totalsOfTheApp_areTheGuides() throws Exception {
    var file = Workspace.CLIENTS.resolve("examples/likes/totals.json");
    var guides = JsonParser.parseString(guide("json").get(0)).getAsJsonObject().entrySet();

    assertThat(JsonParser.parseString(Files.readString(file)).getAsJsonObject().entrySet())
        .isNotEmpty()
        .isSubsetOf(guides);
  }

  /** The guide's blocks in a language. */
  private static List<String> guide(String language) throws Exception {
    var page = Files.readString(Workspace.CLIENTS.resolve("README.md"));
    var guide = page.substring(page.indexOf("## Documents that"), page.indexOf("## Which call"));
    return Pattern.compile("(?ms)^```%s\n(.*?)^```$".formatted(language))
        .matcher(guide)
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  /** Code that changes a document, and shows why not. */
  private static String change(String document, String fields) {
    var update = "await sdk.setDoc(sdk.doc(db, '%s'), {%s}, {merge: true})";
    return update.formatted(document, fields)
        + ".then(() => show('changed'), ({code}) => show(code));";
  }

  private static String run(String... code) throws Exception {
    return runAs("ann", code);
  }

  /** Runs code as a page of a user's; returns what it shows. */
  private static String runAs(String user, String... code) throws Exception {
    return runIn("demo-guide", user, code);
  }

  private static String runIn(String project, String user, String... code) throws Exception {
    var npm = Workspace.ofNpm();
    var program =
        """
        import {initializeApp} from 'firebase/app';
        import * as sdk from 'firebase/firestore';
        const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
        const db = sdk.getFirestore(initializeApp({projectId: '%s'}));
        const uid = '%s';
        sdk.connectFirestoreEmulator(db, host, Number(port), {mockUserToken: {user_id: uid}});
        const seen = [];
        const show = (value) => { seen.push(value); console.log(value); };
        const until = async (done) => { while (!await done()) await new Promise((then) => { setTimeout(then, 50); }); };
        const shown = (value) => until(() => seen.includes(value));
        const has = (path, field, value) => until(async () => (await sdk.getDoc(sdk.doc(db, path))).get(field) === value);
        %s
        process.exit(0);
        """
            .formatted(project, user, String.join("\n", code));
    Files.writeString(npm.resolve("guide.mjs"), program);
    return Home.run(npm, Map.of("FIRESTORE_EMULATOR_HOST", emulator), "node", "guide.mjs");
  }

  @Test
  void author_editsThePostButNotItsFigures() throws Exception {
    assertThat(write("second", "title", "{\"stringValue\":\"Once again\"}", token("alice")))
        .isEqualTo(200);
    for (var field : List.of("likes", "ratings", "stars_average")) {
      assertThat(write("second", field, "{\"integerValue\":\"9\"}", token("alice")))
          .as(field)
          .isEqualTo(403);
      assertThat(write("new-" + field, field, "{\"integerValue\":\"9\"}", token("alice")))
          .as(field)
          .isEqualTo(403);
    }
  }

  /** Writes a field of a post; returns the status. */
  private int write(String post, String field, String value, String token) throws Exception {
    var document =
        "http://%s/v1/projects/demo-tallyroll/databases/(default)/documents/posts/%s"
            + "?updateMask.fieldPaths=%s";
    var request =
        HttpRequest.newBuilder(URI.create(document.formatted(emulator, post, field)))
            .header("Authorization", "Bearer " + token)
            .method(
                "PATCH",
                BodyPublishers.ofString("{\"fields\":{\"%s\":%s}}".formatted(field, value)));
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.discarding()).statusCode();
  }

  /** A token that nobody has signed, as the emulator takes it. */
  private static String token(String user) {
    var part = Base64.getUrlEncoder().withoutPadding();
    return part.encodeToString("{\"alg\":\"none\"}".getBytes(UTF_8))
        + "."
        + part.encodeToString("{\"sub\":\"%s\"}".formatted(user).getBytes(UTF_8))
        + ".";
  }

  private Page open(String user) {
    Page page = chromium.open();
    page.navigate(address + "#" + user);
    return page;
  }

  private static Locator post(Page page, String title) {
    return page.locator("li").filter(new Locator.FilterOptions().setHasText(title));
  }

  private static Locator like(Page page, String title) {
    return post(page, title).locator("button");
  }

  private static void rate(Page page, String title, String stars) {
    post(page, title).locator(".stars").selectOption(stars);
  }
}
