package dev.tallyroll.protocol;

import dev.tallyroll.internal.Sum;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The calls of Firestore that write totals. If one fails, it may have been carried out or not. */
public interface RollupWriter {
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
   * @param instead what was written in the change's place, such as {@link Change#owing}
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
}
