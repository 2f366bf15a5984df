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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The script {@code lib/emulators}, on a machine that has only the files of the test. */
final class EmulatorsTest {
  /** The programs that the script may call. */
  private static final String[] TOOLS = {
    "bash",
    "cat",
    "cut",
    "curl",
    "dirname",
    "mkdir",
    "mktemp",
    "mv",
    "od",
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
  private static final String PUBSUB_MAIN = "com.google.cloud.pubsub.testing.v1.Main";
  private static final String FIRESTORE_JAR = "cloud-firestore-emulator-v1.22.0.jar";
  private static final byte[] FIRESTORE = zip("a/Class.class", "code");
  private static final byte[] PUBSUB =
      zip("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nMain-Class: example.PubSub\r\n");
  private static final byte[] PUBSUB_ZIP =
      zip(
          "pubsub-emulator/lib/cloud-pubsub-emulator-all.jar",
          new String(PUBSUB, StandardCharsets.ISO_8859_1));

  /** Google's names: the last emulators for Java 17, and those that need Java 21. */
  private static final String FIRESTORE_17 = "cloud-firestore-emulator-v1.19.8.jar";

  private static final String PUBSUB_17 = "pubsub-emulator-0.8.17";
  private static final String PUBSUB_21 = "pubsub-emulator-0.8.35";

  @TempDir private Path folder;

  private final List<String> progress = new ArrayList<>();
  private final Map<String, byte[]> served = new HashMap<>();
  private HttpServer server;
  private int java = 17;

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

  @ParameterizedTest
  @CsvSource({"17, 17", "20, 17", "21, 21", "25, 21"})
  void download_isForTheRunningJava(int running, int needed) throws Exception {
    givenPublishedForTwo();
    java = running;

    var found = find(Map.of());

    assertThat(found).isEqualTo(find(Map.of())).isEqualTo(downloaded(needed));
    assertThat(progress).hasSize(2);
  }

  @Test
  void downloadsForTwoJavas_lieBesideEachOther() throws Exception {
    givenPublishedForTwo();
    java = 25;
    assertThat(find(Map.of())).isEqualTo(downloaded(21));

    java = 17;
    assertThat(find(Map.of())).isEqualTo(downloaded(17));
    java = 25;
    assertThat(find(Map.of())).isEqualTo(downloaded(21));
    assertThat(progress).hasSize(4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sdk/platform/%s", "home/.cache/firebase/emulators"})
  void emulatorForALaterJava_isPassedOver(String place) throws Exception {
    givenPublishedForTwo();
    script("bin/gcloud", "echo " + folder.resolve("sdk"));
    write(place.formatted("cloud-firestore-emulator") + "/" + FIRESTORE_JAR, firestore(21));
    var lib = place.contains("sdk") ? "/lib/" : "/" + PUBSUB_21 + "/pubsub-emulator/lib/";
    write(place.formatted("pubsub-emulator") + lib + "cloud-pubsub-emulator.jar", pubSub(21));

    assertThat(find(Map.of())).isEqualTo(downloaded(17));

    java = 21;
    assertThat(jarsOf(find(Map.of()), "firestore")).contains(place.substring(0, 3));
    assertThat(jarsOf(find(Map.of()), "pubsub")).contains(place.substring(0, 3));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void olderEmulatorInTheSameFolder_isTaken(boolean unzip) throws Exception {
    if (!unzip) {
      Files.delete(folder.resolve("bin/unzip"));
    }
    write("jars/" + FIRESTORE_JAR, firestore(21));
    var firestore = write("jars/" + FIRESTORE_17, firestore(17));
    write("jars/cloud-pubsub-emulator-0.8.35.jar", pubSub(21));
    var pubSub = write("jars/cloud-pubsub-emulator-0.8.17.jar", pubSub(17));

    assertThat(find(Map.of("TALLYROLL_EMULATORS", folder.resolve("jars").toString())))
        .isEqualTo(
            Map.of(
                "firestore", new Program(firestore.toString(), FIRESTORE_MAIN),
                "pubsub", new Program(pubSub.toString(), PUBSUB_MAIN)));
  }

  @Test
  void namedFolderForALaterJava_isRefusedInOneLine() throws Exception {
    givenPublishedForTwo();
    givenFirebaseCache("home/.cache/firebase/emulators");
    var jar = write("jars/" + FIRESTORE_JAR, firestore(21));

    var settings = Map.of("TALLYROLL_EMULATORS", folder.resolve("jars").toString());
    assertThatThrownBy(() -> find(settings))
        .hasMessage(
            "expected TALLYROLL_EMULATORS to hold a Cloud Firestore emulator for Java 17; found "
                + "%s, which needs Java 21. Use JDK 21 or later, or put there %s",
            jar, Loopback.uri(server.getAddress().getPort(), "/" + FIRESTORE_17));
    assertThat(progress).isEmpty();
  }

  @Test
  void nothingForThisJava_namesWhatWasFound() throws Exception {
    givenPublishedForTwo();
    served.clear();
    var jar = write("home/.cache/firebase/emulators/" + FIRESTORE_JAR, firestore(21));

    assertThatThrownBy(() -> find(Map.of()))
        .hasMessageContaining("could not be downloaded")
        .hasMessageContaining(
            "Or use JDK 21 or later: this is Java 17, and %s needs Java 21.", jar);
  }

  private void givenPublishedForTwo() throws Exception {
    var pubSub17 = new String(pubSub(17), StandardCharsets.ISO_8859_1);
    var pubSub21 = new String(pubSub(21), StandardCharsets.ISO_8859_1);
    var lib = "pubsub-emulator/lib/cloud-pubsub-emulator-all.jar";
    publish(
        publish("firestore 21", FIRESTORE_JAR, firestore(21))
            + publish("firestore 17", FIRESTORE_17, firestore(17))
            + publish("pubsub 21", PUBSUB_21 + ".zip", zip(lib, pubSub21))
            + publish("pubsub 17", PUBSUB_17 + ".zip", zip(lib, pubSub17)));
  }

  private Map<String, Program> downloaded(int needed) {
    var lib = "pubsub-emulator/lib/cloud-pubsub-emulator-all.jar";
    var firestore = ours().resolve(needed == 17 ? FIRESTORE_17 : FIRESTORE_JAR);
    var pubSub = ours().resolve(needed == 17 ? PUBSUB_17 : PUBSUB_21).resolve(lib);
    return Map.of(
        "firestore", new Program(firestore.toString(), FIRESTORE_MAIN),
        "pubsub", new Program(pubSub.toString(), PUBSUB_MAIN));
  }

  /** A jar without a manifest, as Firestore's is, whose main class is compiled for that Java. */
  private static byte[] firestore(int java) {
    return zip(FIRESTORE_MAIN.replace('.', '/') + ".class", mainClass(java));
  }

  private static byte[] pubSub(int java) {
    return zip(
        Map.of(
            "META-INF/MANIFEST.MF",
            "Manifest-Version: 1.0\r\nMain-Class: " + PUBSUB_MAIN + "\r\n",
            PUBSUB_MAIN.replace('.', '/') + ".class",
            mainClass(java)));
  }

  /** The beginning of a class file. Java 17 reads major version 61. */
  private static String mainClass(int java) {
    return "\u00ca\u00fe\u00ba\u00be\0\0\0" + (char) (java + 44) + "the rest";
  }

  private Map<String, Program> find(Map<String, String> settings) {
    var environment = new HashMap<>(settings);
    environment.put("HOME", folder.resolve("home").toString());
    environment.put("PATH", folder.resolve("bin").toString());
    return new Checkout(folder.resolve("root"))
        .emulators(java, environment, progress::add, "firestore", "pubsub");
  }

  private static String jarsOf(Map<String, Program> found, String emulator) {
    return Objects.requireNonNull(found.get(emulator)).classPath();
  }

  private void publish(byte[] firestore) throws Exception {
    publish(
        publish("firestore 17", FIRESTORE_JAR, firestore)
            + publish("pubsub 17", PUBSUB_21 + ".zip", PUBSUB_ZIP));
  }

  private void publish(String lines) throws Exception {
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
    return zip(Map.of(name, content));
  }

  private static byte[] zip(Map<String, String> files) {
    var bytes = new ByteArrayOutputStream();
    try (var zip = new ZipOutputStream(bytes)) {
      for (var file : files.entrySet()) {
        zip.putNextEntry(new ZipEntry(file.getKey()));
        zip.write(file.getValue().getBytes(StandardCharsets.ISO_8859_1));
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes.toByteArray();
  }

  private static String sha256(byte[] content) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
  }
}
