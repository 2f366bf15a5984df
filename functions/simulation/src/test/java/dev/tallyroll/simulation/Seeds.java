package dev.tallyroll.simulation;

/** Plays worlds by their seeds. Other class loaders, which bring mutants, call this class. */
public final class Seeds {
  private Seeds() {}

  /** A world that is drawn from a seed. */
  interface Play {
    World world();

    /** What the world has, in words, for whoever looks for the cause of a failure. */
    String features();

    /**
     * Plays the world.
     *
     * @throws AssertionError if a promise was broken
     */
    void play();
  }

  /** Whether the seed's world has late events, as one in ten. */
  static boolean isLate(long seed) {
    return seed % 10 == 7;
  }

  /** Whether the functions of the seed's world count documents, as in one of ten. */
  static boolean isOfDocuments(long seed) {
    return seed % 10 == 3;
  }

  static Play of(long seed) {
    if (seed >= Script.FIRST) {
      return new Script(seed);
    }
    if (isOfDocuments(seed)) {
      return new DocumentsWorld(seed);
    }
    return isLate(seed) ? new LateEvents(seed) : new SeededWorld(seed);
  }

  private static boolean hasLibraryUsers(long seed) {
    return seed < Script.FIRST
        && !isLate(seed)
        && !isOfDocuments(seed)
        && Features.hasLibraryUsers(seed);
  }

  /**
   * Plays a seed's world.
   *
   * @return the world at its end
   * @throws AssertionError if a promise was broken; the message has the seed, what its world has,
   *     the faults so far, and the history
   */
  static World played(long seed, Play play) {
    World world = play.world();
    try {
      play.play();
    } catch (AssertionError | RuntimeException broken) {
      throw new AssertionError(
          "seed=%d: %s%n%s%nfaults %s%n%s"
              .formatted(
                  seed,
                  broken.getMessage(),
                  play.features(),
                  world.faults.counts,
                  world.history.lines()),
          broken);
    }
    return world;
  }

  /**
   * Plays worlds until one breaks a promise.
   *
   * @param ofTheLibrary whether only worlds whose users have the library are played
   * @return the seed of that world; -1 if there is none
   */
  public static long firstBroken(long first, long last, boolean ofTheLibrary) {
    for (long seed = first; seed <= last; seed++) {
      if (ofTheLibrary && !hasLibraryUsers(seed)) {
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
