package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EmulatorFinderTest {
  private static final byte[] FIRESTORE = Archives.jar();
  private static final byte[] PUBSUB = Archives.jarWithMain("com.example.PubSub");
  private static final byte[] PUBSUB_ZIP =
      Archives.zip(Map.of("pubsub-emulator/lib/cloud-pubsub-emulator-all.jar", PUBSUB));

  @TempDir private Path home;

  private final List<String> progress = new ArrayList<>();

  @Test
  void namedFolder_isTakenFirst() throws Exception {
    givenFirebaseCache(home.resolve(".cache/firebase/emulators"));
    var folder = home.resolve("jars");
    var firestore = Archives.write(folder.resolve("cloud-firestore-emulator.jar"), FIRESTORE);
    var pubSub = Archives.write(folder.resolve("cloud-pubsub-emulator-0.8.20-all.jar"), PUBSUB);

    var found = find(Map.of("TALLYROLL_EMULATORS", folder.toString()));

    assertThat(found.firestore().classPath()).containsExactly(firestore);
    assertThat(found.firestore().mainClass())
        .isEqualTo("com.google.cloud.datastore.emulator.firestore.CloudFirestore");
    assertThat(found.pubSub().classPath()).containsExactly(pubSub);
    assertThat(found.pubSub().mainClass()).isEqualTo("com.example.PubSub");
  }

  @Test
  void namedFolderWithoutJars_isNotReplacedByAnother() throws Exception {
    givenFirebaseCache(home.resolve(".cache/firebase/emulators"));
    var empty = Files.createDirectory(home.resolve("empty"));

    assertThatThrownBy(() -> find(Map.of("TALLYROLL_EMULATORS", empty.toString())))
        .isInstanceOf(LocalCloudException.class)
        .hasMessageContaining("expected TALLYROLL_EMULATORS to hold the Cloud Firestore emulator")
        .hasMessageContaining(empty.toString());
  }

  @Test
  void gcloudSdk_isAskedForItsRoot() throws Exception {
    givenFirebaseCache(home.resolve(".cache/firebase/emulators"));
    var sdk = home.resolve("sdk");
    var firestore =
        Archives.write(
            sdk.resolve("platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"),
            FIRESTORE);
    var pubSub =
        Archives.write(
            sdk.resolve("platform/pubsub-emulator/lib/cloud-pubsub-emulator.jar"), PUBSUB);

    var found = find(Map.of("PATH", gcloudThat("echo " + sdk)));

    assertThat(found.firestore().classPath()).containsExactly(firestore);
    assertThat(found.pubSub().classPath()).containsExactly(pubSub);
  }

  @Test
  void gcloudInsideItsSdk_isNotAsked() throws Exception {
    var sdk = home.resolve("sdk");
    var path = gcloudThat("exit 1");
    Files.createDirectories(sdk);
    Files.move(home.resolve("bin"), sdk.resolve("bin"));
    Files.createDirectories(Path.of(path));
    Files.createSymbolicLink(home.resolve("bin/gcloud"), sdk.resolve("bin/gcloud"));
    var firestore =
        Archives.write(
            sdk.resolve("platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"),
            FIRESTORE);
    Archives.write(sdk.resolve("platform/pubsub-emulator/lib/cloud-pubsub-emulator.jar"), PUBSUB);

    var found = find(Map.of("PATH", path));

    assertThat(found.firestore().classPath()).containsExactly(firestore);
  }

  @Test
  void gcloudThatFails_isPassedOver() throws Exception {
    var cache = givenFirebaseCache(home.resolve(".cache/firebase/emulators"));

    var found = find(Map.of("PATH", gcloudThat("exit 1")));

    assertThat(found.firestore().classPath()).allMatch(jar -> jar.startsWith(cache));
  }

  @Test
  void firebaseCache_givesItsNewest() throws Exception {
    var cache = givenFirebaseCache(home.resolve("elsewhere"));
    var newest = Archives.write(cache.resolve("cloud-firestore-emulator-v1.19.10.jar"), FIRESTORE);
    var lib = cache.resolve("pubsub-emulator-0.8.20/pubsub-emulator/lib");

    var found = find(Map.of("FIREBASE_EMULATORS_PATH", cache.toString()));

    assertThat(found.firestore().classPath()).containsExactly(newest);
    assertThat(found.pubSub().classPath())
        .containsExactly(lib.resolve("a.jar"), lib.resolve("b.jar"));
  }

  @Test
  void machineWithoutEmulators_downloadsThemOnce() throws Exception {
    try (var firestore = TestServer.sending(FIRESTORE);
        var pubSub = TestServer.sending(PUBSUB_ZIP)) {
      var published = published(firestore, pubSub);

      var first = finder(Map.of(), published).find();
      int steps = progress.size();
      var second = finder(Map.of(), published).find();

      assertThat(first).isEqualTo(second);
      assertThat(first.firestore().classPath())
          .containsExactly(ours().resolve("cloud-firestore-emulator-v1.22.0.jar"));
      assertThat(first.pubSub().classPath())
          .containsExactly(
              ours()
                  .resolve(
                      "pubsub-emulator-0.8.35/pubsub-emulator/lib/cloud-pubsub-emulator-all.jar"));
      assertThat(progress).isNotEmpty().hasSize(steps);
    }
  }

  @Test
  void machineThatIsOffline_saysWhatHelps() throws Exception {
    Emulators published;
    try (var gone = TestServer.answering(500)) {
      published = published(gone, gone);
    }

    assertThatThrownBy(() -> finder(Map.of(), published).find())
        .isInstanceOf(LocalCloudException.class)
        .hasMessageContaining("The Cloud Firestore emulator was not found on this machine")
        .hasMessageContaining("gcloud components install cloud-firestore-emulator pubsub-emulator")
        .hasMessageContaining("TALLYROLL_EMULATORS");
  }

  private Path givenFirebaseCache(Path cache) throws Exception {
    Archives.write(cache.resolve("cloud-firestore-emulator-v1.19.9.jar"), FIRESTORE);
    Archives.write(cache.resolve("pubsub-emulator-0.8.2/pubsub-emulator/lib/a.jar"), PUBSUB);
    Archives.write(cache.resolve("pubsub-emulator-0.8.20/pubsub-emulator/lib/a.jar"), FIRESTORE);
    Archives.write(cache.resolve("pubsub-emulator-0.8.20/pubsub-emulator/lib/b.jar"), PUBSUB);
    return cache;
  }

  /** A folder for the path, with a gcloud that runs the command. */
  private String gcloudThat(String command) throws Exception {
    var script = "#!/bin/sh\n" + command + "\n";
    var gcloud =
        Archives.write(home.resolve("bin/gcloud"), script.getBytes(StandardCharsets.UTF_8));
    assertThat(gcloud.toFile().setExecutable(true)).isTrue();
    return home.resolve("bin").toString();
  }

  private static Emulators published(TestServer firestore, TestServer pubSub) throws Exception {
    var official = Emulators.OFFICIAL;
    return new Emulators(
        official
            .firestore()
            .publishedAs(
                new Download(
                    firestore.uri("/cloud-firestore-emulator-v1.22.0.jar"),
                    FIRESTORE.length,
                    Archives.sha256(FIRESTORE))),
        official
            .pubSub()
            .publishedAs(
                new Download(
                    pubSub.uri("/pubsub-emulator-0.8.35.zip"),
                    PUBSUB_ZIP.length,
                    Archives.sha256(PUBSUB_ZIP))));
  }

  private EmulatorFinder.EmulatorPrograms find(Map<String, String> environment) {
    return finder(environment, Emulators.OFFICIAL).find();
  }

  private EmulatorFinder finder(Map<String, String> environment, Emulators emulators) {
    var cache = EmulatorCache.below(home, new Downloader(progress::add));
    return new EmulatorFinder(environment, home, cache, emulators);
  }

  private Path ours() {
    return home.resolve(".cache/tallyroll/emulators");
  }
}
