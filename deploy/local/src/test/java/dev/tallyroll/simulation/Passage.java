package dev.tallyroll.simulation;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** How time passes on one side, until something has happened. */
interface Passage {
  /** Waits for the answer of a call. */
  <T> T get(CompletableFuture<T> call) throws Exception;

  /**
   * Waits until it has happened.
   *
   * @throws AssertionError if it has not come true within a bound
   */
  void until(String what, BooleanSupplier condition) throws Exception;
}
