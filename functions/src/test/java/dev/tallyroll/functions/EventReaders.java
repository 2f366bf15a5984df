package dev.tallyroll.functions;

import dev.tallyroll.protocol.Entry;
import dev.tallyroll.runs.StructuredLog;
import java.time.InstantSource;
import java.util.List;

/** What reads events in tests that ask for no log. */
final class EventReaders {
  static final StructuredLog UNHEARD = (severity, message, fields) -> {};

  private EventReaders() {}

  /** Reads the events of entries in the default database. */
  static ShardEvents of(Entry... entries) {
    return new ShardEvents(List.of(entries), "(default)", UNHEARD, InstantSource.system());
  }
}
