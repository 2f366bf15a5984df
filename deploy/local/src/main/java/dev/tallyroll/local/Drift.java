package dev.tallyroll.local;

/**
 * A total that a sweep has put right. Immutable.
 *
 * @param counter its path
 * @param was the total before, or "absent"
 * @param is the total since
 */
public record Drift(String counter, String was, String is) {}
