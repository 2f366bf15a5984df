package dev.tallyroll.functions;

import com.google.cloud.functions.CloudEventsFunction;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import io.cloudevents.CloudEvent;
import java.time.Duration;

/**
 * Called for every message on the roll-up topic: Pub/Sub trigger {@code
 * google.cloud.pubsub.topic.v1.messagePublished}.
 *
 * <p>Messages say what to do by their attributes ({@code kind}, {@code worker}); bodies are
 * ignored. Throws if the work failed, so that the platform counts it; the next schedule is the
 * retry. A message that can never be handled is logged as an error and dropped. Safe for use by
 * many threads.
 */
public final class RollUp implements CloudEventsFunction {
  /** The platform's limit for functions that are called by events. */
  private static final Duration LIMIT = Duration.ofMinutes(9);

  private final Errands errands;
  private final Blocking blocking;
  private final Journal journal;

  /**
   * Made by the functions framework, from environment variables.
   *
   * @throws IllegalArgumentException if a setting is malformed
   */
  public RollUp() {
    this(Wiring.of("RollUp", System::getenv));
  }

  private RollUp(Wiring wiring) {
    this(wiring.errands(), new Blocking(wiring.loop(), LIMIT), wiring.journal());
  }

  RollUp(Errands errands, Blocking blocking, Journal journal) {
    this.errands = errands;
    this.blocking = blocking;
    this.journal = journal;
  }

  @Override
  public void accept(CloudEvent event) throws Exception {
    Message message;
    try {
      message = Message.decode(event, errands.workers());
    } catch (UnusableEventException unusable) {
      journal.write(Severity.ERROR, unusable.getMessage(), Particulars.of(event));
      return;
    }
    blocking.run(() -> errands.run(message));
  }
}
