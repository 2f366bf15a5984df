package dev.tallyroll.protocol;

import dev.tallyroll.runs.LiveStore;
import java.util.List;

/**
 * What is known in Firestore of the counters of some entries. If a future of a part fails, its
 * write may have been applied or not.
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
