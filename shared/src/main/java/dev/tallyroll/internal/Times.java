package dev.tallyroll.internal;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Precondition;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Firestore's time stamps as instants, and back, without loss. */
public final class Times {
  /** Before all other times: when something happened that never has, or ended that never began. */
  public static final Instant LONG_AGO = Instant.MIN;

  /** No setting makes a lease longer than this from the read of the sum that it is written with. */
  public static final Duration LONGEST_LEASE = Duration.ofMinutes(10);

  private Times() {}

  /** Converts a time that the client always returns, although its types allow null. */
  public static Instant instant(@Nullable Timestamp timestamp) {
    Timestamp time = Objects.requireNonNull(timestamp, "Firestore: expected a time; found none");
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }

  public static Timestamp timestamp(Instant instant) {
    return Timestamp.ofTimeSecondsAndNanos(instant.getEpochSecond(), instant.getNano());
  }

  /** Expects that a document has not changed since it was read, at that update time. */
  public static Precondition version(Instant updateTime) {
    return Precondition.updatedAt(timestamp(updateTime));
  }
}
