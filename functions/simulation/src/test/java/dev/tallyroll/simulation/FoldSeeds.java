package dev.tallyroll.simulation;

/** Plays worlds that fold by their seeds. Other class loaders, which bring mutants, call this. */
public final class FoldSeeds {
  private FoldSeeds() {}

  /**
   * Plays worlds until one breaks a promise.
   *
   * @param ofTheLibrary where a mistake is; all worlds run the code of all places
   * @return the seed of that world; -1 if there is none
   */
  public static long firstBroken(long first, long last, boolean ofTheLibrary) {
    return Seeds.firstBroken(first, last, seed -> true, seed -> new FoldWorld(seed).play());
  }
}
