package dev.tallyroll.snippets;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.Home;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A folder below target with a snippet, its driver, and the packages that they need. So no test
 * leaves files in the sources. Each folder is made once. Thread-safe.
 */
public final class Workspace {
  public static final Path CLIENTS = Home.ROOT.resolve("deploy/clients");
  private static final Path DRIVERS = Path.of("src", "test", "resources", "clients");

  /** Debian's folder of packages for Go. */
  private static final Path GO_PACKAGES = Path.of("/usr/share/gocode");

  private static final Map<String, Path> READY = new ConcurrentHashMap<>();

  private Workspace() {}

  /** A folder with the package, the recipes, and the npm packages of the package's lock file. */
  public static Path ofNpm() {
    Home.needs("node");
    Home.needs("npm");
    return READY.computeIfAbsent("npm", Workspace::install);
  }

  private static Path install(String client) {
    String[] drivers = {
      "drive.mjs",
      "expect.mjs",
      "parity.mjs",
      "polls-drive.mjs",
      "recipes-drive.mjs",
      "starting-drive.mjs",
      "totals.mjs"
    };
    var folder = copy(client, client, drivers);
    bash(
        folder,
        """
        cp "$CLIENTS"/*.mjs .
        if ! cmp -s package-lock.json node_modules/installed.json; then
          npm ci --ignore-scripts --prefer-offline
          cp package-lock.json node_modules/installed.json
        fi
        """);
    return folder;
  }

  /**
   * Packs the npm package into a folder; returns what npm says of it. One at a time, since npm has
   * files among the sources meanwhile.
   */
  static synchronized JsonObject pack(Path folder) {
    String[] pack = {
      "npm", "pack", "--json", "--loglevel=error", "--pack-destination", "" + folder
    };
    String said = Home.run(CLIENTS.resolve("npm"), Map.of(), pack);
    var packed = JsonParser.parseString(said.substring(said.indexOf('['))).getAsJsonArray();
    return packed.get(0).getAsJsonObject();
  }

  /** A folder with checkers of packages, and the compiler of React Native's engine. */
  static Path ofJudges() {
    Home.needs("node");
    Home.needs("npm");
    return READY.computeIfAbsent("published", Workspace::download);
  }

  private static Path download(String client) {
    var folder = Path.of("target", "clients", client).toAbsolutePath();
    folder.toFile().mkdirs();
    bash(
        folder,
        """
        cp -R "$DRIVERS/published/." .
        npm ci --ignore-scripts --prefer-offline
        npm pack --prefer-offline --loglevel=error react-native@0.74.5
        mkdir -p hermes
        tar -xzf react-native-0.74.5.tgz -C hermes --strip-components=4 package/sdks/hermesc/linux64-bin
        """);
    return folder;
  }

  /** A folder with the app of likes, beside the package; its start installs what it needs. */
  public static Path ofLikes() {
    ofNpm();
    return READY.computeIfAbsent("examples/likes", client -> copy(client, client));
  }

  /** A program of the tests. */
  static Path driver(String name) {
    return DRIVERS.resolve(name);
  }

  /**
   * A folder with the client of an Android app, and in {@code lib} Android's SDK for the JVM, which
   * is downloaded. The classes that the SDK lacks there are stubs.
   */
  static Path ofAndroid() {
    Home.needs("mvn");
    return READY.computeIfAbsent("android", Workspace::assemble);
  }

  private static Path assemble(String client) {
    var folder = copy(client, client);
    bash(
        folder,
        """
        cp -R "$DRIVERS/android/." .
        mvn --batch-mode -q "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy-dependencies" -DoutputDirectory=lib
        "$JDK/bin/javac" --release 17 -proc:none -nowarn -cp 'lib/*' -d classes $(find . -name '*.java')
        """);
    return folder;
  }

  /** A folder with the Go program {@code drive}. */
  static Path ofGo() {
    Home.needs("go");
    assumeTrue(
        Files.isDirectory(GO_PACKAGES.resolve("src/cloud.google.com/go/firestore")),
        "golang-google-cloud-dev is not installed");
    return READY.computeIfAbsent("go", Workspace::build);
  }

  private static Path build(String client) {
    copy(client, "go/src/counter");
    var folder = copy(client, "go");
    bash(
        folder,
        """
        mkdir -p src/driver
        cp "$DRIVERS/drive.go" src/driver
        export GO111MODULE=off GOPATH="$PWD:%s" CGO_ENABLED=0
        go vet counter
        go build -o drive driver
        """
            .formatted(GO_PACKAGES));
    return folder;
  }

  /** Copies a client's files, and some of the drivers, to a folder below target. */
  private static Path copy(String client, String target, String... drivers) {
    var folder = Path.of("target", "clients", target).toAbsolutePath();
    folder.toFile().mkdirs();
    bash(folder, "find \"$CLIENTS/%s\" -maxdepth 1 -type f -exec cp {} . \\;".formatted(client));
    for (var driver : drivers) {
      bash(folder, "cp \"$DRIVERS/%s\" .".formatted(driver));
    }
    return folder;
  }

  private static void bash(Path folder, String script) {
    var environment =
        Map.of(
            "CLIENTS",
            CLIENTS.toString(),
            "DRIVERS",
            DRIVERS.toAbsolutePath().toString(),
            "JDK",
            System.getProperty("java.home"));
    Home.run(folder, environment, "bash", "-ec", script);
  }
}
