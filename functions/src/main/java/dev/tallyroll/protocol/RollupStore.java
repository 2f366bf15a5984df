package dev.tallyroll.protocol;

import dev.tallyroll.internal.Mark;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.runs.LiveStore;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The calls of Firestore for roll-ups and the live list. If a future fails, its write may have been
 * applied or not.
 */
public interface RollupStore extends RollupWriter, ShardSummer, CounterPages {

  /** What is counted. */
  List<Entry> entries();

  /** The live list of the counters of all entries. */
  LiveStore<CounterId> liveList();

  /** Reads a roll-up strongly. Costs one document read. */
  CompletableFuture<Reading> read(CounterId counter);

  /**
   * A read of a roll-up's place, which may hold nothing, or a foreign document.
   *
   * @param foreign the mark of a foreign document, or what is there in the place of one
   * @param readTime Firestore's time of the read
   */
  record Reading(Optional<Rollup> rollup, Optional<Mark> foreign, Instant readTime) {
    /** A read that has found no foreign document. */
    public Reading(Optional<Rollup> rollup, Instant readTime) {
      this(rollup, Optional.empty(), readTime);
    }
  }
}
