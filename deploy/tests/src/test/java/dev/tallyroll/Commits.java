package dev.tallyroll;

import static dev.tallyroll.local.Answers.get;

import com.google.api.core.ApiFuture;
import com.google.api.gax.rpc.AbortedException;
import java.util.concurrent.ExecutionException;

/** Tells whether the emulator has accepted a commit. Stateless. */
public final class Commits {
  private Commits() {}

  /**
   * Whether a commit has succeeded. The emulator aborts one that has waited for its document for
   * two seconds: it has no effect.
   */
  public static boolean isAcknowledged(ApiFuture<?> commit) throws Exception {
    try {
      get(commit);
      return true;
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof AbortedException) {
        return false;
      }
      throw failure;
    }
  }
}
