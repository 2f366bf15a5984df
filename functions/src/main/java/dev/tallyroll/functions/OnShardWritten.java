package dev.tallyroll.functions;

import com.google.cloud.functions.CloudEventsFunction;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.ShardWrites;
import io.cloudevents.CloudEvent;
import java.time.Duration;

/**
 * Called for every write of a shard: Firestore trigger {@code
 * google.cloud.firestore.document.v1.written}.
 *
 * <p>Returns once the write is in the counter's roll-up, or is promised to be; throws if the event
 * must be delivered again. An event that can never be handled is logged as an error and dropped.
 * Safe for use by many threads.
 */
public final class OnShardWritten implements CloudEventsFunction {
  /** Below the function's own time limit of 60 s, so that the reason is logged. */
  private static final Duration LIMIT = Duration.ofSeconds(50);

  private final ShardEvents events;
  private final ShardWrites writes;
  private final Blocking blocking;
  private final Journal journal;

  /**
   * Made by the functions framework, from environment variables.
   *
   * @throws IllegalArgumentException if a setting is malformed
   */
  public OnShardWritten() {
    this(Wiring.of("OnShardWritten", System::getenv));
  }

  private OnShardWritten(Wiring wiring) {
    this(
        new ShardEvents(wiring.settings().layout(), wiring.settings().database()),
        wiring.shardWrites(),
        new Blocking(wiring.loop(), LIMIT),
        wiring.journal());
  }

  OnShardWritten(ShardEvents events, ShardWrites writes, Blocking blocking, Journal journal) {
    this.events = events;
    this.writes = writes;
    this.blocking = blocking;
    this.journal = journal;
  }

  @Override
  public void accept(CloudEvent event) throws Exception {
    ShardEvents.ShardWrite write;
    try {
      write = events.decode(event);
    } catch (UnusableEventException unusable) {
      journal.write(Severity.ERROR, unusable.getMessage(), Particulars.of(event));
      return;
    }
    blocking.run(() -> writes.written(write.counter(), write.committed()));
  }
}
