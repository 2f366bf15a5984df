package dev.tallyroll.functions;

import com.google.cloud.functions.CloudEventsFunction;
import dev.tallyroll.platform.EventHandling;
import dev.tallyroll.platform.Role;
import dev.tallyroll.platform.UnusableEventException;
import dev.tallyroll.protocol.ShardWrite;
import dev.tallyroll.protocol.ShardWrites;
import io.cloudevents.CloudEvent;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Called for every write of a shard: Firestore trigger {@code
 * google.cloud.firestore.document.v1.written}.
 *
 * <p>Returns once the write is in the counter's roll-up, or once a lease promises this; throws if
 * the event must be delivered again. An event that can never be handled is logged as an error and
 * dropped; one of an update that changes nothing that is counted is dropped, too. If several
 * entries sum such documents, it handles the write for each of them. Safe for use by many threads.
 */
public final class OnShardWritten implements CloudEventsFunction {
  private final ShardEvents events;
  private final ShardWrites writes;
  private final EventHandling handling;

  /**
   * Made by the functions framework, from environment variables. Costs two reads.
   *
   * @throws IllegalArgumentException if a setting is malformed
   */
  public OnShardWritten() {
    this(Wiring.of(Role.ON_SHARD_WRITTEN, System::getenv));
  }

  private OnShardWritten(Wiring wiring) {
    this(
        new ShardEvents(
            wiring.settings().entries(),
            wiring.settings().database(),
            wiring.instance().log(),
            wiring.instance().loop()),
        wiring.shardWrites(),
        wiring.instance().handling());
  }

  OnShardWritten(ShardEvents events, ShardWrites writes, EventHandling handling) {
    this.events = events;
    this.writes = writes;
    this.handling = handling;
  }

  @Override
  public void accept(CloudEvent event) throws Exception {
    try {
      List<ShardWrite> all = events.decode(event);
      handling.runToEnd(event, () -> written(all));
    } catch (UnusableEventException unusable) {
      handling.drop(event, unusable);
    }
  }

  private CompletableFuture<Void> written(List<ShardWrite> all) {
    return CompletableFuture.allOf(
        all.stream().map(writes::written).toArray(CompletableFuture<?>[]::new));
  }
}
