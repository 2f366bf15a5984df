package dev.tallyroll.protocol;

import dev.tallyroll.internal.Mark;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Roll-ups in Firestore. If a write fails, Firestore may have applied it. */
public interface RollupStore {
  /** Reads a roll-up strongly. Costs one document read. */
  CompletableFuture<Reading> read(CounterId counter);

  /**
   * Writes a roll-up at the version that was read, and in the same commit its entry in the live
   * list. Costs one write or delete, and one more if the entry changes.
   *
   * @return empty if the comparison failed and nothing was written
   */
  CompletableFuture<Optional<Written>> write(CounterId counter, Change change);

  /**
   * Whether the counter's own document shows this sum, or need not show it, since the document is
   * missing, something else is in the fields' places, or none are set ({@link TotalFields}).
   */
  default CompletableFuture<Boolean> shows(CounterId counter, Sum sum) {
    return CompletableFuture.completedFuture(true);
  }

  /**
   * What a write has done.
   *
   * @param version the roll-up's new update time; empty if there is to be no roll-up
   * @param instead what was written in the change's place, such as {@link Change#retryFieldsLater}
   */
  record Written(Optional<Instant> version, Optional<Change> instead) {
    /** The counter has no document of its own that could show a total. */
    public static final Written NOTHING = new Written(Optional.empty(), Optional.empty());

    /** A change that was written as it is. */
    public Written(Instant version) {
      this(Optional.of(version), Optional.empty());
    }

    /** The same, of another change. */
    Written instead(Change other) {
      return new Written(version, instead.or(() -> Optional.of(other)));
    }
  }

  /**
   * A read of a roll-up's place, which may hold nothing, or a foreign document.
   *
   * @param foreign the mark of a foreign document, or what is there in the place of one
   * @param readTime Firestore's time of the read
   */
  record Reading(Optional<Rollup> rollup, Optional<Mark> foreign, Instant readTime) {
    /** A read that has found no foreign document. */
    public Reading(Optional<Rollup> rollup, Instant readTime) {
      this(rollup, Optional.empty(), readTime);
    }
  }
}
