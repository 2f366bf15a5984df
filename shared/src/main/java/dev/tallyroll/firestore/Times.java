package dev.tallyroll.firestore;

import com.google.cloud.Timestamp;
import java.time.Instant;

/** Firestore's time stamps as instants, and back, without loss. */
final class Times {
  private Times() {}

  static Instant instant(Timestamp timestamp) {
    return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
  }

  static Timestamp timestamp(Instant instant) {
    return Timestamp.ofTimeSecondsAndNanos(instant.getEpochSecond(), instant.getNano());
  }
}
