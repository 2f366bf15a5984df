package dev.tallyroll.simulation;

/** Entry for other class loaders, which bring a mutant of the protocol's code. */
public final class Seeds {
  private Seeds() {}

  /** One seed in ten is a world with late events. */
  static boolean isLate(long seed) {
    return seed % 10 == 7;
  }

  private static void play(long seed) {
    if (isLate(seed)) {
      new LateEvents(seed).play();
    } else {
      new World(seed).play();
    }
  }

  /**
   * Plays worlds until one breaks a promise.
   *
   * @param withLibrary whether to play only those that have users of the client library
   * @return its seed; -1 if none of them does
   */
  public static long firstBroken(long first, long last, boolean withLibrary) {
    for (long seed = first; seed <= last; seed++) {
      if (withLibrary && (isLate(seed) || !World.hasLibraryUsers(seed))) {
        continue;
      }
      try {
        play(seed);
      } catch (AssertionError | RuntimeException broken) {
        return seed;
      }
    }
    return -1;
  }
}
