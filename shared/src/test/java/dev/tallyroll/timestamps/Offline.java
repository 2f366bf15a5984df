package dev.tallyroll.timestamps;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;

/** A client that queries are built with and that is never connected. */
final class Offline {
  static final Firestore FIRESTORE =
      FirestoreOptions.newBuilder()
          .setProjectId("offline")
          .setEmulatorHost("127.0.0.1:1")
          .build()
          .getService();

  private Offline() {}
}
