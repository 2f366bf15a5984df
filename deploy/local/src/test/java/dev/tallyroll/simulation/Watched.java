package dev.tallyroll.simulation;

import dev.tallyroll.protocol.RunStore;
import dev.tallyroll.protocol.RunStore.Sighting;
import java.time.Instant;
import java.util.Optional;

/** A listener to a run document, and what it saw last. Thread-safe. */
final class Watched implements AutoCloseable {
  private final RunStore.Watch watch;
  private volatile Optional<Sighting> last = Optional.empty();

  Watched(RunStore store, int worker) {
    watch = store.watch(worker, sighting -> last = Optional.of(sighting));
  }

  Optional<Sighting> last() {
    return last;
  }

  boolean hasSeen(Instant version) {
    return last.filter(sighting -> sighting.updateTime().equals(version)).isPresent();
  }

  @Override
  public void close() {
    watch.close();
  }
}
