package dev.tallyroll;

import java.time.Instant;

/**
 * What a counter's roll-up document says, for readers.
 *
 * @param total exact for what was committed by {@code asOf}; not {@linkplain Total#isUsable usable}
 *     if somebody else than the functions wrote the document
 * @param asOf Firestore's time of the sum; {@link Instant#EPOCH} if the document has none
 * @param isLive whether the counter is busy: its total is then renewed about once a second
 */
public record RolledUpTotal(Total total, Instant asOf, boolean isLive) {

  /** What readers see of a roll-up. */
  public static RolledUpTotal of(Rollup rollup) {
    return new RolledUpTotal(rollup.total(), rollup.asOf(), rollup.lease().isPresent());
  }
}
