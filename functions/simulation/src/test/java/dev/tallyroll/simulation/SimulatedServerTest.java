package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.Write;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.store.ServerContract;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

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

  /** The emulator's clients wait for the document's lock instead. */
  @Test
  void refused_readsWhatRefusedIt() throws Exception {
    DocumentReference document = firestore.document("contract/late");
    var unused =
        world.server.commit(
            CommitRequest.newBuilder()
                .addWrites(
                    Write.newBuilder()
                        .setUpdate(
                            Document.newBuilder().setName(SimulatedServer.ROOT + "/contract/late")))
                .build(),
            Optional.empty(),
            world.time.now(),
            Duration.ofMillis(500));
    assertThat(answer(document.get()).exists()).isFalse();
    assertThatThrownBy(() -> answer(document.create(Map.of())))
        .hasMessageContaining("ALREADY_EXISTS");
    assertThat(answer(document.get()).exists()).isTrue();
  }
}
