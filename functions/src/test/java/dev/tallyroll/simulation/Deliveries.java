package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.WakeUps;
import dev.tallyroll.simulation.Faults.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Delivers each event of a shard to handlers at least once, in any order, at any time. */
final class Deliveries {
  private static final int INSTANCES = 2;
  private static final Duration TIME_LIMIT = Duration.ofSeconds(60);

  private final World world;
  private final VirtualTime time;
  private final Faults faults;
  private final Layout layout;
  private final WakeUps wakeUps;
  private final boolean losing;
  private final List<Handler> handlers = new ArrayList<>();
  private int pending;

  private record Handler(World.Instance instance, ShardWrites writes) {}

  /** One delivery of an event, with its retries until it is acknowledged. */
  private final class Delivery {
    final CounterPath counter;
    final Optional<Instant> committed;
    boolean acknowledged;

    Delivery(CounterPath counter, Optional<Instant> committed) {
      this.counter = counter;
      this.committed = committed;
    }

    void attempt() {
      if (acknowledged) {
        return;
      }
      Handler handler = handlers.get(faults.random.nextInt(handlers.size()));
      if (faults.happens(Kind.HANDLER_CRASH, 0.01)) {
        time.after(faults.upTo(Duration.ofMillis(20)), () -> replace(handler));
      }
      handler.instance().execute(() -> handle(handler));
      time.after(TIME_LIMIT, this::again);
    }

    private void handle(Handler handler) {
      var unused =
          handler
              .writes()
              .written(counter, committed)
              .whenComplete(
                  (none, failure) -> {
                    if (failure == null) {
                      acknowledge();
                    } else {
                      time.after(faults.upTo(Duration.ofSeconds(10)), this::again);
                    }
                  });
    }

    private void again() {
      if (!acknowledged) {
        faults.happens(Kind.REDELIVERED_EVENT, 1);
        attempt();
      }
    }

    private void acknowledge() {
      if (!acknowledged) {
        acknowledged = true;
        pending--;
      }
    }
  }

  /**
   * @param losing whether some events are never delivered, so that only a sweep can find them
   */
  Deliveries(World world, Layout layout, WakeUps wakeUps, boolean losing) {
    this.world = world;
    this.time = world.time;
    this.faults = world.faults;
    this.layout = layout;
    this.wakeUps = wakeUps;
    this.losing = losing;
    for (int i = 0; i < INSTANCES; i++) {
      handlers.add(handler());
    }
  }

  int pending() {
    return pending;
  }

  void publish(CounterPath counter, Optional<Instant> committed) {
    if (losing && faults.happens(Kind.LOST_EVENT, 0.2)) {
      return;
    }
    deliver(counter, committed);
    if (faults.happens(Kind.DUPLICATE_EVENT, 0.1)) {
      deliver(counter, committed);
    }
  }

  private void deliver(CounterPath counter, Optional<Instant> committed) {
    pending++;
    Delivery delivery = new Delivery(counter, committed);
    Duration delay =
        faults.happens(Kind.LATE_EVENT, 0.03)
            ? faults.upTo(
                faults.random.nextInt(50) == 0 ? Duration.ofHours(24) : Duration.ofSeconds(90))
            : faults.upTo(Duration.ofMillis(100));
    time.after(delay, delivery::attempt);
  }

  private void replace(Handler handler) {
    handler.instance().crash();
    if (handlers.remove(handler)) {
      handlers.add(handler());
    }
  }

  private Handler handler() {
    World.Instance instance = world.instance();
    return new Handler(
        instance,
        new ShardWrites(
            world.connect(instance, layout), wakeUps, world.history, instance, world.timing));
  }
}
