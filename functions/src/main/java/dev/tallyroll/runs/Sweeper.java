package dev.tallyroll.runs;

import java.util.concurrent.CompletableFuture;

/** Looks at documents whose events may have been lost. For the event loop only. */
public interface Sweeper {
  /**
   * Sweeps.
   *
   * @return LATE if it looks at everything, and its time was up
   */
  CompletableFuture<Pass.End> run(PassKind kind);
}
