package dev.tallyroll.simulation;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.protocol.Timing;
import java.time.Duration;
import java.util.Optional;

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
  protected <T> T answer(ApiFuture<T> call) throws Exception {
    world.time.run(Duration.ofSeconds(1), call::isDone);
    return call.get();
  }
}
