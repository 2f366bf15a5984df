package dev.tallyroll.protocol;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.LiveStore;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The calls of Firestore for roll-ups and the live list. If a future fails, its write may have been
 * applied or not.
 */
public interface RollupStore extends RollupWriter, ShardSummer, CounterPages {

  /** Where the counters are. */
  Layout layout();

  /** The live list of counters. */
  LiveStore<Located> liveList();

  /**
   * Whether totals were made with the settings of this store, as an instance with others must write
   * nothing ({@link ConfirmedSettings}). Costs at most a read a minute; fails if that fails.
   *
   * @param journal gets an error if not
   */
  CompletableFuture<Boolean> agree(Journal journal);

  /** As above, by a read that begins now. */
  CompletableFuture<Boolean> agreeNow(Journal journal);

  /** Reads a roll-up strongly. Costs one document read. */
  CompletableFuture<Reading> read(Located counter);

  /**
   * A read of a roll-up's place, which may hold nothing, or a foreign document.
   *
   * @param otherMark the mark of a foreign document, if it is a path
   * @param readTime Firestore's time of the read
   */
  record Reading(Optional<Rollup> rollup, Optional<String> otherMark, Instant readTime) {
    /** A read that has found no foreign mark. */
    public Reading(Optional<Rollup> rollup, Instant readTime) {
      this(rollup, Optional.empty(), readTime);
    }
  }
}
