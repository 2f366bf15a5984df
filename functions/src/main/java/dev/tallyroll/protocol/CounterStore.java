package dev.tallyroll.protocol;

import dev.tallyroll.runs.LiveStore;
import java.util.List;

/**
 * The calls of Firestore for the counters of some entries. If a call that writes fails, Firestore
 * may have applied the write.
 *
 * @param entries what is counted
 * @param liveList that of the counters of all entries
 */
public record CounterStore(
    List<Entry> entries,
    LiveStore<CounterId> liveList,
    RollupStore rollups,
    ShardSummer sums,
    CounterPages pages) {

  /** Copies the entries. */
  public CounterStore {
    entries = List.copyOf(entries);
  }
}
