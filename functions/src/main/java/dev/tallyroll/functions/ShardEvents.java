package dev.tallyroll.functions;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.platform.DocumentEvents;
import dev.tallyroll.platform.DocumentEvents.DocumentWrite;
import dev.tallyroll.platform.DocumentEvents.WriteType;
import dev.tallyroll.platform.UnusableEventException;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.ShardWrite;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.StructuredLog.Severity;
import io.cloudevents.CloudEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Reads the events of counters' shards. Safe for use by many threads. */
public final class ShardEvents {
  private static final Duration SILENCE = Duration.ofHours(1);

  private final List<Counted> entries;
  private final DocumentEvents events;
  private final StructuredLog log;
  private final InstantSource clock;
  private final Map<Entry, Instant> told = new ConcurrentHashMap<>();

  /** An entry with events, and what it reads of a document. */
  private record Counted(Entry entry, CountedFields fields) {}

  /**
   * @param entries of which those with events count
   * @param database whose events are read
   * @param log gets a warning, once an hour for each entry, of a document that belongs to nobody
   */
  public ShardEvents(List<Entry> entries, String database, StructuredLog log, InstantSource clock) {
    this.entries =
        entries.stream()
            .filter(Entry::hasEvents)
            .map(entry -> new Counted(entry, CountedFields.of(entry.layout())))
            .toList();
    this.events = new DocumentEvents(database);
    this.log = log;
    this.clock = clock;
  }

  /**
   * Reads an event.
   *
   * @return the write, once for each counter that it may change: those that the document belonged
   *     to before, and belongs to now, of each entry that sums such documents
   * @throws UnusableEventException if it is not a write of a shard
   */
  public List<ShardWrite> decode(CloudEvent event) throws UnusableEventException {
    DocumentWrite write = events.decode(event);
    List<ShardWrite> writes = new ArrayList<>();
    boolean isShard = false;
    for (Counted counted : entries) {
      Entry entry = counted.entry();
      isShard |= entry.layout().isOfShard(write.path());
      if (counted.fields().mayChangeBy(write)) {
        counted
            .fields()
            .counters(write)
            .forEach(counter -> writes.add(decode(entry.counter(counter), write, event)));
        counted.fields().stray(write).ifPresent(field -> tell(entry, write.path(), field));
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
            .filter(time -> write.type() == WriteType.DELETE)
            .map(OffsetDateTime::toInstant)
            .map(at -> new ShardWrite.Delete(event.getId(), at));
    return new ShardWrite(counter, id, write.committed(), delete);
  }

  private void tell(Entry entry, String path, FieldName field) {
    Instant now = clock.instant();
    Instant last = told.get(entry);
    if (last == null || !now.isBefore(last.plus(SILENCE))) {
      told.put(entry, now);
      log.write(
          Severity.WARNING,
          "a document belongs to nobody, as its field holds no id of a document",
          Map.of(StructuredLog.ENTRY, entry.name(), "document", path, "field", field.toString()));
    }
  }
}
