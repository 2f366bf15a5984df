package dev.tallyroll.simulation;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.internal.Failures;
import dev.tallyroll.protocol.Timing;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/** The simulated server passes {@link ServerContract}. */
class SimulatedServerTest extends ServerContract {
  private final World world =
      World.scripted(new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO, 15));
  private final Firestore firestore = new SimulatedRpc(world, Optional.empty()).client();

  @Override
  protected Firestore firestore() {
    return firestore;
  }

  @Override
  protected String name() {
    return "contract";
  }

  @Override
  protected <T> T get(ApiFuture<T> call) {
    world.time.run(Duration.ofSeconds(1), call::isDone);
    try {
      return call.get();
    } catch (InterruptedException | ExecutionException failure) {
      throw new AssertionError(failure);
    }
  }

  @Override
  protected String code(ApiFuture<?> call) {
    world.time.run(Duration.ofSeconds(1), call::isDone);
    try {
      throw new AssertionError("expected a failure; found " + call.get());
    } catch (InterruptedException | ExecutionException failure) {
      return Failures.code(failure.getCause()).name();
    }
  }
}
