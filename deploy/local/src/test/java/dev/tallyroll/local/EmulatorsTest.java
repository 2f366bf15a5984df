package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.tallyroll.local.ChildProcess.Program;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code lib/emulators}, on a machine that has only the files of the test. */
final class EmulatorsTest {
  /** The programs that the script may call. */
  private static final String[] TOOLS = {
    "bash",
    "cut",
    "curl",
    "dirname",
    "jar",
    "mkdir",
    "mktemp",
    "mv",
    "readlink",
    "rm",
    "sed",
    "sha256sum",
    "sort",
    "tail",
    "tr",
    "unzip",
    "wc"
  };

  private static final String FIRESTORE_MAIN =
      "com.google.cloud.datastore.emulator.firestore.CloudFirestore";
  private static final String FIRESTORE_JAR = "cloud-firestore-emulator-v1.22.0.jar";
  private static final byte[] FIRESTORE = zip("a/Class.class", "code");
  private static final byte[] PUBSUB =
      zip("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nMain-Class: example.PubSub\r\n");
  private static final byte[] PUBSUB_ZIP =
      zip(
          "pubsub-emulator/lib/cloud-pubsub-emulator-all.jar",
          new String(PUBSUB, StandardCharsets.ISO_8859_1));

  @TempDir private Path folder;

  private final List<String> progress = new ArrayList<>();
  private final Map<String, byte[]> served = new HashMap<>();
  private HttpServer server;

  @BeforeEach
  void makeMachine() throws Exception {
    server =
        Loopback.serve(
            exchange -> {
              var content = served.get(exchange.getRequestURI().getPath());
              try (exchange) {
                exchange.sendResponseHeaders(content == null ? 404 : 200, 0);
                exchange.getResponseBody().write(Objects.requireNonNullElse(content, new byte[0]));
              }
            });
    write("root/deploy/local/lib/emulators", Files.readAllBytes(Path.of("lib", "emulators")));
    publish(FIRESTORE);
    for (var tool : TOOLS) {
      script("bin/" + tool, "exec " + found(tool) + " \"$@\"");
    }
  }

  @AfterEach
  void stopServing() {
    server.stop(0);
  }

  @Test
  void namedFolder_isTakenFirst() throws Exception {
    givenFirebaseCache("home/.cache/firebase/emulators");
    var firestore = write("jars/cloud-firestore-emulator.jar", FIRESTORE);
    var pubSub = write("jars/cloud-pubsub-emulator-0.8.20-all.jar", PUBSUB);

    assertThat(find(Map.of("TALLYROLL_EMULATORS", folder.resolve("jars").toString())))
        .isEqualTo(programs(firestore.toString(), pubSub.toString()));
  }

  @Test
  void namedFolderWithoutJars_isNotReplacedByAnother() throws Exception {
    givenFirebaseCache("home/.cache/firebase/emulators");

    assertThatThrownBy(() -> find(Map.of("TALLYROLL_EMULATORS", folder.resolve("bin").toString())))
        .isInstanceOf(LocalCloudException.class)
        .hasMessageContaining("expected TALLYROLL_EMULATORS to hold the Cloud Firestore emulator")
        .hasMessageContaining(folder.resolve("bin").toString());
  }

  @Test
  void gcloud_isAskedForItsSdkUnlessItLiesThere() throws Exception {
    givenFirebaseCache("home/.cache/firebase/emulators");
    var sdk = givenSdk();
    var asked = script("bin/gcloud", "echo " + folder.resolve("sdk"));

    assertThat(find(Map.of())).isEqualTo(sdk);

    Files.delete(asked);
    Files.createSymbolicLink(asked, script("sdk/bin/gcloud", "exit 1"));

    assertThat(find(Map.of())).isEqualTo(sdk);
  }

  @Test
  void gcloudThatFails_isPassedOver() throws Exception {
    givenFirebaseCache("home/.cache/firebase/emulators");
    script("bin/gcloud", "exit 1");

    assertThat(jarsOf(find(Map.of()), "firestore")).contains(".cache/firebase");
  }

  @Test
  void firebaseCache_givesItsNewest() throws Exception {
    givenFirebaseCache("elsewhere");
    var cache = folder.resolve("elsewhere");
    var newest = write("elsewhere/cloud-firestore-emulator-v1.19.10.jar", FIRESTORE);

    var found = find(Map.of("FIREBASE_EMULATORS_PATH", cache.toString()));

    var lib = cache.resolve("pubsub-emulator-0.8.20/pubsub-emulator/lib");
    assertThat(found)
        .isEqualTo(programs(newest.toString(), lib.resolve("a.jar") + ":" + lib.resolve("b.jar")));
  }

  @Test
  void machineWithoutEmulators_downloadsThemOnce() throws Exception {
    var first = find(Map.of());
    var second = find(Map.of());

    assertThat(second).isEqualTo(first);
    assertThat(jarsOf(first, "firestore")).isEqualTo(ours().resolve(FIRESTORE_JAR).toString());
    assertThat(Path.of(jarsOf(first, "firestore"))).hasBinaryContent(FIRESTORE);
    assertThat(jarsOf(first, "pubsub"))
        .startsWith(ours().resolve("pubsub-emulator-0.8.35").toString());
    assertThat(Path.of(jarsOf(first, "pubsub"))).hasBinaryContent(PUBSUB);
    assertThat(progress).hasSize(2).allMatch(line -> line.startsWith("downloading the "));
    assertThat(filesOf(ours())).hasSize(2);
  }

