package dev.tallyroll.simulation;

import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/** Plays worlds by their seeds. Other class loaders, which bring mutants, call this class. */
public final class Seeds {
  private static final int AT_ONCE = 64;

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
    return firstBroken(
        first, last, seed -> !ofTheLibrary || hasLibraryUsers(seed), seed -> of(seed).play());
  }

  /**
   * The first of the chosen seeds whose play fails; -1 if there is none. Plays some at once, in the
   * pool that it is called in.
   */
  static long firstBroken(long first, long last, LongPredicate isChosen, LongConsumer play) {
    for (long from = first; from <= last; from += AT_ONCE) {
      OptionalLong broken =
          LongStream.rangeClosed(from, Math.min(last, from + AT_ONCE - 1))
              .parallel()
              .filter(isChosen)
              .filter(seed -> isBroken(seed, play))
              .findFirst();
      if (broken.isPresent()) {
        return broken.getAsLong();
      }
    }
    return -1;
  }

  private static boolean isBroken(long seed, LongConsumer play) {
    try {
      play.accept(seed);
      return false;
    } catch (AssertionError | RuntimeException broken) {
      return true;
    }
  }
}
