package dev.tallyroll.protocol;

import dev.tallyroll.internal.Located;
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
  CompletableFuture<Optional<Written>> write(Located counter, Change change);

  /**
   * Whether the counter's own document shows this sum, or need not show it, since the document is
   * missing, something else is in the fields' places, or none are set ({@link TotalFields}).
   */
  default CompletableFuture<Boolean> shows(Located counter, Sum sum) {
    return CompletableFuture.completedFuture(true);
  }

  /**
   * What a write has done.
   *
   * @param version the roll-up's new update time
   * @param owesFields whether the fields of the counter's own document could not be written, and
   *     {@link Change#owing} was written in the change's place
   */
  record Written(Instant version, boolean owesFields) {
    /** A change that was written as it is. */
    public Written(Instant version) {
      this(version, /* owesFields= */ false);
    }
  }
}
