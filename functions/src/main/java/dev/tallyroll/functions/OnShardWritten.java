package dev.tallyroll.functions;

import com.google.cloud.functions.CloudEventsFunction;
import dev.tallyroll.platform.EventHandling;
import dev.tallyroll.platform.JsonJournal;
import dev.tallyroll.protocol.ShardWrites;
import io.cloudevents.CloudEvent;
import java.time.Duration;

/**
 * Called for every write of a shard: Firestore trigger {@code
 * google.cloud.firestore.document.v1.written}.
 *
 * <p>Returns once the write is in the counter's roll-up, or once a lease promises this; throws if
 * the event must be delivered again. An event that can never be handled is logged as an error and
 * dropped. Safe for use by many threads.
 */
public final class OnShardWritten implements CloudEventsFunction {
  /** Below the function's own time limit of 60 s, so that the reason is logged. */
  public static final Duration LIMIT = Duration.ofSeconds(50);

  /** An instance handles 80 events at once, each with one call at a time. */
  public static final int CONNECTIONS = 1;

  /**
   * A failed event comes again after ten seconds, which is too long if only the connection has
   * died.
   */
  public static final int ATTEMPTS = 2;

  private final ShardEvents events;
  private final ShardWrites writes;
  private final EventHandling handling;

  /**
   * Made by the functions framework, from environment variables. Costs two reads.
   *
   * @throws IllegalArgumentException if a setting is malformed
   */
  public OnShardWritten() {
    this(Wiring.of(JsonJournal.of("OnShardWritten"), CONNECTIONS, ATTEMPTS, System::getenv));
  }

  private OnShardWritten(Wiring wiring) {
    this(
        new ShardEvents(wiring.settings().layout(), wiring.settings().database()),
        wiring.shardWrites(),
        new EventHandling(wiring.loop(), wiring.journal(), LIMIT, /* isRetried= */ true));
  }

  OnShardWritten(ShardEvents events, ShardWrites writes, EventHandling handling) {
    this.events = events;
    this.writes = writes;
    this.handling = handling;
  }

  @Override
  public void accept(CloudEvent event) throws Exception {
    handling.handle(
        event, events::decode, write -> writes.written(write.counter(), write.committed()));
  }
}
