package dev.tallyroll.local;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/** The two emulators of a local cloud. Immutable. */
record Emulators(Emulator firestore, Emulator pubSub) {
  /**
   * English, as their messages are matched; the heap is bounded, as they would else take a quarter
   * of the machine.
   */
  static final List<String> JVM_OPTIONS = List.of("-Duser.language=en", "-Xmx1g");

  private static final String PUBLISHED =
      "https://storage.googleapis.com/firebase-preview-drop/emulator/";

  private static final Emulator FIRESTORE =
      new Emulator(
          "Cloud Firestore",
          "cloud-firestore-emulator*.jar",
          List.of("cloud-firestore-emulator*.jar"),
          Path.of("platform", "cloud-firestore-emulator"),
          "com.google.cloud.datastore.emulator.firestore.CloudFirestore",
          new Download(
              URI.create(PUBLISHED + "cloud-firestore-emulator-v1.22.0.jar"),
              136_707_194,
              "9b6498b7f62714d67f48f59b3818883cd682dbcd46b9f59511de81c97bb5166c"));

  private static final Emulator PUBSUB =
      new Emulator(
          "Pub/Sub",
          "*pubsub-emulator*.jar",
          List.of("pubsub-emulator*/lib/*.jar", "pubsub-emulator*/pubsub-emulator/lib/*.jar"),
          Path.of("platform", "pubsub-emulator", "lib"),
          "com.google.cloud.pubsub.testing.v1.Main",
          new Download(
              URI.create(PUBLISHED + "pubsub-emulator-0.8.35.zip"),
              53_015_972,
              "b0f3b73a14b716ecf8925b7b8a0c8c858ffabddcf03df8b2b7fba682f48dc616"));

  /** As Google publishes them for the Firebase tools. */
  static final Emulators OFFICIAL = new Emulators(FIRESTORE, PUBSUB);
}
