package dev.tallyroll.client;

import java.util.concurrent.ThreadLocalRandom;

/** Seeds of random tests: {@code -Dtallyroll.seed=N} runs one again. Stateless. */
final class Seeds {
  private Seeds() {}

  static long next() {
    return Long.getLong("tallyroll.seed", ThreadLocalRandom.current().nextInt(1_000_000));
  }
}
