package dev.tallyroll.local.up;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import dev.tallyroll.Home;
import dev.tallyroll.snippets.Workspace;
import java.io.BufferedReader;
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
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two people's use of {@code deploy/clients/examples/likes}, which its two commands start. */
@Order(1) // It takes the longest.
final class LikesIT {
  /** Prints the variables and the command, in place of running {@code up}, which would build. */
  private static final String PRINT =
      "exec() { env; printf '%s\\n' \"$*\"; }; . deploy/clients/examples/likes/up";

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
    var up = up();
    OPEN.add(() -> up.process().destroy());
    emulator = up.firestore();
    var server = new ProcessBuilder("npm", "--prefix", app.toString(), "start");
    server.redirectError(folder.resolve("server").toFile());
    server.environment().putAll(Map.of("FIRESTORE_EMULATOR_HOST", emulator, "PORT", "0"));
    var process = server.start();
    OPEN.add(() -> process.descendants().forEach(ProcessHandle::destroy));
    address = line(process.inputReader(UTF_8), "page: ");
  }

  private static UpProcess up() throws Exception {
    var lines = Home.run(Home.ROOT, Map.of(), "bash", "-c", PRINT).lines().toList();
    var command = lines.get(lines.size() - 1);
    assertThat(command).startsWith("deploy/local/up --firestore-port 8080 ");
    Map<String, String> settings =
        lines.stream()
            .filter(line -> line.matches("(COUNTERS|TOTAL_FIELD)=.*"))
            .map(line -> line.split("=", 2))
            .collect(Collectors.toMap(line -> line[0], line -> line[1]));
    var options = command.replace("deploy/local/up --firestore-port 8080 ", "").split(" ", -1);
    return UpProcess.start(folder.resolve("errors"), settings, List.of(options));
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

  @Test
  void click_showsAtOnceCountsOnceAndOrdersThePosts() {
    Page alice = open("alice");
    Page bob = open("bob");
    assertThat(like(alice, "Shards, and how many")).hasText("♥ 0");
    assertThat(like(bob, "Shards, and how many")).hasText("♥ 0");

    alice.context().setOffline(true);
    like(alice, "Shards, and how many").click();

    assertThat(like(alice, "Shards, and how many")).hasText("♥ 1");
    assertThat(like(alice, "Shards, and how many")).isDisabled();
    assertThat(like(bob, "Shards, and how many")).hasText("♥ 0");
    alice.context().setOffline(false);
    assertThat(like(bob, "Shards, and how many")).hasText("♥ 1");
    like(bob, "Shards, and how many").click();
    assertThat(like(alice, "Shards, and how many")).hasText("♥ 2");
    assertThat(alice.locator("li").first()).containsText("Shards, and how many");
  }

  /** Its shards are missing. */
  @Test
  void clickThatIsRefused_isTakenBack() throws Exception {
    assertThat(write("broken", "likes", "{\"integerValue\":\"0\"}", "owner")).isEqualTo(200);
    assertThat(write("broken", "num_shards", "{\"integerValue\":\"1\"}", "owner")).isEqualTo(200);
    assertThat(write("broken", "title", "{\"stringValue\":\"Broken\"}", "owner")).isEqualTo(200);
    Page page = open("alice");
    assertThat(like(page, "Broken")).hasText("♥ 0");

    like(page, "Broken").click();

    assertThat(page.locator("[role=status]")).containsText("the rules refuse it: no such shard");
    assertThat(like(page, "Broken")).hasText("♥ 0");
    assertThat(like(page, "Broken")).isEnabled();
  }

  /** The SDK sends a click again whose reply was lost; the rules refuse it, but it has counted. */
  @Test
  void clickThatIsSentAgain_isNotCalledRefused() throws Exception {
    var program =
        """
        import {initializeApp} from 'firebase/app';
        import {connectFirestoreEmulator, getFirestore} from 'firebase/firestore';
        import {Counters} from './web.js';
        const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
        const db = getFirestore(initializeApp({projectId: 'demo-tallyroll'}));
        connectFirestoreEmulator(db, host, Number(port), {mockUserToken: {sub: 'carol'}});
        const posts = new Counters(db, {counters: 'posts'}).withPass('carol', {once: true});
        await posts.counter('third').add();
        await posts.counter('third').add();
        console.log('counted');
        process.exit(0);
        """;
    var npm = Workspace.ofNpm();
    Files.writeString(npm.resolve("again.mjs"), program);

    assertThat(Home.run(npm, Map.of("FIRESTORE_EMULATOR_HOST", emulator), "node", "again.mjs"))
        .endsWith("counted\n");
  }

  @Test
  void author_editsThePostButNotItsLikes() throws Exception {
    assertThat(write("second", "title", "{\"stringValue\":\"Once again\"}", token("alice")))
        .isEqualTo(200);
    assertThat(write("second", "likes", "{\"integerValue\":\"9\"}", token("alice"))).isEqualTo(403);
    assertThat(write("second", "num_shards", "{\"integerValue\":\"9\"}", token("alice")))
        .isEqualTo(403);
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

  private static Locator like(Page page, String title) {
    return page.locator("li")
        .filter(new Locator.FilterOptions().setHasText(title))
        .locator("button");
  }
}
