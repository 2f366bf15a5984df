package dev.tallyroll.simulation;

import dev.tallyroll.simulation.Faults.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Delivers each event of a shard to handlers at least once, in any order, at any time.
 *
 * @param <T> an event
 */
final class Deliveries<T> {
  private static final int INSTANCES = 2;
  private static final Duration TIME_LIMIT = Duration.ofSeconds(60);

  private final World world;
  private final VirtualTime time;
  private final Faults faults;
  private final Function<World.Instance, Function<T, CompletableFuture<Void>>> functions;
  private final boolean losing;
  private final List<Handler<T>> handlers = new ArrayList<>();
  private final Map<T, Integer> pending = new HashMap<>();

  private record Handler<T>(
      World.Instance instance, Function<T, CompletableFuture<Void>> function) {}

  /** One delivery of an event, with its retries until it is acknowledged. */
  private final class Delivery {
    final T event;
    boolean acknowledged;

    Delivery(T event) {
      this.event = event;
    }

    void attempt() {
      if (acknowledged) {
        return;
      }
      Handler<T> handler = handlers.get(faults.random.nextInt(handlers.size()));
      if (faults.happens(Kind.HANDLER_CRASH, 0.01)) {
        time.after(faults.upTo(Duration.ofMillis(20)), () -> replace(handler));
      }
      handler.instance().execute(() -> handle(handler));
      time.after(TIME_LIMIT, this::again);
    }

    private void handle(Handler<T> handler) {
      var unused =
          handler
              .function()
              .apply(event)
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
        pending.computeIfPresent(event, (same, count) -> count == 1 ? null : count - 1);
      }
    }
  }

  /**
   * @param functions makes what runs on an instance
   * @param losing whether some events are never delivered, so that only a sweep can find them
   */
  Deliveries(
      World world,
      Function<World.Instance, Function<T, CompletableFuture<Void>>> functions,
      boolean losing) {
    this.world = world;
    this.time = world.time;
    this.faults = world.faults;
    this.functions = functions;
    this.losing = losing;
    for (int i = 0; i < INSTANCES; i++) {
      handlers.add(handler());
    }
  }

  /** The number of events that are not acknowledged yet. */
  int pending() {
    return pending.size();
  }

  boolean isPending(Predicate<T> some) {
    return pending.keySet().stream().anyMatch(some);
  }

  void publish(T event) {
    if (losing && faults.happens(Kind.LOST_EVENT, 0.2)) {
      return;
    }
    deliver(event);
    if (faults.happens(Kind.DUPLICATE_EVENT, 0.1)) {
      deliver(event);
    }
  }

  private void deliver(T event) {
    pending.merge(event, 1, Integer::sum);
    Delivery delivery = new Delivery(event);
    Duration delay =
        faults.happens(Kind.LATE_EVENT, 0.03)
            ? faults.upTo(
                faults.random.nextInt(50) == 0 ? Duration.ofHours(24) : Duration.ofSeconds(90))
            : faults.upTo(Duration.ofMillis(100));
    time.after(delay, delivery::attempt);
  }

  /** Deploys the function anew: no event comes to an instance that was there before. */
  void redeploy() {
    handlers.replaceAll(before -> handler());
  }

  private void replace(Handler<T> handler) {
    handler.instance().crash();
    if (handlers.remove(handler)) {
      handlers.add(handler());
    }
  }

  private Handler<T> handler() {
    World.Instance instance = world.instance();
    return new Handler<>(instance, functions.apply(instance));
  }
}
