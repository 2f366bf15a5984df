package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.CommitResponse;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.firestore.RepeatableCounters;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The client sends a reset's batch twice, with other resets in between. An earlier simulated world,
 * seed 82513, found the mistake: a reset took off 9 increments and never reported them.
 */
class ResetTest {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO, 15);

  private final World world = World.scripted(TIMING);
  private final Counter other = connect(new SimulatedRpc(world, Optional.empty()));
  private boolean repeats;

  /** A connection that sends one batch twice, and lets another client count and reset between. */
  private final class Repeating extends SimulatedRpc {
    Repeating() {
      super(ResetTest.this.world, Optional.empty());
    }

    @Override
    CompletableFuture<CommitResponse> commit(CommitRequest request, Instant requested) {
      if (!repeats) {
        return super.commit(request, requested);
      }
      repeats = false;
      return super.commit(request, requested)
          .thenRun(
              () -> {
                var unused = other.add(4L);
              })
          .thenCompose(none -> world.pause(Duration.ofMillis(100)))
          .thenRun(
              () -> {
                var unused = other.reset();
              })
          .thenCompose(none -> world.pause(Duration.ofMillis(900)))
          .thenCompose(none -> super.commit(request, world.time.now()));
    }
  }

  @Test
  void batchThatIsSentTwice_reportsAllThatWasTakenOff() throws Exception {
    await(other.create(2));
    await(other.add(3L));
    Counter counter = connect(new Repeating());
    repeats = true;

    ApiFuture<Total> taken = counter.reset();
    world.time.pass(Duration.ofSeconds(5));

    assertThat(taken.get()).isEqualTo(new Total.Whole(3));
    assertThat(world.totals.sum(LIKES).total()).isEqualTo(new Total.Whole(0));
  }

  private Counter connect(SimulatedRpc rpc) {
    return RepeatableCounters.of(rpc.client(), world.time::now, shards -> 0, world::newName)
        .counter(LIKES);
  }

  private <T> T await(ApiFuture<T> call) throws Exception {
    world.time.run(Duration.ofSeconds(5), call::isDone);
    return call.get();
  }
}
