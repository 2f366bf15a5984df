package dev.tallyroll.it;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.common.net.HostAndPort;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import java.util.Optional;
import java.util.UUID;

/** A test's own project in the Firestore emulator of others, which needs no other JVM. */
final class OwnProject implements AutoCloseable {
  private final String id = "demo-" + UUID.randomUUID().toString().substring(0, 8);
  private final String emulator;
  private final Firestore firestore;

  OwnProject(LocalCloud others) {
    emulator = others.firestoreHost();
    firestore =
        FirestoreOptions.newBuilder()
            .setProjectId(id)
            .setEmulatorHost(emulator)
            .build()
            .getService();
  }

  String id() {
    return id;
  }

  Firestore firestore() {
    return firestore;
  }

  /** For clouds in this project; several share its database, and nothing else. */
  LocalCloudOptions options() {
    return new LocalCloudOptions()
        .project(id)
        .attached(Optional.of(HostAndPort.fromString(emulator)))
        .log(line -> {});
  }

  @Override
  public void close() {
    firestore.shutdown();
  }
}
