package dev.tallyroll.simulation;

/** Plays worlds by their seeds. Entry for other class loaders, which bring a mutant of the code. */
public final class Seeds {
  private Seeds() {}

  /** Plays the world that is drawn from a seed. */
  interface Play {
    World world();

    /**
     * Plays it.
     *
     * @throws AssertionError if a promise was broken
     */
    void play();
  }

  /** One seed in ten is a world with late events. */
  static boolean isLate(long seed) {
    return seed % 10 == 7;
  }

  static Play of(long seed) {
    return isLate(seed) ? new LateEvents(seed) : new SeededWorld(seed);
  }

  /**
   * Plays worlds until one breaks a promise.
   *
   * @param withLibrary whether to play only those that have users of the client library
   * @return its seed; -1 if none of them does
   */
  public static long firstBroken(long first, long last, boolean withLibrary) {
    for (long seed = first; seed <= last; seed++) {
      if (withLibrary && (isLate(seed) || !SeededWorld.hasLibraryUsers(seed))) {
        continue;
      }
      try {
        of(seed).play();
      } catch (AssertionError | RuntimeException broken) {
        return seed;
      }
    }
    return -1;
  }
}
