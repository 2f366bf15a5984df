package dev.tallyroll.fold;

import com.google.cloud.functions.CloudEventsFunction;
import dev.tallyroll.platform.MessageHandling;
import dev.tallyroll.platform.Role;
import io.cloudevents.CloudEvent;

/**
 * RollUp for documents that are folded: the same topic and messages, with runs that fold busy
 * documents. Safe for use by many threads.
 */
public final class Fold implements CloudEventsFunction {
  private final MessageHandling messages;

  /**
   * Made by the functions framework, from environment variables. Costs two reads.
   *
   * @throws IllegalArgumentException if a setting is malformed
   */
  public Fold() {
    this.messages = FoldWiring.of(Role.ROLL_UP, System::getenv).messages();
  }

  @Override
  public void accept(CloudEvent event) throws Exception {
    messages.handle(event);
  }
}
