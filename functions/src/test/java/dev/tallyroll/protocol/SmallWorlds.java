package dev.tallyroll.protocol;

import java.util.Objects;

/** Entry for other class loaders, which bring a mutant of the protocol's code. */
public final class SmallWorlds {
  private SmallWorlds() {}

  /**
   * Explores small worlds until a promise is broken in one.
   *
   * @return the shortest history that does, as the number of its steps; -1 if there is none
   */
  public static long shortestBroken() {
    for (Bounds bounds : Bounds.worlds(0)) {
      try {
        new Exploration(bounds, 1).run();
      } catch (BrokenPromise broken) {
        return broken.steps();
      }
    }
    return -1;
  }

  /** A promise that does not hold, and the history that shows it. */
  static final class BrokenPromise extends AssertionError {
    private static final long serialVersionUID = 1L;
    private final int steps;

    BrokenPromise(String promise, SmallWorld world) {
      super("broken: " + Objects.requireNonNull(promise) + "\n" + world);
      this.steps = world.steps();
    }

    int steps() {
      return steps;
    }
  }
}
