package dev.tallyroll.internal;

/**
 * What a roll-up says of itself. A document in a roll-up's place that says something else, or
 * nothing, is somebody else's, or was made with other settings: it is left alone.
 *
 * @param counter path of the counter's document
 * @param totalOf what is summed: see {@link TotalOf}
 */
public record Mark(String counter, String totalOf) {
  /** Both halves, for people. */
  @Override
  public String toString() {
    return counter + ": " + totalOf;
  }
}
