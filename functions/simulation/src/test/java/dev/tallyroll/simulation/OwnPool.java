package dev.tallyroll.simulation;

import java.util.concurrent.ForkJoinPool;

/**
 * Runs a parallel stream on a pool of its own: code that other tests wait for uses the common one.
 */
public final class OwnPool {
  private OwnPool() {}

  /** Returns when the work is done; throws what it throws. */
  public static void run(Runnable work) {
    ForkJoinPool pool = new ForkJoinPool();
    try {
      pool.submit(work).join();
    } finally {
      pool.shutdown();
    }
  }
}
