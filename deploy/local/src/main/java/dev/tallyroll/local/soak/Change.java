package dev.tallyroll.local.soak;

import java.time.Instant;

/**
 * An increment as its client knows it. Immutable.
 *
 * @param delta what it adds
 * @param begun when it was first sent: it is in no total before that
 * @param known by when it surely was committed; {@link Instant#MAX} if that was never learnt
 */
record Change(long delta, Instant begun, Instant known) {
  boolean isKnown() {
    return known.isBefore(Instant.MAX);
  }
}
