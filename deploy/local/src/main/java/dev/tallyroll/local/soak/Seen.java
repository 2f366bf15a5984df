package dev.tallyroll.local.soak;

import java.time.Instant;

/**
 * A roll-up as a reader got it. Immutable.
 *
 * @param count its total
 * @param asOf what it is exact for
 * @param at when the reader got it
 */
record Seen(long count, Instant asOf, Instant at) {}
