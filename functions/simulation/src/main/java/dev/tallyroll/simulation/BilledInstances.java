package dev.tallyroll.simulation;

import dev.tallyroll.simulation.Pace.Assumed;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The instances of OnShardWritten, each billed while it handles an event, in slots. */
final class BilledInstances {
  private final VirtualTime time;
  private final Assumed assumed;
  private final int[] active;
  private final Instant[] billedUntil;
  private final Instant[] activeSince;
  private Duration billed = Duration.ZERO;

  BilledInstances(VirtualTime time, Assumed assumed, int number) {
    this.time = time;
    this.assumed = assumed;
    this.active = new int[number];
    this.billedUntil = new Instant[number];
    this.activeSince = new Instant[number];
    Arrays.fill(billedUntil, Instant.MIN);
    Arrays.fill(activeSince, Instant.MIN);
  }

  /** Handles an event on an instance. */
  void handle(int instance, Supplier<CompletableFuture<Void>> event) {
    Instant now = time.now();
    if (active[instance]++ == 0) {
      activeSince[instance] = now.isAfter(billedUntil[instance]) ? now : billedUntil[instance];
    }
    var unused =
        event
            .get()
            .whenComplete((none, failure) -> time.after(assumed.itself(), () -> ended(instance)));
  }

  /** The billed seconds; an event in progress counts until now. */
  double seconds() {
    Duration open =
        IntStream.range(0, active.length)
            .filter(i -> active[i] > 0)
            .mapToObj(i -> Duration.between(activeSince[i], time.now()))
            .filter(it -> !it.isNegative())
            .reduce(billed, Duration::plus);
    return open.toMillis() / 1e3;
  }

  private void ended(int instance) {
    if (--active[instance] == 0) {
      Duration took = Duration.between(activeSince[instance], time.now());
      Duration slots = SteadyLoad.inSlots(took, assumed.slot());
      billed = billed.plus(slots);
      billedUntil[instance] = activeSince[instance].plus(slots);
    }
  }
}