  @Test
  void wrongChecksum_namesBothAndLeavesNoFile() throws Exception {
    var other = FIRESTORE.clone();
    other[7]++;
    publish(other);
    served.put("/" + FIRESTORE_JAR, FIRESTORE);

    assertThatThrownBy(() -> find(Map.of()))
        .hasMessageContaining("expected SHA-256 " + sha256(other))
        .hasMessageContaining("found " + sha256(FIRESTORE));
    assertThat(filesOf(ours())).isEmpty();
  }

  @Test
  void shortFile_namesBothSizes() throws Exception {
    served.put("/" + FIRESTORE_JAR, new byte[] {1, 2, 3});

    assertThatThrownBy(() -> find(Map.of()))
        .hasMessageContaining("expected %d bytes, found 3", FIRESTORE.length);
    assertThat(filesOf(ours())).isEmpty();
  }

  @Test
  void fileThatIsNotThere_saysWhatHelps() {
    served.clear();

    assertThatThrownBy(() -> find(Map.of()))
        .isInstanceOf(LocalCloudException.class)
        .hasMessageContaining("The Cloud Firestore emulator was not found on this machine")
        .hasMessageContaining("404")
        .hasMessageContaining("gcloud components install cloud-firestore-emulator pubsub-emulator")
        .hasMessageContaining("TALLYROLL_EMULATORS");
    assertThat(progress).hasSize(1);
  }

  private Map<String, Program> find(Map<String, String> settings) {
    var environment = new HashMap<>(settings);
    environment.put("HOME", folder.resolve("home").toString());
    environment.put("PATH", folder.resolve("bin").toString());
    return new Checkout(folder.resolve("root"))
        .emulators(environment, progress::add, "firestore", "pubsub");
  }

  private static String jarsOf(Map<String, Program> found, String emulator) {
    return Objects.requireNonNull(found.get(emulator)).classPath();
  }

  private void publish(byte[] firestore) throws Exception {
    var lines =
        publish("firestore", FIRESTORE_JAR, firestore)
            + publish("pubsub", "pubsub-emulator-0.8.35.zip", PUBSUB_ZIP);
    write("root/deploy/local/lib/emulators.published", lines.getBytes(StandardCharsets.UTF_8));
  }

  private String publish(String emulator, String name, byte[] content) throws Exception {
    served.put("/" + name, content);
    var source = Loopback.uri(server.getAddress().getPort(), "/" + name);
    return "%s %d %s %s%n".formatted(emulator, content.length, sha256(content), source);
  }

  private void givenFirebaseCache(String cache) throws Exception {
    write(cache + "/cloud-firestore-emulator-v1.19.9.jar", FIRESTORE);
    write(cache + "/pubsub-emulator-0.8.2/pubsub-emulator/lib/a.jar", PUBSUB);
    write(cache + "/pubsub-emulator-0.8.20/pubsub-emulator/lib/a.jar", FIRESTORE);
    write(cache + "/pubsub-emulator-0.8.20/pubsub-emulator/lib/b.jar", PUBSUB);
  }

  private Map<String, Program> givenSdk() throws Exception {
    var firestore =
        write("sdk/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar", FIRESTORE);
    var pubSub = write("sdk/platform/pubsub-emulator/lib/cloud-pubsub-emulator.jar", PUBSUB);
    return programs(firestore.toString(), pubSub.toString());
  }

  private static Map<String, Program> programs(String firestore, String pubSub) {
    return Map.of(
        "firestore", new Program(firestore, FIRESTORE_MAIN),
        "pubsub", new Program(pubSub, "example.PubSub"));
  }

  private Path script(String path, String command) throws Exception {
    var content = "#!" + found("bash") + "\n" + command + "\n";
    var file = write(path, content.getBytes(StandardCharsets.UTF_8));
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }

  private Path ours() {
    return folder.resolve("home/.cache/tallyroll/emulators");
  }

  private Path write(String path, byte[] content) throws IOException {
    var file = folder.resolve(path);
    Files.createDirectories(file.getParent());
    return Files.write(file, content);
  }

  private static List<Path> filesOf(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.toList();
    }
  }

  private static Path found(String tool) {
    return Stream.of(System.getenv("PATH").split(":"))
        .map(folder -> Path.of(folder, tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseGet(() -> Path.of(System.getProperty("java.home"), "bin", tool));
  }

  private static byte[] zip(String name, String content) {
    var bytes = new ByteArrayOutputStream();
    try (var zip = new ZipOutputStream(bytes)) {
      zip.putNextEntry(new ZipEntry(name));
      zip.write(content.getBytes(StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes.toByteArray();
  }

  private static String sha256(byte[] content) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
  }
}
