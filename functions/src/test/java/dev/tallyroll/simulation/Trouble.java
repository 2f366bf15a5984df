package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Sum;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.RollupStore;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What goes wrong in a {@link Drill}, from when it is said until it is taken back. */
final class Trouble {
  /** The calls of the store. */
  enum Call {
    READ,
    SUM,
    WRITE,
    LIVE,
    LIVE_AFTER,
    PAGE
  }

  private static final Duration REFUSAL_TAKES = Duration.ofMillis(5);

  private final Set<Call> refused = EnumSet.noneOf(Call.class);
  private Duration clockError = Duration.ZERO;
  private Duration nextStall = Duration.ZERO;
  private int refusals;

  void refuse(Set<Call> calls) {
    refused.addAll(calls);
  }

  void end() {
    refused.clear();
  }

  /** Every clock jumps to so much before or after the true time. */
  void setClocks(Duration error) {
    clockError = error;
  }

  /** Whoever sums next is held up for so long between its sum and what it does with that. */
  void stallNextSum(Duration stall) {
    nextStall = stall;
  }

  boolean hasStalled() {
    return nextStall.isZero();
  }

  int refusals() {
    return refusals;
  }

  Loop loop(Instance instance) {
    return new Loop(instance);
  }

  /** An instance whose clock may jump. */
  final class Loop implements EventLoop {
    private final Instance instance;

    private Loop(Instance instance) {
      this.instance = instance;
    }

    Instance instance() {
      return instance;
    }

    @Override
    public void execute(Runnable step) {
      instance.execute(step);
    }

    @Override
    public CompletableFuture<Void> after(Duration delay) {
      return instance.after(delay);
    }

    @Override
    public Instant instant() {
      return instance.instant().plus(clockError);
    }
  }

  RollupStore store(RollupStore store, Loop loop) {
    return new Store(store, loop);
  }

  private final class Store implements RollupStore {
    private final RollupStore store;
    private final Loop loop;

    Store(RollupStore store, Loop loop) {
      this.store = store;
      this.loop = loop;
    }

    private <T> CompletableFuture<T> call(Call call, Supplier<CompletableFuture<T>> made) {
      if (refused.contains(call)) {
        refusals++;
        return loop.after(REFUSAL_TAKES)
            .thenCompose(
                none -> CompletableFuture.failedFuture(new IllegalStateException("refused")));
      }
      return made.get();
    }

    @Override
    public Layout layout() {
      return Layout.DEFAULT;
    }

    @Override
    public CompletableFuture<Reading> read(CounterPath counter) {
      return call(Call.READ, () -> store.read(counter));
    }

    @Override
    public CompletableFuture<Sum> sum(CounterPath counter) {
      Duration stall = nextStall;
      nextStall = Duration.ZERO;
      return call(Call.SUM, () -> store.sum(counter))
          .thenCompose(
              sum ->
                  stall.isZero()
                      ? CompletableFuture.completedFuture(sum)
                      : loop.after(stall).thenApply(none -> sum));
    }

    @Override
    public CompletableFuture<Optional<Instant>> write(CounterPath counter, Change change) {
      return call(Call.WRITE, () -> store.write(counter, change));
    }

    @Override
    public CompletableFuture<LiveList> live() {
      return call(Call.LIVE, store::live);
    }

    @Override
    public CompletableFuture<LiveList> liveAfter(Instant after, List<Integer> lanes) {
      return call(Call.LIVE_AFTER, () -> store.liveAfter(after, lanes));
    }

    @Override
    public CompletableFuture<Page> page(Group group, String after, int limit) {
      return call(Call.PAGE, () -> store.page(group, after, limit));
    }
  }
}
