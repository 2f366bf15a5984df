package dev.tallyroll.timestamps;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;

/** A client that builds queries and never connects. */
final class Offline {
  static final Firestore FIRESTORE =
      FirestoreOptions.newBuilder()
          .setProjectId("offline")
          .setEmulatorHost("127.0.0.1:1")
          .build()
          .getService();

  private Offline() {}
}
