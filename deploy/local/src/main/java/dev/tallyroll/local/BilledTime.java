package dev.tallyroll.local;

import java.util.concurrent.TimeUnit;

/**
 * For how long Cloud Run would bill an instance: while it serves at least one request, in whole
 * slots of 100 ms (cloud.google.com/run/pricing, request-based billing). For use under one lock.
 */
final class BilledTime {
  private static final long SLOT = TimeUnit.MILLISECONDS.toNanos(100);

  private int requests;
  private long since;
  private long until = Long.MIN_VALUE;
  private long billed;

  void begin(long nanos) {
    if (requests++ == 0) {
      since = Math.max(nanos, until);
    }
  }

  void end(long nanos) {
    if (--requests == 0 && nanos > since) {
      long whole = (nanos - since + SLOT - 1) / SLOT * SLOT;
      billed += whole;
      until = since + whole;
    }
  }

  /** Until now, whole slots or not. */
  double seconds(long nanos) {
    return (billed + (requests > 0 ? Math.max(0, nanos - since) : 0)) / 1e9;
  }
}
