package dev.tallyroll.timestamps;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;

/** Clients that build queries and never connect. */
final class Offline {
  static final Firestore FIRESTORE = open();

  private Offline() {}

  static Firestore open() {
    return FirestoreOptions.newBuilder()
        .setProjectId("offline")
        .setEmulatorHost("127.0.0.1:1")
        .build()
        .getService();
  }
}
