package dev.tallyroll.simulation;

import dev.tallyroll.protocol.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** A function instance: an event loop with a clock of its own, which may be wrong, and a life. */
final class Instance implements EventLoop {
  private final VirtualTime time;
  private final Duration clockError;
  private boolean crashed;

  Instance(VirtualTime time, Duration clockError) {
    this.time = time;
    this.clockError = clockError;
  }

  /** From now on, nothing that it began goes on. */
  void crash() {
    crashed = true;
  }

  boolean isCrashed() {
    return crashed;
  }

  @Override
  public void execute(Runnable step) {
    time.after(
        Duration.ZERO,
        () -> {
          if (!crashed) {
            step.run();
          }
        });
  }

  @Override
  public Instant instant() {
    return time.now().plus(clockError);
  }

  @Override
  public CompletableFuture<Void> after(Duration delay) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    time.after(
        delay,
        () -> {
          if (!crashed) {
            passed.complete(null);
          }
        });
    return passed;
  }
}
