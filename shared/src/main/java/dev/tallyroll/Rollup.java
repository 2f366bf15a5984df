package dev.tallyroll;

import java.time.Instant;
import java.util.Optional;

/**
 * What a roll-up document says.
 *
 * @param total the counter's total at {@code asOf}
 * @param shards how many shard documents were summed
 * @param asOf the read time of the sum: the total is exact for what was committed by then
 * @param lease present while the counter is live
 * @param updateTime the version of the document, by Firestore's clock
 */
public record Rollup(
    Total total, long shards, Instant asOf, Optional<Lease> lease, Instant updateTime) {}
