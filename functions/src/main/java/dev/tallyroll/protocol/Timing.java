package dev.tallyroll.protocol;

import java.time.Duration;

/**
 * The protocol's three durations, all in Firestore's time.
 *
 * @param tick how often a live counter is summed; two writes closer than this are a burst
 * @param lease how long a counter stays live after a burst
 * @param slack longer than a commit may take to become visible after its own time stamp
 */
public record Timing(Duration tick, Duration lease, Duration slack) {}
