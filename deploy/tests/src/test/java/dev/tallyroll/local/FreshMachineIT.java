package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.base.Splitter;
import com.google.common.hash.Hashing;
import com.sun.net.httpserver.HttpServer;
import dev.tallyroll.Home;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * README's first command in a container: few programs, no gcloud, an empty home, no locale, and a
 * folder with an accent. The emulators come from a server of this test.
 */
final class FreshMachineIT {
  private static final List<String> TOOLS =
      List.of(
          "bash",
          "cat",
          "curl",
          "cut",
          "dirname",
          "env",
          "find",
          "git",
          "head",
          "ls",
          "mkdir",
          "mkfifo",
          "mktemp",
          "mv",
          "od",
          "readlink",
          "rm",
          "sed",
          "sh",
          "sha256sum",
          "sleep",
          "sort",
          "tail",
          "tr",
          "wc");

  @TempDir private Path folder;

  private final Map<String, byte[]> served = new HashMap<>();
  private final List<String> asked = new ArrayList<>();
  private HttpServer server;

  @BeforeEach
  void serve() throws Exception {
    server =
        Loopback.serve(
            exchange -> {
              var name = exchange.getRequestURI().getPath();
              asked.add(name);
              var content = Objects.requireNonNullElse(served.get(name), new byte[0]);
              try (exchange) {
                exchange.sendResponseHeaders(200, 0);
                exchange.getResponseBody().write(content);
              }
            });
  }

  @AfterEach
  void stopServing() {
    server.stop(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {17, 25})
  void firstCommand_downloadsOnceAndShowsRightTotals(int version) throws Exception {
    Path java = jdk(version);
    Path clone = copy();
    publish(clone, version);

    String first = run(clone, java, "deploy/local/up --seconds 5");
    String second = run(clone, java, "deploy/local/lib/emulators " + version + " firestore pubsub");

    assertThat(first)
        .contains("downloading the Cloud Firestore emulator", "downloading the Pub/Sub emulator")
        .contains("ready: FIRESTORE_EMULATOR_HOST=");
    assertThat(second).startsWith("firestore\t").contains("/.cache/tallyroll/emulators/");
    assertThat(asked).hasSize(2);
  }

  /** This process's own, or one beside it. */
  private static Path jdk(int version) throws Exception {
    Path own = Path.of(System.getProperty("java.home"));
    if (Runtime.version().feature() == version) {
      return own;
    }
    var all = Objects.requireNonNull(own.getParent());
    var found =
        Home.list(all).stream()
            .filter(jdk -> Files.isExecutable(jdk.resolve("bin/jar")) && isOf(version, jdk))
            .findFirst();
    assumeTrue(found.isPresent(), "JDK " + version + " is not installed beside " + own);
    return found.orElseThrow();
  }

  private static boolean isOf(int version, Path jdk) {
    var said = Home.run(jdk, Map.of(), jdk.resolve("bin/java").toString(), "-version");
    return said.contains("version \"" + version);
  }

  /** A clone that is built: its files are links, but for the list of what is published. */
  private Path copy() throws Exception {
    Path clone = Files.createDirectories(Path.of("target", "fresh").toAbsolutePath()).resolve("é");
    Home.run(
        Home.ROOT,
        Map.of("CLONE", clone.toString(), "LC_ALL", "C.UTF-8"),
        "bash",
        "-c",
        """
        rm -rf "$CLONE" && mkdir -p "$CLONE/deploy/local/target" "$CLONE/functions/target"
        cp -al pom.xml shared "$CLONE" && cp -al deploy/firestore deploy/prices.json "$CLONE/deploy"
        mkdir -p "$CLONE/functions/fold/target"
        cp -al functions/{pom.xml,src} "$CLONE/functions"
        cp -al functions/target/function "$CLONE/functions/target"
        cp -al functions/fold/{pom.xml,src} "$CLONE/functions/fold"
        cp -al functions/fold/target/function "$CLONE/functions/fold/target"
        cp -al deploy/local/{pom.xml,src,lib,up} "$CLONE/deploy/local"
        cp -al deploy/local/target/{classes,libs,invokers} "$CLONE/deploy/local/target"
        mkdir "$CLONE/deploy/gcloud" && cp -al deploy/gcloud/jvm-options "$CLONE/deploy/gcloud"
        touch "$CLONE/deploy/local/target/built"
        rm "$CLONE/deploy/local/lib/emulators.published"
        """);
    return clone;
  }

  /** Publishes the emulators of this machine. */
  private void publish(Path clone, int version) throws Exception {
    var found =
        Home.run(
            Home.ROOT,
            Map.of(),
            Home.ROOT.resolve("deploy/local/lib/emulators").toString(),
            "" + version,
            "firestore",
            "pubsub");
    var lines = new StringBuilder();
    for (var line : Splitter.on('\n').omitEmptyStrings().split(found)) {
      List<String> emulator = Splitter.on('\t').splitToList(line);
      boolean isFirestore = emulator.get(0).equals("firestore");
      var content =
          isFirestore ? Files.readAllBytes(Path.of(emulator.get(1))) : zip(emulator.get(1));
      var name =
          isFirestore ? "/cloud-firestore-emulator-v1.0.0.jar" : "/pubsub-emulator-1.0.0.zip";
      served.put(name, content);
      lines.append(
          "%s %d %d %s %s%n"
              .formatted(
                  emulator.get(0),
                  version,
                  content.length,
                  Hashing.sha256().hashBytes(content),
                  Loopback.uri(server.getAddress().getPort(), name)));
    }
    Files.writeString(clone.resolve("deploy/local/lib/emulators.published"), lines);
  }

  /** The archive, as Google publishes it. */
  private static byte[] zip(String classPath) throws Exception {
    var bytes = new ByteArrayOutputStream();
    try (var zip = new ZipOutputStream(bytes, StandardCharsets.UTF_8)) {
      for (var jar : Splitter.on(':').split(classPath)) {
        zip.putNextEntry(new ZipEntry("pubsub-emulator/lib/" + Path.of(jar).getFileName()));
        zip.write(Files.readAllBytes(Path.of(jar)));
        zip.closeEntry();
      }
    }
    return bytes.toByteArray();
  }

  /** Runs the command on a machine that has only these programs; what it has printed. */
  private String run(Path clone, Path jdk, String command) {
    return Home.run(
        folder,
        Map.of("CLONE", clone.toString(), "JDK", jdk.toString(), "TOOLS", String.join(" ", TOOLS)),
        "bash",
        "-c",
        """
        mkdir -p bin home
        for tool in $TOOLS; do ln -sf "$(command -v $tool)" bin; done
        ln -sf "$JDK"/bin/ja{r,va} bin
        env -i PATH="$PWD/bin" HOME="$PWD/home" bash "$CLONE"/%s 2>&1
        """
            .formatted(command));
  }
}
