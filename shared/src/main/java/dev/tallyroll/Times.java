package dev.tallyroll;

import com.google.cloud.Timestamp;
import java.time.Instant;

/** Firestore's time stamps as instants, and back, without loss. */
public final class Times {
  private Times() {}

  public static Instant instant(Timestamp timestamp) {
    return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
  }

  public static Timestamp timestamp(Instant instant) {
    return Timestamp.ofTimeSecondsAndNanos(instant.getEpochSecond(), instant.getNano());
  }
}
