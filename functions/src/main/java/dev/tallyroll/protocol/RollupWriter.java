package dev.tallyroll.protocol;

import dev.tallyroll.Total;
import dev.tallyroll.internal.Located;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The calls of Firestore that write totals. If one fails, it may have been carried out or not. */
public interface RollupWriter {
  /**
   * Writes a roll-up at the version that was read, and in the same commit its entry in the live
   * list. Costs one write or delete, and one more if the entry changes.
   *
   * @return the new update time; empty if the comparison failed and nothing was written
   */
  CompletableFuture<Optional<Instant>> write(Located counter, Change change);

  /**
   * Whether the counter's own document shows this total, or need not show it, since the document is
   * missing, something else is in the field's place, or TOTAL_FIELD is not set ({@link
   * TotalField}).
   */
  default CompletableFuture<Boolean> shows(Located counter, Total total) {
    return CompletableFuture.completedFuture(true);
  }
}
