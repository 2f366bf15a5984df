package dev.tallyroll.fold;

import com.google.cloud.functions.CloudEventsFunction;
import dev.tallyroll.functions.RollUp;
import dev.tallyroll.platform.GoogleClients;
import io.cloudevents.CloudEvent;

/**
 * {@link RollUp} for documents that are folded: the same topic and messages, with runs that fold
 * busy documents. Safe for use by many threads.
 */
public final class Fold implements CloudEventsFunction {
  private final RollUp rollUp;

  /**
   * Made by the functions framework, from environment variables. Costs two reads.
   *
   * @throws IllegalArgumentException if a setting is malformed
   */
  public Fold() {
    this(
        FoldWiring.of(
            "RollUp", GoogleClients.ROLLUP_CONNECTIONS, /* attempts= */ 1, System::getenv));
  }

  Fold(FoldWiring wiring) {
    this.rollUp =
        new RollUp(
            wiring.runs(),
            wiring.sweep(),
            wiring.settings().runs().workers(),
            wiring.topic(),
            wiring.journal(),
            wiring.loop());
  }

  @Override
  public void accept(CloudEvent event) throws Exception {
    rollUp.accept(event);
  }
}
