package dev.tallyroll.simulation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Takes the simulation's steps. */
record VirtualPassage(VirtualTime time) implements Passage {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Override
  public <T> T get(CompletableFuture<T> call) {
    until("an answer", call::isDone);
    return call.join();
  }

  @Override
  public void until(String what, BooleanSupplier condition) {
    time.run(LIMIT, condition);
    if (!condition.getAsBoolean()) {
      throw new AssertionError("expected within " + LIMIT + " of virtual time: " + what);
    }
  }
}
