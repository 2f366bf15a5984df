package dev.tallyroll.local;

import java.util.concurrent.TimeUnit;

/**
 * The time that Cloud Run would bill for an instance: the time with at least one request, in whole
 * slots of 100 ms (cloud.google.com/run/pricing, request-based billing). Callers share one lock.
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

  /** The seconds until now; the current slot counts only as far as it has gone. */
  double seconds(long nanos) {
    return (billed + (requests > 0 ? Math.max(0, nanos - since) : 0)) / 1e9;
  }
}
