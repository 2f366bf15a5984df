package dev.tallyroll.functions;

import dev.tallyroll.platform.DocumentEvents;
import dev.tallyroll.platform.DocumentEvents.DocumentWrite;
import dev.tallyroll.platform.DocumentEvents.Kind;
import dev.tallyroll.platform.UnusableEventException;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.ShardWrite;
import io.cloudevents.CloudEvent;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Reads the events of counters' shards. Safe for use by many threads. */
public final class ShardEvents {
  private final List<Counted> entries;
  private final DocumentEvents events;

  /** An entry with events, and what counts of a document. */
  private record Counted(Entry entry, CountedValue value) {}

  /**
   * @param entries of which those with events count
   * @param database whose events are read
   */
  public ShardEvents(List<Entry> entries, String database) {
    this.entries =
        entries.stream()
            .filter(Entry::hasEvents)
            .map(entry -> new Counted(entry, new CountedValue(entry.layout().counted())))
            .toList();
    this.events = new DocumentEvents(database);
  }

  /**
   * Reads an event.
   *
   * @return the write, once for each entry that sums such documents; without entries of which an
   *     update changes nothing that counts
   * @throws UnusableEventException if it is not a write of a shard
   */
  public List<ShardWrite> decode(CloudEvent event) throws UnusableEventException {
    DocumentWrite write = events.decode(event);
    List<ShardWrite> writes = new ArrayList<>();
    boolean isShard = false;
    for (Counted counted : entries) {
      Optional<CounterId> counter = counted.entry().counterOfShard(write.path());
      isShard |= counter.isPresent();
      if (counter.isPresent() && counted.value().mayChangeBy(write)) {
        writes.add(decode(counter.get(), write, event));
      }
    }
    if (!isShard) {
      throw DocumentEvents.refusal(
          entries.stream()
              .map(counted -> counted.entry().layout().trigger())
              .distinct()
              .collect(Collectors.joining(" or ")),
          write.path());
    }
    return writes;
  }

  private static ShardWrite decode(CounterId counter, DocumentWrite write, CloudEvent event) {
    String id = write.path().substring(write.path().lastIndexOf('/') + 1);
    Optional<ShardWrite.Delete> delete =
        Optional.ofNullable(event.getTime())
            .filter(time -> write.kind() == Kind.DELETE)
            .map(OffsetDateTime::toInstant)
            .map(at -> new ShardWrite.Delete(event.getId(), at));
    return new ShardWrite(counter, id, write.committed(), delete);
  }
}
