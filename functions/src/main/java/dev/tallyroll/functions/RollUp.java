package dev.tallyroll.functions;

import com.google.cloud.functions.CloudEventsFunction;
import dev.tallyroll.platform.MessageHandling;
import dev.tallyroll.platform.Role;
import io.cloudevents.CloudEvent;

/**
 * Called for every message on the roll-up topic: Pub/Sub trigger {@code
 * google.cloud.pubsub.topic.v1.messagePublished}. Safe for use by many threads.
 */
public final class RollUp implements CloudEventsFunction {
  private final MessageHandling messages;

  /**
   * Made by the functions framework, from environment variables. Costs two reads.
   *
   * @throws IllegalArgumentException if a setting is malformed
   */
  public RollUp() {
    this.messages = Wiring.of(Role.ROLL_UP, System::getenv).messages();
  }

  @Override
  public void accept(CloudEvent event) throws Exception {
    messages.handle(event);
  }
}
