package dev.tallyroll.simulation;

/** Entry for other class loaders, which bring a mutant of the protocol's code. */
public final class Seeds {
  private Seeds() {}

  /**
   * Plays worlds until one breaks a promise.
   *
   * @param withLibrary whether to play only those that have users of the client library
   * @return its seed; -1 if none of them does
   */
  public static long firstBroken(long seeds, boolean withLibrary) {
    for (long seed = 1; seed <= seeds; seed++) {
      if (withLibrary && !World.hasLibraryUsers(seed)) {
        continue;
      }
      try {
        new World(seed).play();
      } catch (AssertionError | RuntimeException broken) {
        return seed;
      }
    }
    return -1;
  }
}
