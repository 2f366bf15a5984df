package dev.tallyroll.it;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import java.util.UUID;

/** A test's own project in the emulators of others, which needs no other JVM. */
final class OwnProject implements AutoCloseable {
  private final String id = "demo-" + UUID.randomUUID().toString().substring(0, 8);
  private final LocalCloud others;
  private final Firestore firestore;

  OwnProject(LocalCloud others) {
    this.others = others;
    firestore =
        FirestoreOptions.newBuilder()
            .setProjectId(id)
            .setEmulatorHost(others.firestoreHost())
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
    return new LocalCloudOptions().project(id).beside(others).log(line -> {});
  }

  @Override
  public void close() {
    firestore.shutdown();
  }
}
