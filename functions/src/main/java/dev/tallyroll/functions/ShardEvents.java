package dev.tallyroll.functions;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.platform.DocumentEvents;
import dev.tallyroll.platform.DocumentEvents.DocumentWrite;
import dev.tallyroll.platform.DocumentEvents.Kind;
import dev.tallyroll.platform.UnusableEventException;
import dev.tallyroll.protocol.ShardWrite;
import io.cloudevents.CloudEvent;
import java.time.OffsetDateTime;
import java.util.Optional;

/** Reads the events of counters' shards. Safe for use by many threads. */
public final class ShardEvents {
  private final Layout layout;
  private final CountedValue counted;
  private final DocumentEvents events;

  /**
   * @param layout of the counters
   * @param database whose events are read
   */
  public ShardEvents(Layout layout, String database) {
    this.layout = layout;
    this.counted = new CountedValue(layout.counted());
    this.events = new DocumentEvents(database);
  }

  /**
   * Reads an event.
   *
   * @return empty for an update that changes nothing that is counted
   * @throws UnusableEventException if it is not a write of a shard
   */
  public Optional<ShardWrite> decode(CloudEvent event) throws UnusableEventException {
    DocumentWrite write = events.decode(event);
    ShardWrite decoded =
        layout
            .counterOfShard(write.path())
            .map(counter -> decode(new Located(layout, counter), write, event))
            .orElseThrow(
                () ->
                    DocumentEvents.refusal(
                        "%s/{counter}/%s/{shard}".formatted(layout.counters(), layout.shards()),
                        write.path()));
    return Optional.of(decoded).filter(unused -> counted.mayChangeBy(write));
  }

  private static ShardWrite decode(Located counter, DocumentWrite write, CloudEvent event) {
    String id = write.path().substring(write.path().lastIndexOf('/') + 1);
    Optional<ShardWrite.Delete> delete =
        Optional.ofNullable(event.getTime())
            .filter(time -> write.kind() == Kind.DELETE)
            .map(OffsetDateTime::toInstant)
            .map(at -> new ShardWrite.Delete(event.getId(), at));
    return new ShardWrite(counter, id, write.committed(), delete);
  }
}
