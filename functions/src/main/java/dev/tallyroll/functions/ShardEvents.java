package dev.tallyroll.functions;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.platform.DocumentEvents;
import dev.tallyroll.platform.DocumentEvents.DocumentWrite;
import dev.tallyroll.platform.UnusableEventException;
import io.cloudevents.CloudEvent;
import java.time.Instant;
import java.util.Optional;

/** Reads the events of counters' shards. Safe for use by many threads. */
final class ShardEvents {
  private final Layout layout;
  private final DocumentEvents events;

  ShardEvents(Layout layout, String database) {
    this.layout = layout;
    this.events = new DocumentEvents(database);
  }

  /**
   * A write of a shard.
   *
   * @param committed when, by Firestore's clock; empty for a delete
   */
  record ShardWrite(Located counter, Optional<Instant> committed) {}

  /**
   * @throws UnusableEventException if it is not a write of a shard
   */
  ShardWrite decode(CloudEvent event) throws UnusableEventException {
    DocumentWrite write = events.decode(event);
    return layout
        .counterOfShard(write.path())
        .map(counter -> new ShardWrite(new Located(layout, counter), write.committed()))
        .orElseThrow(
            () ->
                DocumentEvents.refusal(
                    "%s/{counter}/%s/{shard}".formatted(layout.counters(), layout.shards()),
                    write.path()));
  }
}
