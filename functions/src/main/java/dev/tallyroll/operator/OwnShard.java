package dev.tallyroll.operator;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Precondition;
import dev.tallyroll.internal.Times;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.ExecutionException;

/**
 * A shard that nobody else writes. The client repeats a call whose answer was lost; the version
 * keeps such a call from counting twice. For one thread.
 */
final class OwnShard {
  private final DocumentReference shard;
  private final FieldPath field;
  private Timestamp version;

  /** One that is there, at this version. */
  OwnShard(DocumentReference shard, FieldPath field, Timestamp version) {
    this.shard = shard;
    this.field = field;
    this.version = version;
  }

  /** Adds one; returns the time of the commit. */
  Instant increment() throws ExecutionException, InterruptedException {
    Timestamp before = version;
    try {
      version =
          shard
              .update(Precondition.updatedAt(before), field, FieldValue.increment(1))
              .get()
              .getUpdateTime();
    } catch (ExecutionException refused) { // it may have taken effect all the same
      version = Objects.requireNonNull(shard.get().get().getUpdateTime(), "no shard");
      if (version.equals(before)) {
        throw refused;
      }
    }
    return Times.instant(version);
  }
}
